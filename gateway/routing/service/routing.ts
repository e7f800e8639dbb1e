import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import type { Simulator } from '../../../simulator/simulator.ts'
import {
  feedsOf,
  getDexes,
  type SeedToken,
  seedTokens,
  type TokenFeed,
} from '../../chain/chains.ts'
import { type ChainClient, isCausedBy, WrongChain } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import type { Coordination } from '../../store/coordination.ts'
import type { Feeds } from '../../store/feeds.ts'
import type { PoolSnapshots } from '../../store/pools.ts'
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
import {
  type AgentRegistration,
  type ChainStatus,
  readChainStatus,
  readHealth,
} from '../registry.ts'
import { createRouteCache } from '../routeCache.ts'
import { createGasPrice, createSoughtTokens, type RoutingChain } from '../routingChain.ts'
import { createSearchAhead } from '../searchAhead.ts'
import { createSearchQueue, type SearchQueue } from '../searchQueue.ts'
import { createSharedHints } from '../sharedHints.ts'
import type { PoolLimits } from '../sync/bounds/standing.ts'
import { type ChainSyncParameters, createChainSync } from '../sync/chainSync.ts'
import { createSharedSync } from '../sync/shared/sharedSync.ts'
import type { SyncEvent } from '../sync/syncEvent.ts'
import { createTaxBook, sampleOf } from '../taxBook.ts'
import { createTaxWatch } from '../taxWatch.ts'
import { createSearchThreads, type SearchThreads } from '../threads/searchThreads.ts'
import { holdersOf } from '../tokenHolders.ts'
import { createTrust, type TrustedParts } from '../trust/trust.ts'
import { createUsdPrices, type UsdPrice } from '../usdPrices.ts'
import { routingEndpoints } from '../wire/routes.ts'

export type RoutingChainConfig = {
  readonly chainClient: ChainClient
  /** The SwapExecutor; quotes of a chain without one carry no payload. */
  readonly executor: Address | undefined
  /** Default: the DEXes known of the chain. */
  readonly dexes?: readonly Dex[] | undefined
  /** Tokens whose pools are looked for at start. Default: those of the registry. */
  readonly seeds?: readonly SeedToken[] | undefined
  /** Between two looks at the head. Default: a quarter of the block time, 100 to 500 ms. */
  readonly pollMs?: number | undefined
  /** A quote asks for the head itself when it was confirmed longer ago. Lab chains: 0. Default: 500. */
  readonly maxAgeMs?: number | undefined
  /** Default: the Chainlink feeds known of the chain. */
  readonly feeds?: readonly TokenFeed[] | undefined
  /** How far the market may grow. Default: as far as it likes. */
  readonly limits?: PoolLimits | undefined
  /** Rate providers, hooks and oracles that are believed, beside those of the chain's row. */
  readonly trusted?: TrustedParts | undefined
  /** Default: nothing is quoted before all is loaded. */
  readonly loadsFirst?: ChainSyncParameters['loadsFirst']
  readonly refreshMs?: ChainSyncParameters['refreshMs']
  /** Where the chain is a fork: what it was forked from, for the first load. */
  readonly origin?: ChainSyncParameters['origin']
}

export type RoutingDeps = {
  readonly chains: readonly RoutingChainConfig[]
  readonly simulator: Simulator | undefined
  /** Where synced pools are kept between runs. */
  readonly snapshots?: PoolSnapshots | undefined
  /** For gateways that share a database: one of them is elected to read a chain for all. */
  readonly shared?: { readonly feeds: Feeds; readonly coordination: Coordination } | undefined
  readonly serviceName: string
  readonly version: string
  /** Base URL as callers see it, without a slash at the end. */
  readonly publicUrl: string
  /** Whether there is a contract to buy quota from. Default: there is none. */
  readonly isQuotaSold?: boolean | undefined
  /** Whether x402 payments are settled here. */
  readonly x402Support: boolean
  /** ERC-8004 identities of this service, minted by whoever runs it. Default: none. */
  readonly registrations?: readonly AgentRegistration[] | undefined
  readonly mcpUrl?: string | undefined
  /** Beyond this lag health is degraded and quotes are not executable. */
  readonly maxLagMs?: number | undefined
  /** Threads that search beside the one that serves. Default: none. */
  readonly searchThreads?: number | undefined
  /** How long a quote waits for strangers' pools to be tried where it has another route. Default: 250. */
  readonly patienceMs?: number | undefined
  /** What else is not as it should be, in sentences: health is degraded while there is any. */
  readonly warnings?: (() => readonly string[]) | undefined
  readonly observe?: ((event: SyncEvent) => void) | undefined
  /** After this the start goes on without the chains that are still being loaded. Default: never. */
  readonly startWithinMs?: number | undefined
  /** Monotonic, in milliseconds. */
  readonly now?: (() => number) | undefined
}

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
  const searches = createSearchQueue({ atOnce: Math.max(1, searchThreads) })
  const threads = searchThreads > 0 ? createSearchThreads({ count: searchThreads }) : undefined
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
