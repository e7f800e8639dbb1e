import type { Abi } from 'viem'
import {
  quotaManager,
  swapExecutor,
  userProxyFactoryV6,
  userProxyV6,
} from '../contracts/artifacts.ts'
import { createContainerForks } from '../simulator/containers/containerForks.ts'
import type { Freshness } from '../simulator/generations.ts'
import { createSimulator, type Simulator } from '../simulator/simulator.ts'
import type { AccessDeps, QuotaContract } from './access/accessConfig.ts'
import { createAccess } from './access/createAccess.ts'
import { describeSale } from './access/describeSale.ts'
import { accessEndpoints } from './access/routes.ts'
import { openSharedBuckets, type SharedBuckets } from './access/sharedBuckets.ts'
import { startAccessJobs } from './access/startAccessJobs.ts'
import { createSettlementSigner } from './access/x402/settlementSigner.ts'
import {
  type ChainClient,
  ChainUnavailable,
  createChainClient,
  isCausedBy,
} from './chain/client.ts'
import { getDexes } from './chain/dexes.ts'
import type { ChainConfig, Config, ListenerConfig } from './config.ts'
import { createForkMetrics } from './forkMetrics.ts'
import { listenAll, type ServiceSpec } from './listenAll.ts'
import { createMeta } from './meta/createMeta.ts'
import type { Log, Metrics } from './observe.ts'
import { openOps } from './openOps.ts'
import { createWarnings, type GatewayReadiness } from './ops/readiness.ts'
import { createRouting, type Routing } from './routing/createRouting.ts'
import type { DigestKey } from './signing/digestKey.ts'
import { openRelayerKey } from './signing/openRelayerKey.ts'
import { createSourceMetrics } from './sourceMetrics.ts'
import type { Store } from './store/createPorts.ts'
import { waitForStore } from './store/waitForStore.ts'
import { showSync } from './syncMetrics.ts'
import { version } from './version.ts'
import { wireRelay } from './wireRelay.ts'

export type Gateway = {
  /** Base URLs by service, of those that are served. */
  readonly listeners: Readonly<Record<string, string>>
  close(): Promise<void>
}

type Observed = { readonly log: Log; readonly metrics: Metrics }

/** Raw USDC per quote: 0.0001 USD, as the quota contracts have it built in. */
const amountPerQuote = 100n
/** Quotes in one x402 top-up. */
const packQuotes = 1_000

/** Quota contracts of the chains where quota is sold; x402 payments are settled where a relayer key is. */
function toQuotaContracts({ chains, claims }: Config, keys: ReadonlyMap<number, DigestKey>) {
  return chains.flatMap(({ chain, quotaManager: address, settlementLimits: limits }) => {
    if (!address) return []
    const { chainId, usdc: token } = chain
    const key = keys.get(chainId)
    const contract = {
      chainId,
      address,
      token,
      confirmations: claims.confirmations,
      finalizedFrom: claims.finalizedAbove,
    }
    if (!key || !limits) return [contract]
    const place = { chainId, token: token.address, payTo: address }
    const signer = createSettlementSigner({ ...place, maxFeeWei: limits.maxFeeWei, key })
    return [{ ...contract, settlement: { signer, limits } }]
  })
}

const baseUrl = (listener: ListenerConfig) =>
  listener.publicUrl ?? `http://${listener.host}:${listener.port}`

function toAccessDeps(
  config: Config,
  {
    store,
    clients,
    keys,
    log,
    ...others
  }: Pick<AccessDeps, 'buckets' | 'observeCharge'> & {
    store: Store
    clients: readonly ChainClient[]
    keys: ReadonlyMap<number, DigestKey>
    log: Log
  },
): AccessDeps {
  const toLimit = (limit: { perSecond: number; burst: number }) => ({
    unitsPerSec: limit.perSecond,
    burst: limit.burst,
  })
  return {
    store,
    chains: clients,
    config: {
      keyPrefix: config.keyPrefix,
      pepper: config.keyPepper,
      publicUrl: baseUrl(config.routing),
      serviceName: config.serviceName,
      freeQuota: config.freeQuota,
      amountPerQuote,
      packQuotes,
      keyLimit: toLimit(config.rateLimit),
      ipLimit: config.ipRateLimit && toLimit(config.ipRateLimit),
      isLoopbackLimited: config.mode === 'live',
      contracts: toQuotaContracts(config, keys),
    },
    now: Date.now,
    log,
    ...others,
  }
}

