import type { Address } from 'viem'
import { chains, getChain, seedTokens } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import type { Log } from '../../http/serviceOptions.ts'
import type { CheckDeps, TargetRow } from '../calldata/checkQuote.ts'
import { createFindAllowance } from '../calldata/findAllowance.ts'
import { createFindSettlers } from '../calldata/findSettlers.ts'
import { type DispatchDeps, defaultLimits, dispatchSource, type SourceState } from '../dispatch.ts'
import { createFindProxy } from '../findProxy.ts'
import { createPriceGas } from '../priceGas.ts'
import type { Source } from '../provider/source.ts'
import type { DryRun } from '../simulateQuotes.ts'
import {
  createOnChainSources,
  listLeftOut,
  type OnChainDeps,
  type OnChainDex,
} from '../sources/onChainSources.ts'
import { type ProviderSetting, startProviders, targetsOf } from '../sources/providers.ts'
import { createRoutingSource, type RoutingDeps } from '../sources/routing.ts'
import { createSourceWorth } from '../sourceWorth.ts'
import type { StreamCaps } from '../streamSlots.ts'
import { createTurns } from '../turns.ts'
import { type MetaKeys, metaRoutes } from '../wire/routes.ts'
import { withExactOutput } from '../withExactOutput.ts'

export type MetaConfig = {
  /** Nobody is waited for longer than this, in milliseconds. Default 12,000. */
  readonly deadlineMs?: number | undefined
  /** After this, quotes in hand are answered without the slow sources. Default 3,000. */
  readonly patienceMs?: number | undefined
  /** Bound of each on-chain source and of routing, in milliseconds. Default 5,000. */
  readonly sourceTimeoutMs?: number | undefined
  /** Remote providers to ask, with their keys. Default none. */
  readonly providers?: readonly ProviderSetting[] | undefined
  /** Names of sources that are never asked. Default none. */
  readonly sourcesOff?: readonly string[] | undefined
  /** Names of providers that are asked without a list of their contracts. Default none. */
  readonly unlistedSources?: readonly string[] | undefined
  /** Whether a key of the routing service is asked for. Default none. */
  readonly keys?: MetaKeys | undefined
  /** Default: no caps. */
  readonly streamCaps?: StreamCaps | undefined
  /** Lets providers live at private addresses and plain http: for tests and private networks. */
  readonly allowPrivateProviders?: boolean | undefined
}

export type MetaDeps = {
  /** The routing use case, in process. */
  readonly quote: RoutingDeps['quote']
  readonly clients: readonly ChainClient[]
  readonly dexesOf: (chainId: number) => readonly OnChainDex[]
  /** The executor of the routing service, by chain: the only target its quotes may name. */
  readonly executorOf: (chainId: number) => Address | undefined
  /** Part of each transfer of a token that does not arrive, in basis points. */
  readonly taxOf: (chainId: number, token: Address) => number | undefined
  readonly poolsBetween: OnChainDeps['poolsBetween']
  /** Whether the registry knows a token at this address. */
  readonly isToken: CheckDeps['isToken']
  /** Undefined for a chain without a simulator. */
  readonly dryRunOf: (chainId: number) => DryRun | undefined
  readonly config: MetaConfig
  readonly now: () => number
  readonly log: Log
  readonly observe?: DispatchDeps['observe']
  /** In a lab: may answer otherwise than a source does. */
  readonly alterSource?: ((source: Source) => Source) | undefined
}

/** Thrown at start for a source to turn off or on that nobody knows. */
class UnknownSource extends Error {
  override readonly name = 'UnknownSource'
  constructor(name: string, { known, to }: { known: readonly string[]; to: string }) {
    super(`there is no source ${name} to turn ${to}; known are ${known.join(', ')}`)
  }
}

function requireKnown(names: readonly string[], p: { known: readonly string[]; to: string }) {
  const strange = names.find((name) => !p.known.includes(name))
  if (strange !== undefined) throw new UnknownSource(strange, p)
}

export type Meta = {
  readonly endpoints: readonly Endpoint[]
  readonly sourceStates: () => readonly SourceState[]
  close(): Promise<void>
}

/** Routing may name its executor only. */
function routingTargets(deps: MetaDeps): readonly TargetRow[] {
  return deps.clients.flatMap(({ chainId }): readonly TargetRow[] => {
    const executor = deps.executorOf(chainId)
    return executor
      ? [{ provider: 'routing', chainId, targets: [executor], spenders: [executor] }]
      : []
  })
}

/**
 * What we answer ourselves costs our own cores and nodes: more at once is slower for all. A crowd waits
 * behind itself, so that its neighbour's quote is one of few under way.
 */
const crowdOfOurs = { concurrency: 32, waiting: 480 }

/** Pauses, rates and prices count what has passed: a clock that is set back would hold each for as long. */
const passedMs = () => performance.now()

