import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import { feedsOf, getDexes, seedTokens } from '../../chain/chains.ts'
import { isCausedBy, WrongChain } from '../../chain/client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { createHotQuestions } from '../hotQuestions.ts'
import { type ListedPools, listPools } from '../listPools.ts'
import { createPoolMoves } from '../poolMoves.ts'
import { createPoolProbes } from '../poolProbes.ts'
import { poolsBetween } from '../poolsBetween.ts'
import { type QuoteOutcome, quote } from '../quote.ts'
import {
  type ExactOutputOutcome,
  type ExactOutputParameters,
  quoteExactOutput,
} from '../quoteExactOutput.ts'
import {
  type DisposalOutcome,
  type DisposalParameters,
  quoteLpDisposal,
} from '../quoteLpDisposal.ts'
import type { QuoteParameters } from '../quoteRequest.ts'
import type { TokenInfo } from '../reads/readTokens.ts'
import { type ChainStatus, readChainStatus, readHealth } from '../registry.ts'
import { createRouteCache } from '../routeCache.ts'
import { createGasPrice, createSoughtTokens, type RoutingChain } from '../routingChain.ts'
import { createSearchAhead } from '../searchAhead.ts'
import { createSearchQueue, type SearchQueue } from '../searchQueue.ts'
import { createSharedHints } from '../sharedHints.ts'
import { createChainSync } from '../sync/chainSync.ts'
import { createSharedSync } from '../sync/shared/sharedSync.ts'
import { createTaxBook, sampleOf } from '../taxBook.ts'
import { createTaxWatch } from '../taxWatch.ts'
import { createSearchThreads, type SearchThreads } from '../threads/searchThreads.ts'
import { holdersOf } from '../tokenHolders.ts'
import { createTrust } from '../trust/trust.ts'
import { createUsdPrices, type UsdPrice } from '../usdPrices.ts'
import { routingEndpoints } from '../wire/routes.ts'
import type { RoutingChainConfig, RoutingDeps } from './routingDeps.ts'

export type Routing = {
  /** Resolves when the taxes of all tokens with a pool have been measured once. */
  readonly warmed: Promise<void>
  quote(parameters: QuoteParameters): Promise<QuoteOutcome>
  quoteExactOutput(parameters: ExactOutputParameters): Promise<ExactOutputOutcome>
  quoteLpDisposal(parameters: DisposalParameters): Promise<DisposalOutcome>
  /** Part of each transfer of a token that does not arrive, in basis points; undefined until measured. */
  taxOf(chainId: number, token: Address): number | undefined
  /** Contracts of the pools of one DEX that hold both tokens, as far as they are followed. */
  poolsBetween(chainId: number, p: Parameters<typeof poolsBetween>[1]): readonly Address[]
  /** Contracts that hold a token for its pools, the deepest first, as far as they are followed. */
  holdersOf(chainId: number, token: Address): readonly Address[]
  /** Whether the registry knows a token at this address. */
  isToken(chainId: number, address: Address): boolean
  /** All that are known of a chain, by lower-case address. */
  tokens(chainId: number): ReadonlyMap<string, TokenInfo>
  /** By lower-case address; none where the chain has not been read. */
  usdPrices(chainId: number): Promise<ReadonlyMap<string, UsdPrice>>
  /** Undefined where the chain is not served, or not read yet. */
  pools(chainId: number, p: Parameters<typeof listPools>[1]): ListedPools | undefined
  status(): readonly ChainStatus[]
  health(): 'ok' | 'degraded' | 'error'
  readonly endpoints: readonly Endpoint[]
  close(): Promise<void>
}

const restartMs = 2_000

/**
 * Starts following the chains. A chain that cannot be read yet is tried again in the background and
 * answers 503 meanwhile; a node of the wrong chain is a mistake of the operator and throws.
 */
