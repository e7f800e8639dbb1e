import { subscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { Agent, request } from 'undici'
import type { Address } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { startPostgres } from '../../fixtures/store/postgres.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import type { Freshness } from '../../simulator/freshness.ts'
import type { RpcOutcome } from '../../simulator/rpc/rpcBatch.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import type { AskUpstream } from '../../simulator/upstream.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { askThrough, freshnessOf } from '../parts/startSimulator.ts'
import { quoteFees, readFees } from '../relay/fees.ts'
import { defaultLimits, type RelayLimits } from '../relay/limits.ts'
import { createSigner } from '../relay/signer.ts'
import { createChainSimulator } from '../relay/simulateOnChain.ts'
import { createMemoryKey } from '../signing/digestKey.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'
import { openPostgresStore } from '../store/openPostgresStore.ts'
import type { Store } from '../store/ports.ts'

/**
 * `npm run bench:relay [requests] [forks]`: how many requests per second each outcome of `POST /api/proxy` holds,
 * over HTTP, each engine of the store and a real chain with its simulator; and what a request costs upstream.
 * `forks`: the simulator's node has no `eth_simulateV1`, so that deployments are tried on forks.
 */
const requests = Number(process.argv[2] ?? 300)
const isOnForks = process.argv[3] === 'forks'
const inFlight = 16
const dir = mkdtempSync(join(tmpdir(), 'relay-bench-'))
const chain = await startWorldChain({ chainId: 8453 })
const { chainId } = chain
const rpc = createRpc(chain.rpcUrl)
/** The chain's node by two names, to tell by whom it was asked: nothing stands in between that takes time. */
const [upstreamUrl, forkUpstreamUrl] = [`${chain.rpcUrl}/?relay`, `${chain.rpcUrl}/?forks`]
const trips = new Map<string, number>()
subscribe('undici:request:create', (message) => {
  const { path } = (message as { readonly request: { readonly path: string } }).request
  trips.set(path, (trips.get(path) ?? 0) + 1)
})
const clients = new Agent({ connections: inFlight })
const forkClient = connectChain(forkUpstreamUrl)
/** As the gateway's simulator asks. */
const askNode = askThrough(forkClient)
const missing: RpcOutcome = { ok: false, code: -32601, message: 'not found', data: undefined }
const ask: AskUpstream = async (calls, purpose, whom) =>
  isOnForks && calls.some(({ method }) => method === 'eth_simulateV1')
    ? calls.map(() => missing)
    : askNode(calls, purpose, whom)
const startForks = (freshness: Freshness) =>
  createSimulator({ chains: [{ chainId, upstreamUrl: forkUpstreamUrl, freshness, ask }] })
const simulator = await startForks(freshnessOf.head)

/** As on Arbitrum One. Else each deployment is a block of its own. */
const blockMs = 250

/** Work while blocks come by the clock, whatever was sent. */
async function onLiveChain<result>(work: () => Promise<result>): Promise<result> {
  await rpc('evm_setAutomine', false)
  let mined: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    mined = rpc('evm_mine')
  }, blockMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await mined
    await rpc('evm_setAutomine', true)
    await rpc('evm_mine')
  }
}

type Figures = { readonly perSecond: number; readonly p50: number; readonly p99: number }

/** Asks for each owner, so many at a time. */
async function measure(owners: readonly Address[], ask: (owner: Address) => Promise<unknown>) {
  const times: number[] = []
  const queue = [...owners]
  async function client() {
    for (let owner = queue.pop(); owner; owner = queue.pop()) {
      const started = performance.now()
      await ask(owner)
      times.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: inFlight }, client))
  const elapsedMs = performance.now() - started
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  const figures: Figures = {
    perSecond: (owners.length * 1000) / elapsedMs,
    p50: at(0.5),
    p99: at(0.99),
  }
  return figures
}

const askRelay = (stand: RelayStand, status: number) => async (owner: Address) => {
  const { statusCode, body } = await request(`${stand.url}/api/proxy`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chainId, owner, tokenIn: lyingToken, amountIn: '1' }),
    dispatcher: clients,
  })
  const text = await body.text()
  if (statusCode !== status) throw new Error(`${statusCode}: ${text}`)
}

/**
 * What any relay does at least, without gates, book, HTTP or a database: simulate the deployment by gas
 * estimate, read the fees, sign, send.
 */
function createBareRelay() {
  const { relayer, proxyFactory: factory } = chain.manifest
  const key = createMemoryKey(relayer.privateKey)
  const signer = createSigner({ chainId, factory, key })
  const client = connectChain(upstreamUrl)
  const bareSimulator = createChainSimulator([client])
  let next: number | undefined
  async function simulate(owner: Address) {
    const place = { chainId, factory, owner, tokenIn: lyingToken, relayer: relayer.address }
    const { deploy } = await bareSimulator.simulateDeploy(place)
    return deploy.status === 'ok' ? deploy.gasUsed : 0n
  }
  return {
    simulate,
    async deploy(owner: Address) {
      const fees = readFees(client, { relayer: relayer.address, factory, owner })
      const [gasUsed, snapshot] = await Promise.all([simulate(owner), fees])
      const own = next ?? snapshot.relayerNonce
      next = own + 1
      const quote = quoteFees(snapshot, { gasUsed, limits: defaultLimits })
      const { raw } = await signer.signDeploy({ ...quote, owner, nonce: own })
      await client.client.request({ method: 'eth_sendRawTransaction', params: [raw] })
    },
    close: client.close,
  }
}