/** All sources behind their policies, and how to stop those that hold connections. */
function startSources(deps: MetaDeps) {
  const { now, config, observe, alterSource = (source: Source) => source } = deps
  const { sourceTimeoutMs = 5_000, providers: settings = [], unlistedSources = [] } = config
  const allowPrivate = config.allowPrivateProviders ?? false
  const own = { ...defaultLimits, timeoutMs: sourceTimeoutMs, ...crowdOfOurs }
  const routed = { source: createRoutingSource(deps), serves: () => true, note: undefined }
  const onChain = createOnChainSources(deps)
  const local = [routed, ...onChain].map(({ source, serves, note }) => {
    const whole = withExactOutput(alterSource(source))
    return {
      serves,
      note,
      source: dispatchSource({ now: passedMs, observe }, { source: whole, limits: own }),
    }
  })
  const gasPriceWei = async (chainId: number) => {
    const client = deps.clients.find((candidate) => candidate.chainId === chainId)?.client
    return client ? BigInt(await client.request({ method: 'eth_gasPrice' })) : 0n
  }
  const remote = startProviders({ now, passedMs, gasPriceWei }, { settings, allowPrivate })
  const asked = remote.map(({ provider }) => provider.name)
  requireKnown(unlistedSources, { known: asked, to: 'on without a list' })
  const lists = targetsOf(settings, unlistedSources)
  const hasRow = (provider: string, chainId: number) =>
    lists.some((row) => row.provider === provider && row.chainId === chainId)
  const dispatched = remote.map(({ source, setting, provider }) => {
    const { timeoutMs = defaultLimits.timeoutMs } = setting
    const limits = { ...defaultLimits, timeoutMs }
    const isReference = provider.isPriceOnly === true
    const altered = alterSource(source)
    const whole = isReference ? altered : withExactOutput(altered)
    const isOff = !isReference && !chains.some(({ chainId }) => hasRow(provider.name, chainId))
    const note = isReference
      ? 'a price to compare with: its orders are signed, not sent'
      : isOff
        ? 'no list of its contracts is known: META_UNLISTED_SOURCES turns it on'
        : undefined
    // A price needs no contracts; a payload does.
    const serves = (chainId: number) =>
      getChain(chainId)?.providers[provider.name] !== undefined &&
      (isReference || hasRow(provider.name, chainId))
    const behind = dispatchSource({ now: passedMs, observe }, { source: whole, limits })
    return { serves, note, source: behind }
  })
  const all = [...local, ...dispatched]
  const off = new Set(config.sourcesOff)
  requireKnown([...off], { known: all.map(({ source }) => source.name), to: 'off' })
  return {
    targets: [...routingTargets(deps), ...onChain.flatMap(({ targets }) => targets), ...lists],
    sources: all.filter(({ source }) => !off.has(source.name)),
    close: async () => {
      await Promise.all(remote.map(({ http }) => http.close()))
    },
  }
}

/** The meta-aggregator, wired from what `app.ts` shares between the services. */
export function createMeta(deps: MetaDeps): Meta {
  const { deadlineMs = 12_000, patienceMs = 3_000 } = deps.config
  const { now, log } = deps
  const { sources, targets, close } = startSources(deps)
  const clientOf = (chainId: number) => deps.clients.find((client) => client.chainId === chainId)
  const priceGas = createPriceGas({
    now: passedMs,
    clientOf,
    price: async (p) => {
      const answer = await deps.quote({ ...p, slippageBps: 50 })
      return answer.status === 'ok' ? answer.quote.amountOut : undefined
    },
  })
  const chainIds = deps.clients.map(({ chainId }) => chainId)
  const sourceStates = () =>
    sources.map(({ source, serves, note }) => ({
      name: source.name,
      note,
      chainIds: chainIds.filter(serves),
      ...source.state(),
    }))
  const endpoints = metaRoutes({
    now,
    keys: deps.config.keys,
    streamCaps: deps.config.streamCaps,
    onFault: ({ provider, error }) => log.error({ err: error, provider }, 'a source threw'),
    // A source that does not serve the chain is not asked, rather than reported as failing.
    sourcesFor: ({ chainId }) =>
      sources.flatMap(({ source, serves }) => (serves(chainId) ? [source] : [])),
    targets,
    isToken: deps.isToken,
    findAllowance: createFindAllowance({
      clientOf,
      tokensOf: (chainId) => seedTokens(chainId).map(({ address }) => address),
    }),
    findSettlers: createFindSettlers({ clientOf }),
    takeTurn: createTurns({ roomOf: (chainId) => clientOf(chainId)?.roomFor('meta') ?? 1 }),
    deadlineMs,
    patienceMs,
    worth: createSourceWorth({ now: passedMs, always: ['routing'] }),
    priceGas,
    findProxy: createFindProxy({ clientOf, log }),
    dryRunOf: deps.dryRunOf,
    commonTokensOf: (chainId) => clientOf(chainId)?.chain.hubTokens ?? [],
    chainIds,
    sourceNames: sources.map(({ source }) => source.name),
    sourceStates,
    leftOut: listLeftOut(deps),
  })
  return { endpoints, sourceStates, close }
}