export async function createRouting({
  chains: configs,
  simulator,
  snapshots,
  shared,
  maxLagMs = 30_000,
  patienceMs,
  searchThreads = 0,
  observe,
  startWithinMs,
  now = () => performance.now(),
  registrations = [],
  ...service
}: RoutingDeps): Promise<Routing> {
  const closing = new AbortController()
  const threads = searchThreads > 0 ? createSearchThreads({ count: searchThreads }) : undefined
  const searches = createSearchQueue({ atOnce: threads?.atOnce })
  const chains = configs.map((config) =>
    createRoutingChain(config, { simulator, snapshots, shared, searches, threads, observe, now }),
  )
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]))
  const deps = {
    ...service,
    registrations,
    chains: byId,
    simulator,
    now,
    maxLagMs,
    patienceMs,
    startedAtMs: now(),
  }
  const { warmed } = await startChains({
    chains,
    observe,
    closing: closing.signal,
    withinMs: startWithinMs,
  })
  const ahead = createSearchAhead(deps, { chains })
  const looking = setInterval(() => lookAtMoves(chains), lookEachMs).unref()
  return {
    warmed,
    quote: (parameters) => quote(deps, parameters),
    quoteExactOutput: (parameters) => quoteExactOutput(deps, parameters),
    quoteLpDisposal: (parameters) => quoteLpDisposal(deps, parameters),
    taxOf: (chainId, token) => byId.get(chainId)?.taxes.get(token.toLowerCase()),
    poolsBetween: (chainId, p) => {
      const chain = byId.get(chainId)
      const state = chain?.sync.current()
      return chain && state ? poolsBetween({ trust: chain.trust, state }, p) : []
    },
    holdersOf(chainId, token) {
      const state = byId.get(chainId)?.sync.current()
      return state ? holdersOf(state, token) : []
    },
    isToken: (chainId, address) =>
      byId.get(chainId)?.sync.tokens().has(address.toLowerCase()) ?? false,
    tokens: (chainId) => byId.get(chainId)?.sync.tokens() ?? new Map(),
    async usdPrices(chainId) {
      const chain = byId.get(chainId)
      const state = chain?.sync.current()
      return chain && state ? chain.usdPrices(state) : new Map()
    },
    pools: (chainId, p) => {
      const chain = byId.get(chainId)
      return chain && listPools(chain, p)
    },
    status: () => readChainStatus(deps),
    health: () => readHealth(deps),
    endpoints: routingEndpoints(deps),
    async close() {
      closing.abort()
      clearInterval(looking)
      ahead.close()
      await Promise.all([...chains.map(({ sync }) => sync.close()), threads?.close()])
    },
  }
}

/** Between two looks at how far pools have moved. */
const lookEachMs = 5_000

function lookAtMoves(chains: readonly RoutingChain[]): void {
  for (const { sync, moves } of chains) {
    const state = sync.current()
    if (state) moves.look(state)
  }
}

function createRoutingChain(
  {
    chainClient,
    executor,
    dexes,
    pollMs,
    isPaced = false,
    maxAgeMs = 500,
    loadsFirst,
    refreshMs,
    origin,
    seeds,
    feeds,
    limits,
    trusted,
  }: RoutingChainConfig,
  {
    simulator,
    snapshots,
    shared,
    searches,
    threads,
    observe,
    now,
  }: Pick<RoutingDeps, 'simulator' | 'snapshots' | 'shared' | 'observe'> & {
    readonly searches: SearchQueue
    readonly threads: SearchThreads | undefined
    readonly now: () => number
  },
): RoutingChain {
  const { chainId, chain } = chainClient
  const taxes = createTaxBook({ chainId, simulator, now })
  const followed = dexes ?? getDexes(chainId)
  // Whoever asks for quotes must not keep the pools from being followed.
  const asking = chainClient.as('simulation')
  const source = {
    chainClient,
    dexes: followed,
    seedTokens: seeds ?? seedTokens(chainId),
    pollMs: pollMs ?? Math.min(Math.max(chain.blockTimeMs / 4, 100), 500),
    blockMs: isPaced ? chain.blockTimeMs : undefined,
    maxAgeMs,
    loadsFirst,
    // A fork would fetch each of them from its chain.
    deepPools: loadsFirst === 'majors' ? chain.deepPools : undefined,
    refreshMs,
    origin,
    limits,
    taxOf: (token: string) => taxes.get(token) ?? 0,
    observe,
    now,
  }
  const gasPriceWei = createGasPrice({ chainClient: asking, now })
  const sync = shared
    ? createSharedSync({ ...source, ...shared })
    : createChainSync({ ...source, snapshots })
  return {
    chainId,
    chainClient: asking,
    dexes: followed,
    executor,
    taxes,
    taxWatch: createTaxWatch({ taxes, sync, failed: reportFailure(observe, chainId) }),
    routes: createRouteCache(),
    probes: createPoolProbes({
      client: asking.client,
      gasPriceWei,
      taxOf: source.taxOf,
      executor,
      now,
      current: () => sync.current(),
    }),
    searches,
    threads,
    hints: createSharedHints({ now }),
    hot: createHotQuestions({ now }),
    trust: createTrust({ chainId, parts: trusted, now }),
    usdPrices: createUsdPrices({
      chainClient: asking,
      feeds: feeds ?? feedsOf(chainId),
      now,
      decimalsOf: (token) => sync.tokens().get(token)?.decimals,
    }),
    gasPriceWei,
    moves: createPoolMoves({ now }),
    sought: createSoughtTokens({ now }),
    sync,
  }
}

