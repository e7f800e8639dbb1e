import type { Simulator } from '../../simulator/simulator.ts'
import { getDexes } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'
import type { Config } from '../config/config.ts'
import { createMeta, type Meta, type MetaDeps } from '../meta/service/meta.ts'
import { createSourceMetrics } from '../observe/sourceMetrics.ts'
import type { Routing } from '../routing/service/routing.ts'
import { findChain } from './findChain.ts'
import type { Observed } from './observed.ts'

/** The meta-aggregator, which asks routing in process and tries payloads on the shared simulator. */
export function startMeta(
  config: Config,
  {
    routing,
    clients,
    simulator,
    log,
    metrics,
    lab,
  }: Observed & {
    readonly routing: Routing
    readonly clients: readonly ChainClient[]
    readonly simulator: Simulator
    /** Of a lab: what goes wrong on demand. */
    readonly lab?: Pick<MetaDeps, 'alterSource'> | undefined
  },
): Meta {
  const sourceMetrics = createSourceMetrics(metrics)
  const meta = createMeta({
    quote: routing.quote,
    clients: clients.map((client) => client.as('meta')),
    dexesOf: getDexes,
    executorOf: (chainId) => findChain(config, chainId)?.executor,
    taxOf: routing.taxOf,
    poolsBetween: routing.poolsBetween,
    isToken: routing.isToken,
    dryRunOf: (chainId) => (findChain(config, chainId) ? simulator.simulateCandidates : undefined),
    config: config.meta,
    now: Date.now,
    log,
    alterSource: lab?.alterSource,
    observe: sourceMetrics.answered,
  })
  sourceMetrics.show(meta.sourceStates)
  return meta
}
