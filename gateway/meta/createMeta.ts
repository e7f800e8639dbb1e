import type { Address } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { Log } from '../http/service.ts'
import type { TargetRow } from './checkQuote.ts'
import { type DispatchDeps, defaultLimits, dispatchSource } from './dispatch.ts'
import { createFindProxy } from './findProxy.ts'
import {
  createOnChainSources,
  listLeftOut,
  type OnChainDeps,
  type OnChainDex,
} from './onChainSources.ts'
import { createPriceGas } from './priceGas.ts'
import { type ProviderSetting, startProviders, targetsOf } from './providers.ts'
import { metaRoutes } from './routes.ts'
import type { DryRun } from './simulateQuotes.ts'
import { createRoutingSource, type RoutingDeps } from './sources/routing.ts'
import type { SourceState } from './wire/sources.ts'
import { withExactOutput } from './withExactOutput.ts'

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
  /** Undefined for a chain without a simulator. */
  readonly dryRunOf: (chainId: number) => DryRun | undefined
  readonly config: MetaConfig
  readonly now: () => number
  readonly log: Log
  readonly observe?: DispatchDeps['observe']
}

/** Thrown at start for a source to turn off that nobody knows. */
class UnknownSource extends Error {
  override readonly name = 'UnknownSource'
  constructor(name: string, known: readonly string[]) {
    super(`there is no source ${name} to turn off; known are ${known.join(', ')}`)
  }
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

/** All sources behind their policies, and how to stop those that hold connections. */
function startSources(deps: MetaDeps) {
  const { now, config, observe } = deps
  const { sourceTimeoutMs = 5_000, providers: settings = [] } = config
  const allowPrivate = config.allowPrivateProviders ?? false
  const own = { ...defaultLimits, timeoutMs: sourceTimeoutMs, concurrency: 256 }
  const routed = { source: createRoutingSource(deps), serves: () => true, note: undefined }
  const onChain = createOnChainSources(deps)
  const local = [routed, ...onChain].map(({ source, serves, note }) => {
    const whole = withExactOutput(source)
    return {
      serves,
      note,
      source: dispatchSource({ now, observe }, { source: whole, limits: own }),
    }
  })
  const gasPriceWei = async (chainId: number) => {
    const client = deps.clients.find((candidate) => candidate.chainId === chainId)?.client
    return client ? BigInt(await client.request({ method: 'eth_gasPrice' })) : 0n
  }
  const remote = startProviders({ now, gasPriceWei }, { settings, allowPrivate })
  const dispatched = remote.map(({ source, setting, provider }) => {
    const { timeoutMs = defaultLimits.timeoutMs, perSecond } = setting
    const limits = { ...defaultLimits, timeoutMs, perSecond }
    const isReference = provider.name === 'cow'
    const whole = isReference ? source : withExactOutput(source)
    const note = isReference
      ? 'a price to compare with: its orders are signed, not sent'
      : undefined
    const serves = (chainId: number) => chainId in provider.chains
    return { serves, note, source: dispatchSource({ now, observe }, { source: whole, limits }) }
  })
  const all = [...local, ...dispatched]
  const off = new Set(config.sourcesOff)
  const names = new Set(all.map(({ source }) => source.name))
  const strange = [...off].find((name) => !names.has(name))
  if (strange !== undefined) throw new UnknownSource(strange, [...names])
  return {
    targets: [
      ...routingTargets(deps),
      ...onChain.flatMap(({ targets }) => targets),
      ...targetsOf(settings),
    ],
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
    now,
    clientOf,
    price: async (p) => {
      const answer = await deps.quote({ ...p, slippageBps: 50 })
      return answer.status === 'ok' ? answer.quote.amountOut : undefined
    },
  })
  const chainIds = deps.clients.map(({ chainId }) => chainId)
  const sourceStates = () =>
    sources.map(({ source, serves, note }) => ({
      ...{ name: source.name, note, chainIds: chainIds.filter(serves) },
      ...source.state(),
    }))
  const endpoints = metaRoutes({
    now,
    onFault: ({ provider, error }) => log.error({ err: error, provider }, 'a source threw'),
    // A source that does not serve the chain is not asked, rather than reported as failing.
    sourcesFor: ({ chainId }) =>
      sources.flatMap(({ source, serves }) => (serves(chainId) ? [source] : [])),
    targets,
    deadlineMs,
    patienceMs,
    priceGas,
    findProxy: createFindProxy({ clientOf, log }),
    dryRunOf: deps.dryRunOf,
    chainIds,
    sourceNames: sources.map(({ source }) => source.name),
    sourceStates,
    leftOut: listLeftOut(deps),
  })
  return { endpoints, sourceStates, close }
}