/** Where rate limits are shared, if anywhere; the gateway works without it. */
const openBuckets = async (
  { redisUrl }: Config,
  { log, metrics }: Observed,
): Promise<SharedBuckets | undefined> => {
  if (redisUrl === undefined) return undefined
  const buckets = await openSharedBuckets({
    url: redisUrl,
    observe(event) {
      log[event.event === 'lost' ? 'warn' : 'info'](event, `shared rate limits: ${event.event}`)
    },
  })
  metrics.showSharedLimits(buckets.isConnected)
  return buckets
}

/** Whose custom errors simulations show by name. */
const knownAbis: readonly Abi[] = [
  quotaManager.abi,
  swapExecutor.abi,
  userProxyFactoryV6.abi,
  userProxyV6.abi,
]

/** A node of another chain ends the start; one that is away is asked for its chain before its first use. */
async function connect({ chains }: Config, { log }: Observed): Promise<readonly ChainClient[]> {
  const clients = chains.map(({ chain, rpcUrls }) =>
    createChainClient({ chain, rpcUrls, trust: 'shown' }),
  )
  const check = (client: ChainClient) =>
    client.checkChainId().catch((error: unknown) => {
      if (!isCausedBy(error, ChainUnavailable)) throw error
      log.warn({ chainId: client.chainId }, 'this chain is out of reach: it starts when it answers')
    })
  await Promise.all(clients.map(check))
  return clients
}

/** A lab's chain mines with each transaction, which must be seen at once; a live one has fast blocks. */
const freshnessOf: Record<Config['mode'], Freshness> = {
  offline: { mode: 'head' },
  forked: { mode: 'head' },
  live: { mode: 'interval', everyMs: 1_000, lagBlocks: 1 },
}

const startSimulator = async (
  { chains, mode, simulatordUrl }: Config,
  { log, metrics, store }: Observed & { readonly store: Store },
): Promise<Simulator> => {
  const forkMetrics = createForkMetrics(metrics)
  const simulator = await createSimulator({
    chains: chains.flatMap(({ chain, rpcUrls: [upstreamUrl, ...fallbackUrls] }) =>
      upstreamUrl
        ? [{ chainId: chain.chainId, upstreamUrl, fallbackUrls, freshness: freshnessOf[mode] }]
        : [],
    ),
    ...(simulatordUrl === undefined ? {} : { forks: createContainerForks({ url: simulatordUrl }) }),
    abis: knownAbis,
    slots: store.slots,
    log(event) {
      forkMetrics.happened(event)
      log.info(event, 'simulator')
    },
  })
  forkMetrics.show(
    simulator,
    chains.map(({ chain }) => chain.chainId),
  )
  return simulator
}

const startRouting = (
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
): Promise<Routing> =>
  createRouting({
    chains: clients.map((chainClient) => ({
      chainClient,
      ...toRoutingSource(findChain(config, chainClient.chainId)),
      // A lab chain mines on demand: whoever has just sent a transaction wants to see it.
      ...(config.mode === 'live' ? {} : { maxAgeMs: 0, pollMs: labPollMs }),
    })),
    // Nobody uses a lab before all of it is there.
    ...(config.mode === 'live' ? { startWithinMs } : {}),
    simulator,
    // A database of one machine has nobody to elect.
    ...(config.databaseUrl === undefined ? { snapshots: store.pools } : { shared: store }),
    serviceName: config.serviceName,
    version,
    publicUrl: baseUrl(config.routing),
    ...describeSale(contracts),
    registrations: config.agentRegistrations,
    warnings,
    observe(event) {
      metrics.synced(event)
      log[event.event === 'failed' || event.event === 'reorged' ? 'warn' : 'info'](
        event,
        `sync: ${event.event}`,
      )
    },
  })

const labPollMs = 100
/** A chain whose first load takes longer joins those that are served by then. */
const startWithinMs = 20_000

