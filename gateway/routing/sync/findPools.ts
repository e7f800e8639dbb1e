import type { Address, Hex } from 'viem'
import type { FindParameters, ListParameters, PoolRef, ReadDeps } from '../protocols/poolFamily.ts'
import { chunk } from './chunk.ts'
import { callLens } from './lens.ts'

/** A factory look-up costs about 5,000 gas. */
const lookupsPerCall = 4_000
/** A factory with more pairs than this is asked for known pairs only. */
const longestList = 3_000
const pairsPerCall = 1_500

export function dedupePools(pools: readonly PoolRef[]): PoolRef[] {
  return [...new Map(pools.map((pool) => [(pool.id ?? pool.address).toLowerCase(), pool])).values()]
}

/**
 * Pools by a factory's look-up of two tokens and a key (a fee tier, a tick spacing, stable or not);
 * a look-up of two arguments does not see the key.
 */
export async function findByLookup(
  { client }: ReadDeps,
  {
    dex,
    a,
    b,
    blockNumber,
    selector,
    keys = [0],
  }: FindParameters & { readonly selector: Hex; readonly keys?: readonly number[] },
): Promise<PoolRef[]> {
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
  return dedupePools(found.flat().map((address) => ({ dex, address })))
}

/** All pairs of a factory of Uniswap v2's kind; undefined when there are too many to hold. */
export async function listPairs(
  { client }: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<PoolRef[] | undefined> {
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
  return dedupePools([...first, ...rest.flat()].map((address) => ({ dex, address })))
}