/** Resolves when all are loaded or the time is over; rejects when, by then, one is not what it should be. */
async function startChains({
  chains,
  withinMs,
  ...parameters
}: Omit<StartParameters, 'chain'> & {
  readonly chains: readonly RoutingChain[]
  readonly withinMs: number | undefined
}): Promise<{ readonly warmed: Promise<void> }> {
  const time = Promise.withResolvers<void>()
  let isOver = false
  const timer =
    withinMs === undefined
      ? undefined
      : setTimeout(() => {
          isOver = true
          time.resolve()
        }, withinMs)
  const starts = chains.map((chain) =>
    startChain({ chain, ...parameters }).catch((error: unknown) => {
      if (!isOver) throw error
      void restartChain({ chain, ...parameters })
      return { warmed: Promise.resolve() }
    }),
  )
  const all = Promise.all(starts)
  await Promise.race([all, time.promise]).finally(() => clearTimeout(timer))
  const warmed = all.then((started) => Promise.all(started.map((each) => each.warmed)))
  return { warmed: warmed.then(() => undefined) }
}

type StartParameters = {
  readonly chain: RoutingChain
  readonly observe: RoutingDeps['observe']
  readonly closing: AbortSignal
}

async function startChain(
  parameters: StartParameters,
): Promise<{ readonly warmed: Promise<void> }> {
  const { chain, observe } = parameters
  const warm = () => warmTaxes(chain).catch(reportFailure(observe, chain.chainId))
  try {
    await chain.sync.start()
  } catch (error) {
    if (isCausedBy(error, WrongChain)) throw error
    void restartChain(parameters)
    return { warmed: Promise.resolve() }
  }
  chain.gasPriceWei()
  const warmed = warm()
  void chain.sync.loading()?.then(() => warmed.then(warm))
  return { warmed }
}

const reportFailure = (observe: RoutingDeps['observe'], chainId: number) => (error: unknown) => {
  const reason = error instanceof Error ? error.message : 'unknown'
  observe?.({ event: 'failed', chainId, reason })
}

async function restartChain(parameters: StartParameters): Promise<void> {
  const { closing } = parameters
  await wait(restartMs, undefined, { signal: closing }).catch(() => undefined)
  if (closing.aborted) return
  // A node of another chain that comes up later is no reason to end a running service.
  const again = await startChain(parameters).catch(() => undefined)
  if (!again) await restartChain(parameters)
}

/** Measures the taxes of all tokens with a pool, so that no quote has to wait for it. */
async function warmTaxes({ sync, taxes }: RoutingChain): Promise<void> {
  const state = sync.current()
  const samples = [...sync.tokens()].flatMap(([id, token]) =>
    state?.market.tokenIndex.has(id) ? [sampleOf(token)] : [],
  )
  for (let start = 0; start < samples.length; start += 16)
    await taxes.measure(samples.slice(start, start + 16))
  const taxed = samples
    .map(({ address }) => address.toLowerCase())
    .filter((token) => (taxes.get(token) ?? 0) > 0)
  if (taxed.length > 0) await sync.reprice(taxed)
}