function toRoutingSource(chain: ChainConfig | undefined) {
  const { executor, forkOrigin } = chain ?? {}
  if (!chain || !forkOrigin) return { executor }
  const { client } = createChainClient({ chain: chain.chain, rpcUrls: [forkOrigin.rpcUrl] })
  return { executor, origin: { client, blockNumber: forkOrigin.blockNumber } }
}

const findChain = ({ chains }: Config, chainId: number) =>
  chains.find(({ chain }) => chain.chainId === chainId)

async function openStore(
  config: Config,
  { log, readiness }: { readonly log: Log; readonly readiness: GatewayReadiness },
): ReturnType<typeof waitForStore> {
  let isWaiting = false
  const store = await waitForStore(config, {
    failed: (cause) => log.warn({ reason: cause.name }, 'a database connection was lost'),
    waiting({ name, message }) {
      readiness.lacksDatabase()
      if (!isWaiting) log.warn({ reason: `${name}: ${message}` }, 'waiting for the database')
      isWaiting = true
    },
  })
  readiness.starts()
  return store
}

/**
 * Wires the whole system: one store, one client per chain, one simulator, shared by the services.
 * Resolves once every enabled listener answers.
 */
export async function createGateway(config: Config, observed: Observed): Promise<Gateway> {
  const { log, metrics } = observed
  const ops = await openOps(config, observed)
  const keys = new Map(
    config.chains.flatMap(({ chain: { chainId }, relayer: source }) =>
      source ? [[chainId, openRelayerKey({ mode: config.mode, chainId, source })] as const] : [],
    ),
  )
  const clients = await connect(config, observed)
  const store = await openStore(config, { log, readiness: ops.readiness })
  const simulator = await startSimulator(config, { ...observed, store })
  const buckets = await openBuckets(config, observed)
  const { warnings, observeCharge } = createWarnings({ buckets })
  const accessDeps = toAccessDeps(config, { store, clients, keys, log, buckets, observeCharge })
  const { contracts } = accessDeps.config
  const shared = { ...observed, store, clients, simulator, warnings, contracts }
  const routing = await startRouting(config, shared)
  showSync(metrics, routing)
  const access = createAccess(accessDeps)
  const jobs = startAccessJobs(accessDeps)
  const sourceMetrics = createSourceMetrics(metrics)
  const meta = createMeta({
    quote: routing.quote,
    clients,
    dexesOf: getDexes,
    executorOf: (chainId) => findChain(config, chainId)?.executor,
    taxOf: routing.taxOf,
    poolsBetween: routing.poolsBetween,
    dryRunOf: (chainId) => (findChain(config, chainId) ? simulator.simulateCandidates : undefined),
    config: config.meta,
    now: Date.now,
    log,
    observe: sourceMetrics.answered,
  })
  sourceMetrics.show(meta.sourceStates)
  const relay = wireRelay({ store, simulator, clients, chains: config.chains, keys, log, metrics })
  relay.start()

  const specs: readonly ServiceSpec[] = [
    {
      name: 'routing',
      title: 'Forkyard routing',
      listener: config.routing,
      endpoints: [...routing.endpoints, ...accessEndpoints(accessDeps)],
      access,
    },
    {
      name: 'meta',
      title: 'Forkyard meta-aggregator',
      listener: config.meta,
      endpoints: meta.endpoints,
      access,
      requestIdField: 'requestId',
    },
    {
      name: 'relay',
      title: 'Forkyard relay',
      listener: config.relay,
      endpoints: relay.endpoints,
      access,
    },
  ]
  const listening = await listenAll(config, specs, observed)
  ops.readiness.serves({ routing, store, warnings })
  const all = [...listening, ...ops.listening]
  return {
    listeners: Object.fromEntries(all.map(([name, { url }]) => [name, url])),
    async close() {
      ops.readiness.drains()
      await Promise.all(listening.map(([, service]) => service.close()))
      await Promise.all([meta.close(), relay.close(), jobs.close()])
      await routing.close()
      await simulator.close()
      await buckets?.close()
      for (const client of clients) client.close()
      await store.close()
      await ops.close()
    },
  }
}
