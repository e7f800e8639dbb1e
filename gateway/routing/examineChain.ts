import {
  type Address,
  BaseError,
  type Client,
  type Hex,
  isHex,
  type Transport,
  type Chain as ViemChain,
} from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import type { Chain } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'
import { type Dex, factoriesOf } from '../chain/dex.ts'
import { placeContract } from '../chain/publicContracts.ts'
import type { DexFinding, DexVerdict, Look } from './dexFinding.ts'
import { examinePrice } from './examinePrice.ts'
import { createPoolProbes, type PoolProbes } from './poolProbes.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { limitRequests } from './reads/limitRequests.ts'
import { measureDepths } from './sync/bounds/measureDepths.ts'
import { sortByDepth } from './sync/bounds/sortByDepth.ts'
import { type ChainSync, createChainSync } from './sync/chainSync.ts'
import type { SyncedState } from './sync/syncedState.ts'

export type ChainExamination = {
  readonly blockNumber: bigint
  readonly findings: readonly DexFinding[]
}

/** Of each exchange, those looked at for a price and a swap. */
const mostPools = 5
/** Swaps are dear for a node, and each has its time from when it is asked for. */
const triedAtOnce = 4
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
    const records = [...state.pools.values()]
    const all = sortByDepth(records, chain)
    const { depths } = measureDepths(records, chain)
    // Of other tokens nobody here knows what they take of a transfer.
    const ofTokens = new Set(chain.tokens.map(([, , address]) => address.toLowerCase()))
    const deepest = all.filter(({ tokens }) => tokens.every((token) => ofTokens.has(token)))
    const probes = await createOwnProbes(chainClient, { chain, state })
    const looks = await Promise.all(
      dexes.map(async (dex, index) => {
        const own = deepest.filter((record) => record.dex === dex.name).slice(0, mostPools)
        const code = codes[index]
        // Some rows stand in the offline world alone.
        if (dex.isOptional && code?.verdict === 'missing') return []
        const [first] = own.length > 0 ? own : all.filter((record) => record.dex === dex.name)
        const found = {
          code,
          pools: lookAtPools(sync, { dex, first, code: code?.verdict }),
          price: own.length > 0 ? examinePrice({ own, deepest, depths }) : undefined,
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
      unlessRefused(client.request({ method: 'eth_getCode', params: [address, 'latest'] })),
    ),
  )
  const listNames = (those: typeof roles) =>
    those.map(({ role, address }) => `${role} ${address}`).join(', ')
  const missing = roles.filter((_, index) => codes[index] === '0x')
  if (missing.length > 0) return { verdict: 'missing', found: `no code at ${listNames(missing)}` }
  const unsaid = roles.filter((_, index) => !isCode(codes[index]))
  if (unsaid.length > 0)
    return { verdict: 'unknown', found: `the node does not say what is at ${listNames(unsaid)}` }
  return { verdict: 'right', found: `${roles.length} contracts` }
}

/** A node that refuses one question tells nothing of what was asked about; the others go on. */
const unlessRefused = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch((error: unknown) => {
    if (error instanceof BaseError) return undefined
    throw error
  })

/** Whoever answers may answer anything. */
const isCode = (code: unknown): code is Hex => isHex(code) && code.length > '0x0'.length

function lookAtPools(
  sync: ChainSync,
  {
    dex,
    first,
    code,
  }: {
    readonly dex: Dex
    readonly first: PoolRecord | undefined
    readonly code: DexVerdict | undefined
  },
): Look {
  const coverage = sync.coverage()?.find((one) => one.dex === dex.name)
  const counted = `${coverage?.loaded ?? 0} of ${coverage?.known ?? 0} answer`
  if (first) return { verdict: 'right', found: `${counted}, deepest ${first.id}` }
  const reasons = [...(coverage?.refused.keys() ?? [])]
  const why = coverage?.leftOut ?? reasons[0]
  const found = why === undefined ? counted : `${counted}: ${why}`
  // With its contracts in place it has pools.
  return { verdict: code === 'right' ? 'different' : (code ?? 'missing'), found }
}

/** Tries swaps through an executor whose code is laid over its place for the length of each call. */
async function createOwnProbes(
  { client }: ChainClient,
  { chain, state }: { readonly chain: Chain; readonly state: SyncedState },
): Promise<PoolProbes> {
  const { address, creation } = placeContract(swapExecutor, [chain.wrappedNative])
  const code = await unlessRefused(
    client.request({ method: 'eth_call', params: [{ data: creation }, 'latest'] }),
  )
  // Without the executor's code nothing is tried.
  const laid = isCode(code) ? { address, code } : undefined
  const patient = limitRequests(client, triedAtOnce)
  return createPoolProbes({
    client: laid ? withCode(patient, laid) : patient,
    executor: laid?.address,
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

const waysThrough = (tokens: readonly string[]) =>
  tokens.flatMap((tokenIn) =>
    tokens.filter((token) => token !== tokenIn).map((tokenOut) => [tokenIn, tokenOut] as const),
  )

async function lookAtSwap(probes: PoolProbes, own: readonly PoolRecord[]): Promise<Look> {
  for (const { id, tokens } of own)
    for (const [tokenIn, tokenOut] of waysThrough(tokens)) {
      await probes.hasRefusing({ steps: [{ poolId: id, tokenIn, tokenOut }] })
      const verdict = probes.verdictOf(id)
      if (verdict === 'works') return { verdict: 'right', found: `a small swap through ${id}` }
      if (verdict === 'refuses')
        return { verdict: 'different', found: `a small swap through ${id} was refused` }
      // Of one token nobody may be known who has it, of another somebody.
      probes.doubt([id])
    }
  return {
    verdict: 'unknown',
    found:
      'no swap could be tried: the node lays no code over accounts, or nobody known here holds what its deepest pools buy',
  }
}