function connectChain(rpcUrl: string) {
  const data = getChain(chainId)
  if (!data) throw new Error(`no chain ${chainId}`)
  return createChainClient({ chain: data, rpcUrls: [rpcUrl] })
}

const countTrips = () => ['/?relay', '/?forks'].map((path) => trips.get(path) ?? 0)

const generous = { maxDeploysPerHour: 1_000_000, maxSpendPerHourWei: 10n ** 24n }
const postgres = await startPostgres()
const table = new Table({
  head: ['outcome', 'req/s', 'of bare', 'p50 ms', 'p99 ms', 'relay: trips', 'simulations: trips'],
})
const rates = { simulate: 0, deploy: 0, live: 0 }

async function addRow(
  title: string,
  {
    owners,
    ask,
    against,
  }: {
    readonly owners: readonly Address[]
    readonly ask: (owner: Address) => Promise<unknown>
    /** The bare work that this does more than. */
    readonly against: keyof typeof rates
  },
): Promise<number> {
  const before = countTrips()
  const { perSecond, p50, p99 } = await measure(owners, ask)
  const made = countTrips().map((sum, index) => sum - (before[index] ?? 0))
  const share = rates[against] === 0 ? 1 : perSecond / rates[against]
  table.push([
    title,
    perSecond.toFixed(0),
    `${share.toFixed(2)}x`,
    p50.toFixed(0),
    p99.toFixed(0),
    ...made.map((sum) => (sum / owners.length).toFixed(2)),
  ])
  return perSecond
}

async function prepare(name: string): Promise<readonly Address[]> {
  const owners = Array.from({ length: requests }, (_, index) => ownerAt(index, `bench ${name}`))
  await prepareOwners(chain, owners)
  return owners
}

async function measureBare(): Promise<void> {
  const owners = await prepare('bare')
  const bare = createBareRelay()
  await measure(owners.slice(0, 32), bare.simulate)
  const simulate = { owners, ask: bare.simulate, against: 'simulate' } as const
  rates.simulate = await addRow('bare: simulated on the chain', simulate)
  const deploy = { owners, ask: bare.deploy, against: 'deploy' } as const
  rates.deploy = await addRow('bare: simulated, priced, signed, sent', deploy)
  const live = { ...deploy, owners: await prepare('bare, live'), against: 'live' } as const
  rates.live = await onLiveChain(() => addRow(`bare: the same, a block each ${blockMs} ms`, live))
  bare.close()
}

type Stores = { readonly open: OpenStore; readonly capped: OpenStore }
type OpenStore = Store & { close(): Promise<void> }

async function measureEngine(engine: string, stores: Stores): Promise<void> {
  const owners = await prepare(engine)
  const start = (store: Store, limits: Partial<RelayLimits>) =>
    startRelayStand({ chain, simulator, rpcUrl: upstreamUrl, store, limits })
  const open = await start(stores.open, generous)
  const capped = await start(stores.capped, { maxDeploysPerHour: 0 })
  const poor = owners.map((_, index) => ownerAt(index, `poor ${engine}`))
  await measure(poor.slice(0, 32), askRelay(open, 400))
  const rows = [
    ['refused at gate 3 (native balance)', poor, askRelay(open, 400), 'simulate'],
    ['refused at gate 9 (deploy cap)', owners, askRelay(capped, 429), 'simulate'],
    ['deployed: signed, durable, broadcast', owners, askRelay(open, 200), 'deploy'],
    ['answered from the pending marker or the proxy', owners, askRelay(open, 200), 'simulate'],
  ] as const
  for (const [name, who, ask, against] of rows)
    await addRow(`${engine}: ${name}`, { owners: who, ask, against })
  await open.relay.reconcile()
  const [row] = await open.relay.history({ limit: 1 })
  const { gasUsed } = await waitForReceipt({
    rpcUrl: chain.rpcUrl,
    hash: row?.attempts[0].hash ?? '0x',
  })
  process.stdout.write(`a deployment: ${gasUsed} gas, limit ${row?.attempts[0].gasLimit}\n`)
  await open.close()
  await capped.close()
  await measureLive(engine, stores.open)
  await stores.open.close()
  await stores.capped.close()
}

/** As a live gateway does it, on forks that follow the head. */
async function measureLive(engine: string, store: Store): Promise<void> {
  const owners = await prepare(`${engine}, live`)
  // Forks stay a block behind.
  for (let mined = 0; mined < 2; mined += 1) await rpc('evm_mine')
  const forks = await startForks(freshnessOf.interval)
  const stand = await startRelayStand({
    chain,
    simulator: forks,
    rpcUrl: upstreamUrl,
    store,
    limits: generous,
  })
  const ask = askRelay(stand, 200)
  const title = `${engine}: deployed as live, a block each ${blockMs} ms`
  await onLiveChain(() => addRow(title, { owners, ask, against: 'live' }))
  await stand.close()
  await forks.close()
}

await measureBare()
const openFile = (name: string) =>
  openConfiguredStore({ databasePath: join(dir, name), databaseUrl: undefined })
await measureEngine('SQLite', {
  open: await openFile('open.sqlite'),
  capped: await openFile('capped.sqlite'),
})
if (postgres) {
  const openServer = async () => openPostgresStore({ url: await postgres.createDatabase() })
  await measureEngine('PostgreSQL', { open: await openServer(), capped: await openServer() })
}
process.stdout.write(`${table.toString()}\n${requests} requests, ${inFlight} at a time\n`)
await postgres?.close()
await simulator.close()
forkClient.close()
await clients.close()
await chain.close()
rmSync(dir, { recursive: true })
