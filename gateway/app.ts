import { createAccess } from './access/access.ts'
import { startAccessJobs } from './access/startAccessJobs.ts'
import { accessEndpoints } from './access/wire/routes.ts'
import type { Config } from './config/config.ts'
import { openOps } from './ops/openOps.ts'
import { createWarnings } from './ops/readiness.ts'
import { connectChains } from './parts/connectChains.ts'
import { createHolders } from './parts/holders.ts'
import { listenAll } from './parts/listenAll.ts'
import { listSold } from './parts/listSold.ts'
import type { Observed } from './parts/observed.ts'
import { openBuckets } from './parts/openBuckets.ts'
import { openBudgets } from './parts/openBudgets.ts'
import { openKeys } from './parts/openKeys.ts'
import { openStore } from './parts/openStore.ts'
import { startMeta } from './parts/startMeta.ts'
import { startRouting } from './parts/startRouting.ts'
import { startSimulator } from './parts/startSimulator.ts'
import { toAccessDeps } from './parts/toAccessDeps.ts'
import { toServices } from './parts/toServices.ts'
import { wireRelay } from './parts/wireRelay.ts'

export type Gateway = {
  /** Base URLs by service, of those that are served. */
  readonly listeners: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Who asks again and again on a connection has done so by then, and was told to use no other. */
const lingerMs = 500

/** Wires the system: one store, client per chain and simulator for all. Resolves once every listener answers. */
export async function createGateway(config: Config, observed: Observed): Promise<Gateway> {
  const lab = await openLab(config, observed)
  const ops = await openOps(config, observed, lab?.ops)
  const keys = openKeys(config)
  const budgets = openBudgets(config, observed)
  const clients = await connectChains(config, { ...observed, budgets, lab })
  const store = await openStore(config, { ...observed, readiness: ops.readiness, keys })
  const limits = await Promise.all(clients.map((client) => client.remember(store.nodeLimits)))
  const holders = createHolders()
  const simulator = await startSimulator(config, { ...observed, store, clients, holders })
  const buckets = await openBuckets(config, observed)
  const { warnings, observeCharge } = createWarnings({ buckets, store })
  const shared = { ...observed, store, clients, simulator, keys, warnings }
  // Payments and deployments wait for nobody.
  const paid = { ...shared, clients: clients.map((client) => client.as('relay')) }
  const accessDeps = toAccessDeps(config, { ...paid, buckets, observeCharge })
  const routing = await startRouting(config, { ...shared, contracts: accessDeps.config.contracts })
  holders.knownBy(routing)
  const jobs = startAccessJobs(accessDeps)
  const meta = startMeta(config, { ...shared, routing, lab })
  lab?.serve(config, { ...shared, routing })
  const relay = wireRelay({ ...paid, chains: config.chains, rules: config.relay.rules })
  relay.start()
  const sold = listSold(config, { routing: routing.endpoints, meta: meta.endpoints })
  const endpoints = {
    routing: [...routing.endpoints, ...accessEndpoints(accessDeps, sold)],
    meta: meta.endpoints,
    relay: relay.endpoints,
  }
  const specs = toServices(config, { endpoints, access: createAccess(accessDeps), lab })
  const listening = await listenAll(config, specs, observed)
  ops.serves({ routing, relay, simulator, store, warnings })
  return {
    listeners: Object.fromEntries([...listening, ...ops.listening].map(([n, { url }]) => [n, url])),
    async close() {
      ops.readiness.drains()
      const closing = { graceMs: config.shutdownGraceMs, lingerMs }
      await Promise.all(listening.map(([, service]) => service.close(closing)))
      await Promise.all([meta.close(), relay.close(), jobs.close()])
      await routing.close()
      await Promise.all([simulator.close(), buckets?.close()])
      for (const learned of limits) await learned.close()
      for (const client of clients) client.close()
      await store.close()
      await ops.close()
    },
  }
}

/** A production image has no such folder, and no such settings. */
async function openLab({ labReachPath, labToken }: Config, { log }: Observed) {
  if (labReachPath === undefined || labToken === undefined) return undefined
  const { createLabControl } = await import('./lab/control/labControl.ts')
  return createLabControl({ manifestPath: labReachPath, log })
}
