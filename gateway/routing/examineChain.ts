import type { Address, Client, Hex, Transport, Chain as ViemChain } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import type { Chain } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'
import { type Dex, factoriesOf } from '../chain/dex.ts'
import { placeContract } from '../chain/publicContracts.ts'
import { midPrice } from './midPrice.ts'
import { createPoolProbes, type PoolProbes } from './poolProbes.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { sortByDepth } from './sync/bounds/sortByDepth.ts'
import { type ChainSync, createChainSync } from './sync/chainSync.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** `unknown`: nothing here could tell. */
export type DexVerdict = 'right' | 'missing' | 'different' | 'unknown'
/** What one look at a configured exchange came to. */
export type DexFinding = {
  readonly dex: string
  readonly check: 'code' | 'pools' | 'price' | 'swap'
  readonly verdict: DexVerdict
  readonly found: string
}
export type ChainExamination = {
  readonly blockNumber: bigint
  readonly findings: readonly DexFinding[]
}
type Look = Omit<DexFinding, 'dex' | 'check'>

/** Of each exchange, those looked at for a price and a swap. */
const mostPools = 5
/** With fewer others a price cannot say whose is wrong. */
const fewestOthers = 2
const mostOffBps = 100
const wholeBps = 10_000
/** Nothing moves while it is looked at. */
const never = 3_600_000

/**
 * First contact with a chain: whether each configured exchange is what its row says. Its contracts have
 * code, its pools are found and answer, its deepest one is priced as the others', and swaps.
 */
export async function examineChain(
  chainClient: ChainClient,
  { chain, dexes = chain.dexes }: { readonly chain: Chain; readonly dexes?: readonly Dex[] },
): Promise<ChainExamination> {
  const seedTokens = chain.tokens.map(([symbol, decimals, address]) => ({
    symbol,
    decimals,
    address,
  }))
  const sync = createChainSync({ chainClient, dexes, seedTokens, pollMs: never, maxAgeMs: never })
  try {
    const codes = await Promise.all(dexes.map((dex) => lookAtCode(chainClient, dex)))
    await sync.start()
    const state = sync.current()
    if (!state) throw new Error('the chain was not loaded')
    const all = sortByDepth([...state.pools.values()], chain)
    // Of other tokens nobody here knows what they take of a transfer.
    const ofTokens = new Set(chain.tokens.map(([, , address]) => address.toLowerCase()))
    const deepest = all.filter(({ tokens }) => tokens.every((token) => ofTokens.has(token)))
    const probes = await createOwnProbes(chainClient, { chain, state })
    const looks = await Promise.all(
      dexes.map(async (dex, index) => {
        const own = deepest.filter((record) => record.dex === dex.name).slice(0, mostPools)
        const code = codes[index]
        const [first] = own.length > 0 ? own : all.filter((record) => record.dex === dex.name)
        const found = {
          code,
          pools: lookAtPools(sync, { dex, first, isThere: code?.verdict === 'right' }),
          price: own.length > 0 ? lookAtPrice({ own, deepest }) : undefined,
          swap: own.length > 0 ? await lookAtSwap(probes, own) : undefined,
        }
        return Object.entries(found).flatMap(([check, look]) =>
          look ? [{ dex: dex.name, check: check as DexFinding['check'], ...look }] : [],
        )
      }),
    )
    return { blockNumber: state.head.number, findings: looks.flat() }
  } finally {
    await sync.close()
  }
}

async function lookAtCode({ client }: ChainClient, dex: Dex): Promise<Look> {
  const { router, quoter, holder, announcer } = dex
  const roles = [
    ...factoriesOf(dex).map((address) => ['factory', address] as const),
    ...Object.entries({ router, quoter, holder, announcer }),
  ].flatMap(([role, address]) => (address ? [{ role, address }] : []))
  const codes = await Promise.all(
    roles.map(({ address }) =>
      client.request({ method: 'eth_getCode', params: [address, 'latest'] }),
    ),
  )
  const missing = roles.filter((_, index) => codes[index] === '0x')
  if (missing.length === 0) return { verdict: 'right', found: `${roles.length} contracts` }
  const names = missing.map(({ role, address }) => `${role} ${address}`).join(', ')
  return { verdict: 'missing', found: `no code at ${names}` }
}

