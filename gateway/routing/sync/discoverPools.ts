import {
  type Address,
  type Chain,
  type Client,
  type Hex,
  type Transport,
  toFunctionSelector,
} from 'viem'
import type { Dex, Protocol } from '../../chain/dexes.ts'
import { callLens } from './lens.ts'
import { chunk, type PoolAddress } from './loadPools.ts'

type Deps = { readonly client: Client<Transport, Chain> }

/** A factory look-up costs about 5,000 gas. */
const lookupsPerCall = 4_000
/** A constant product factory with more pairs than this is asked for known pairs only. */
const longestList = 3_000
const pairsPerCall = 1_500

/** How each family's factory finds a pool by its tokens and a key. */
const lookupSelectors: Readonly<Record<Protocol, Hex>> = {
  ['uniswap_v2']: toFunctionSelector('getPair(address,address)'),
  ['uniswap_v3']: toFunctionSelector('getPool(address,address,uint24)'),
  ['pancake_v3']: toFunctionSelector('getPool(address,address,uint24)'),
  ['slipstream']: toFunctionSelector('getPool(address,address,int24)'),
  ['aerodrome_v2']: toFunctionSelector('getPool(address,address,bool)'),
}

function dedupe(addresses: readonly Address[]): Address[] {
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()]
}

/** Pools of a factory between any token of `a` and any of `b`, in all fee tiers known of it. */
export async function findPools(
  { client }: Deps,
  {
    dex,
    a,
    b,
    blockNumber,
  }: {
    readonly dex: Dex
    readonly a: readonly Address[]
    readonly b: readonly Address[]
    readonly blockNumber: bigint
  },
): Promise<PoolAddress[]> {
  const keys = dex.protocol === 'uniswap_v2' ? [0] : (dex.poolKeys ?? dex.feesPips)
  const selector = lookupSelectors[dex.protocol]
  const rows = Math.max(1, Math.floor(lookupsPerCall / Math.max(1, b.length * keys.length)))
  const found = await Promise.all(
    chunk(a, rows).map((part) =>
      callLens(client, {
        functionName: 'findPools',
        args: [dex.factory, selector, part, b, keys.map(BigInt)],
        blockNumber,
      }),
    ),
  )
  return dedupe(found.flat()).map((address) => ({ dex, address }))
}

/** All pairs of a constant product factory; undefined when there are too many to hold. */
export async function listPairs(
  { client }: Deps,
  { dex, blockNumber }: { readonly dex: Dex; readonly blockNumber: bigint },
): Promise<PoolAddress[] | undefined> {
  const list = (from: number, to: number) =>
    callLens(client, {
      functionName: 'listPairs',
      args: [dex.factory, BigInt(from), BigInt(to)],
      blockNumber,
    })
  const [length, first] = await list(0, pairsPerCall)
  if (length > BigInt(longestList)) return undefined
  const rest: Address[][] = []
  for (let from = pairsPerCall; from < Number(length); from += pairsPerCall)
    rest.push([...(await list(from, from + pairsPerCall))[1]])
  return dedupe([...first, ...rest.flat()]).map((address) => ({ dex, address }))
}

/** Tokens in halves of pairs once each: pools of every unordered pair of `tokens`. */
export async function findPoolsAmong(
  deps: Deps,
  parameters: {
    readonly dex: Dex
    readonly tokens: readonly Address[]
    readonly blockNumber: bigint
  },
): Promise<PoolAddress[]> {
  const { tokens, dex, blockNumber } = parameters
  const found = await Promise.all(
    chunk(tokens, 16).map((a, index) =>
      findPools(deps, { dex, a, b: tokens.slice(index * 16), blockNumber }),
    ),
  )
  return dedupe(found.flat().map(({ address }) => address)).map((address) => ({ dex, address }))
}
