import type { Simulator } from '../../simulator/simulator.ts'
import type { QuotaContract } from '../access/sale/accessConfig.ts'
import { describeSale } from '../access/sale/describeSale.ts'
import { type ChainClient, createChainClient } from '../chain/client.ts'
import type { ChainConfig, Config } from '../config/config.ts'
import { createSyncLog } from '../observe/syncLog.ts'
import { showSync } from '../observe/syncMetrics.ts'
import { createRouting, type Routing } from '../routing/service/routing.ts'
import { version } from '../runtime/version.ts'
import type { Store } from '../store/ports.ts'
import { baseUrl } from './baseUrl.ts'
import { findChain } from './findChain.ts'
import type { Observed } from './observed.ts'

const labPollMs = 100
/** Fees that are set elsewhere, rates, amplification: on a chain of fast blocks they move no faster. */
const refreshMs = 2_000
/** A chain whose first load takes longer joins those that are served by then. */
const startWithinMs = 20_000

/** Routing over every configured chain. */
export async function startRouting(
  config: Config,
  {
    clients,
    simulator,
    store,
    log,
    metrics,
    warnings,
    contracts,
  }: Observed & {
    readonly contracts: readonly QuotaContract[]
    readonly store: Store
    readonly clients: readonly ChainClient[]
    readonly simulator: Simulator
    readonly warnings: () => readonly string[]
  },
): Promise<Routing> {
  const tell = createSyncLog(log, { now: () => performance.now() })
  const routing = await createRouting({
    chains: clients.map((chainClient) => ({
      chainClient,
      limits: config.poolLimits,
      ...toRoutingSource(findChain(config, chainClient.chainId)),
      // A lab chain mines on demand: whoever has just sent a transaction wants to see it.
      ...(config.freshness === 'head' ? { maxAgeMs: 0, pollMs: labPollMs } : {}),
      // Nobody uses a lab before all of it is there.
      loadsFirst: config.mode === 'live' ? 'majors' : 'all',
      ...(config.mode === 'live' ? { refreshMs, isPaced: config.freshness === 'interval' } : {}),
    })),
    ...(config.mode === 'live' ? { startWithinMs } : {}),
    simulator,
    patienceMs: config.unknownPoolPatienceMs,
    searchThreads: config.routingThreads,
    // A database of one machine has nobody to elect.
    ...(config.databaseUrl === undefined ? { snapshots: store.pools } : { shared: store }),
    serviceName: config.serviceName,
    version,
    publicUrl: baseUrl(config.routing),
    ...describeSale(contracts),
    registrations: config.agentRegistrations,
    mcpUrl: config.mcpUrl,
    warnings,
    observe(event) {
      metrics.synced(event)
      tell(event)
    },
  })
  showSync(metrics, routing)
  return routing
}

function toRoutingSource(chain: ChainConfig | undefined) {
  const { executor, trusted, forkOrigin } = chain ?? {}
  if (!chain || !forkOrigin) return { executor, trusted }
  const { client } = createChainClient({ chain: chain.chain, rpcUrls: [forkOrigin.rpcUrl] })
  return { executor, trusted, origin: { client, blockNumber: forkOrigin.blockNumber } }
}