function lookAtPools(
  sync: ChainSync,
  {
    dex,
    first,
    isThere,
  }: {
    readonly dex: Dex
    readonly first: PoolRecord | undefined
    readonly isThere: boolean
  },
): Look {
  const coverage = sync.coverage()?.find((one) => one.dex === dex.name)
  const counted = `${coverage?.loaded ?? 0} of ${coverage?.known ?? 0} answer`
  if (first) return { verdict: 'right', found: `${counted}, deepest ${first.id}` }
  const reasons = [...(coverage?.refused.keys() ?? [])]
  const why = coverage?.leftOut ?? reasons[0]
  const found = why === undefined ? counted : `${counted}: ${why}`
  return { verdict: isThere ? 'different' : 'missing', found }
}

type Priced = { readonly price: number; readonly others: readonly number[]; readonly id: string }

function lookAtPrice({
  own,
  deepest,
}: {
  readonly own: readonly PoolRecord[]
  readonly deepest: readonly PoolRecord[]
}): Look {
  const priced = own.flatMap((record) => priceAmong(record, deepest))
  const [best] = priced.toSorted((one, other) => other.others.length - one.others.length)
  if (!best || best.others.length < fewestOthers)
    return { verdict: 'unknown', found: 'hardly anybody else trades a pair of its deepest pools' }
  const usual = medianOf(best.others)
  const offBps = Math.round(Math.abs(best.price / usual - 1) * wholeBps)
  return {
    verdict: offBps <= mostOffBps ? 'right' : 'different',
    found: `${best.id} is ${offBps / 100} % off the median of ${best.others.length} others`,
  }
}

/** The prices of each of a pool's pairs at the deepest pools that other exchanges have of it. */
function priceAmong(record: PoolRecord, deepest: readonly PoolRecord[]): readonly Priced[] {
  const { tokens, id } = record
  return tokens.flatMap((one, i) =>
    tokens.slice(i + 1).map((other) => {
      const same = deepest.filter(
        ({ dex, tokens: held }) => dex !== record.dex && held.includes(one) && held.includes(other),
      )
      const firsts = [...new Map(same.toReversed().map((pool) => [pool.dex, pool])).values()]
      const others = firsts.map((pool) => midPrice(pool, one, other)).filter((price) => price > 0)
      return { price: midPrice(record, one, other), others, id }
    }),
  )
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (low + high) / 2
}

/** Tries swaps through an executor whose code is laid over its place for the length of each call. */
async function createOwnProbes(
  { client }: ChainClient,
  { chain, state }: { readonly chain: Chain; readonly state: SyncedState },
): Promise<PoolProbes> {
  const { address, creation } = placeContract(swapExecutor, [chain.wrappedNative])
  const code = await client.request({
    method: 'eth_call',
    params: [{ data: creation }, 'latest'],
  })
  return createPoolProbes({
    client: withCode(client, { address, code }),
    executor: address,
    current: () => state,
    gasPriceWei: () => 0n,
    now: () => performance.now(),
  })
}

type AnyClient = Client<Transport, ViemChain>

function withCode(
  client: AnyClient,
  { address, code }: { readonly address: Address; readonly code: Hex },
): AnyClient {
  const request = (question: { readonly method: string; readonly params: readonly unknown[] }) => {
    const [call, block, overrides] = question.params
    if (question.method !== 'eth_call' || !overrides) return client.request(question as never)
    const params = [call, block, { ...overrides, [address]: { code } }]
    return client.request({ ...question, params } as never)
  }
  // viem's own type of a request names every method there is.
  return { ...client, request: request as AnyClient['request'] }
}

async function lookAtSwap(probes: PoolProbes, own: readonly PoolRecord[]): Promise<Look> {
  for (const { id, tokens } of own) {
    const [tokenIn = '', tokenOut = ''] = tokens
    await probes.hasRefusing({ steps: [{ poolId: id, tokenIn, tokenOut }] })
    const verdict = probes.verdictOf(id)
    if (verdict === 'works') return { verdict: 'right', found: `a small swap through ${id}` }
    if (verdict === 'refuses')
      return { verdict: 'different', found: `a small swap through ${id} was refused` }
  }
  return { verdict: 'unknown', found: 'nobody known here holds what its deepest pools buy' }
}
