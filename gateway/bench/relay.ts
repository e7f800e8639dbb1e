import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import type { Address } from 'viem'
import { type FaultProxy, startFaultProxy } from '../../fixtures/faultProxy.ts'
import { startPostgres } from '../../fixtures/postgres.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relayStand.ts'
import { waitForReceipt } from '../../fixtures/send.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import type { RelayLimits } from '../relay/limits.ts'
import type { Store } from '../store/createPorts.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'
import { openPostgresStore } from '../store/openPostgresStore.ts'

/**
 * `npm run bench:relay [requests]`: how many requests per second each outcome of `POST /api/proxy` holds, over
 * HTTP, each engine of the store and a real chain with its simulator; and what a request costs upstream.
 */
const requests = Number(process.argv[2] ?? 300)
const inFlight = 16
const dir = mkdtempSync(join(tmpdir(), 'relay-bench-'))
const chain = await startWorldChain({ chainId: 8453 })
const { chainId } = chain
const upstream = await startFaultProxy({ target: chain.rpcUrl })
const forkUpstream = await startFaultProxy({ target: chain.rpcUrl })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: forkUpstream.rpcUrl }] })

type Figures = { readonly perSecond: number; readonly p50: number; readonly p99: number }

async function measure(owners: readonly Address[], stand: RelayStand, status: number) {
  const times: number[] = []
  const queue = [...owners]
  async function client() {
    for (let owner = queue.pop(); owner; owner = queue.pop()) {
      const started = performance.now()
      const answer = await stand.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
      times.push(performance.now() - started)
      if (answer.status !== status) throw new Error(`${answer.status}: ${answer.body.error}`)
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

function count({ seen }: FaultProxy): number {
  return seen.requests
}

const generous = { maxDeploysPerHour: 1_000_000, maxSpendPerHourWei: 10n ** 24n }
const postgres = await startPostgres()
const table = new Table({
  head: ['outcome', 'req/s', 'p50 ms', 'p99 ms', 'relay: upstream trips', 'forks: upstream trips'],
})

type Stores = { readonly open: OpenStore; readonly capped: OpenStore }
type OpenStore = Store & { close(): Promise<void> }

async function measureEngine(engine: string, stores: Stores): Promise<void> {
  const owners = Array.from({ length: requests }, (_, index) => ownerAt(index, `bench ${engine}`))
  await prepareOwners(chain, owners)
  const start = (store: Store, limits: Partial<RelayLimits>) =>
    startRelayStand({ chain, simulator, rpcUrl: upstream.rpcUrl, store, limits })
  const open = await start(stores.open, generous)
  const capped = await start(stores.capped, { maxDeploysPerHour: 0 })
  const poor = owners.map((_, index) => ownerAt(index, `poor ${engine}`))
  await measure(poor.slice(0, 32), open, 400)
  const rows: readonly (readonly [string, readonly Address[], RelayStand, number])[] = [
    ['refused at gate 3 (native balance)', poor, open, 400],
    ['refused at gate 9 (deploy cap)', owners, capped, 429],
    ['deployed: signed, durable, broadcast', owners, open, 200],
    ['answered from the pending marker or the proxy', owners, open, 200],
  ]
  for (const [name, who, stand, status] of rows) {
    const before = [count(upstream), count(forkUpstream)] as const
    const { perSecond, p50, p99 } = await measure(who, stand, status)
    const trips = [count(upstream) - before[0], count(forkUpstream) - before[1]]
    const perRequest = trips.map((sum) => (sum / who.length).toFixed(2))
    const title = `${engine}: ${name}`
    table.push([title, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), ...perRequest])
  }
  await open.relay.reconcile()
  const [row] = await open.relay.history({ limit: 1 })
  const { gasUsed } = await waitForReceipt({
    rpcUrl: chain.rpcUrl,
    hash: row?.attempts[0].hash ?? '0x',
  })
  process.stdout.write(`a deployment: ${gasUsed} gas, limit ${row?.attempts[0].gasLimit}\n`)
  await open.close()
  await capped.close()
  await stores.open.close()
  await stores.capped.close()
}

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
await upstream.close()
await forkUpstream.close()
await chain.close()
rmSync(dir, { recursive: true })
