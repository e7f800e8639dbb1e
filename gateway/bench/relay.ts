import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import type { Address } from 'viem'
import { type FaultProxy, startFaultProxy } from '../../fixtures/faultProxy.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relayStand.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'

/**
 * `npm run bench:relay [requests]`: how many requests per second each outcome of `POST /api/proxy` holds, over
 * HTTP, SQLite on disk and a real chain with its simulator; and what a request costs upstream.
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

const owners = Array.from({ length: requests }, (_, index) => ownerAt(index, 'bench'))
await prepareOwners(chain, owners)
const generous = { maxDeploysPerHour: 1_000_000, maxSpendPerHourWei: 10n ** 24n }
const open = await startRelayStand({
  chain,
  simulator,
  rpcUrl: upstream.rpcUrl,
  path: join(dir, 'open.sqlite'),
  limits: generous,
})
const capped = await startRelayStand({
  chain,
  simulator,
  rpcUrl: upstream.rpcUrl,
  path: join(dir, 'capped.sqlite'),
  limits: { maxDeploysPerHour: 0 },
})
const poor = owners.map((_, index) => ownerAt(index, 'poor'))
const warmUp = poor.slice(0, 32)
await measure(warmUp, open, 400)

const table = new Table({
  head: ['outcome', 'req/s', 'p50 ms', 'p99 ms', 'relay: upstream trips', 'forks: upstream trips'],
})
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
  table.push([name, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), ...perRequest])
}
process.stdout.write(`${table.toString()}\n${requests} requests, ${inFlight} at a time\n`)
await open.relay.reconcile()
const [row] = await open.relay.history({ limit: 1 })
process.stdout.write(`gas limit signed for a deployment: ${row?.attempts[0].gasLimit}\n`)
await open.close()
await capped.close()
await simulator.close()
await upstream.close()
await forkUpstream.close()
await chain.close()
rmSync(dir, { recursive: true })
