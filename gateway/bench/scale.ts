import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { startTrading } from '../../fixtures/chains/tradeWorld.ts'
import { query, startPostgres } from '../../fixtures/store/postgres.ts'
import { startWorldChain, type WorldChain } from '../../fixtures/world.ts'
import { createKey } from '../access/issueKeys.ts'
import { type DatabaseConfig, openConfiguredStore } from '../store/openConfiguredStore.ts'
import { type DatabaseMeter, measureRps, type RpsFigures, type Stack } from './scale/measureRps.ts'
import {
  measureRelayTakeover,
  measureSyncTakeover,
  type TakeoverTimes,
} from './scale/measureTakeovers.ts'
import { createQuoteBodies } from './scale/quoteBodies.ts'
import type { ScaleSetup } from './scale/scaleServer.ts'
import { benchAccess } from './server/benchAccess.ts'
import { startServer } from './server/startServer.ts'

/**
 * `npm run bench:scale [takeovers] [seconds]`: requests per second of `POST /quote`, keyed and durably
 * debited, of one gateway and of three on one machine; and how long it takes until another gateway does
 * what the elected one did when that is killed.
 */
const takeovers = Number(process.argv[2] ?? 6)
const seconds = Number(process.argv[3] ?? 4)
const rounds = 3
const keyCount = 100
/** A block that changes pools, as often as Base has one. */
const blockMs = 2_000

async function createKeys(database: DatabaseConfig): Promise<readonly string[]> {
  const store = await openConfiguredStore(database)
  const keys: string[] = []
  for (let index = 0; index < keyCount; index += 1) {
    const label = `bench ${index}`
    const deps = { store, config: benchAccess, now: Date.now }
    keys.push((await createKey(deps, { label, quotes: 1e9 })).apiKey)
  }
  await store.close()
  return keys
}

async function startStack(
  name: string,
  { chain, count, ...database }: ScaleSetup & { readonly count: number },
): Promise<Stack> {
  const keys = await createKeys(database)
  const setup: ScaleSetup = { chain, ...database }
  const start = (_: unknown, index: number) =>
    startServer(`${name} ${index}`, 'scale/scaleServer.ts', [JSON.stringify(setup)])
  const gateways = await Promise.all(Array.from({ length: count }, start))
  return { name, gateways, keys, database: meterOf(database.databaseUrl) }
}

function meterOf(url: string | undefined): DatabaseMeter | undefined {
  if (url === undefined || !postgres) return undefined
  const statement =
    'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()'
  return {
    pid: postgres.pid,
    async readCommits() {
      const [row] = await query(url, statement)
      return Number((row as { commits: string }).commits)
    },
  }
}

/** Processor time for each request, and how many shared a commit. */
const perRequest = ['gateways µs', 'PostgreSQL µs', 'client µs', 'a commit']

function printRps(figures: readonly RpsFigures[]): void {
  const [first] = figures
  const table = new Table({
    head: ['gateways', 'req/s', 'of the first', 'p50 ms', 'p99 ms', ...perRequest, 'failures'],
    style: { head: [], border: [] },
  })
  for (const row of figures)
    table.push([
      row.name,
      row.rps.toFixed(0),
      `${(row.rps / (first?.rps ?? row.rps)).toFixed(2)}x`,
      row.p50Ms,
      row.p99Ms,
      row.cpuMicros.toFixed(0),
      row.databaseMicros.toFixed(0),
      row.clientMicros.toFixed(0),
      row.perCommit.toFixed(1),
      row.failures,
    ])
  process.stdout.write(`${table.toString()}\n`)
}

function printTakeovers(rows: readonly (readonly [string, TakeoverTimes])[]): void {
  const table = new Table({
    head: ['until another serves', 'tries', 'p50 ms', 'worst ms'],
    style: { head: [], border: [] },
  })
  for (const [who, { usual, killed, hung }] of rows)
    for (const [what, times] of [
      ['nobody dies', usual],
      ['kill -9', killed],
      ['SIGSTOP', hung],
    ] as const) {
      const sorted = times.toSorted((a, b) => a - b)
      const p50 = sorted[Math.floor(sorted.length / 2)] ?? 0
      const worst = sorted.at(-1) ?? 0
      table.push([`${who}: ${what}`, times.length, p50.toFixed(0), worst.toFixed(0)])
    }
  process.stdout.write(`${table.toString()}\n`)
}

const postgres = await startPostgres()
if (!postgres) throw new Error('needs PostgreSQL')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-scale-'))
const chain: WorldChain = await startWorldChain({ chainId: 8453 })
const trading = await startTrading(chain)
const databasePath = join(dir, 'one.sqlite')
const onPostgres = async () => ({ databasePath, databaseUrl: await postgres.createDatabase() })
const shown = { chainId: chain.chainId, rpcUrl: chain.rpcUrl, manifest: chain.manifest }

async function benchRps(): Promise<void> {
  const [one, onPostgresOne, three] = [
    await startStack('1, SQLite', { chain: shown, count: 1, databasePath, databaseUrl: undefined }),
    await startStack('1, PostgreSQL', { chain: shown, count: 1, ...(await onPostgres()) }),
    await startStack('3, PostgreSQL', { chain: shown, count: 3, ...(await onPostgres()) }),
  ]
  const stacks = [one, onPostgresOne, three]
  let isOver = false
  async function mine(): Promise<void> {
    while (!isOver) {
      await trading.tradeV3(10n ** 16n)
      await new Promise((resolve) => setTimeout(resolve, blockMs))
    }
  }
  try {
    const bodies = await createQuoteBodies(chain, one)
    // What the model is made of: one gateway alone, at rest.
    const atRest: RpsFigures[] = []
    for (const connections of [1, 4, 33]) {
      const load = { bodies, seconds, rounds, connections }
      const name = `1, PostgreSQL, no blocks, ${connections} at once`
      atRest.push(...(await measureRps([{ ...onPostgresOne, name }], load)))
    }
    const mining = mine()
    const moving = await measureRps(stacks, { bodies, seconds, rounds, connections: 33 })
    isOver = true
    await mining
    printRps([...moving, ...atRest])
  } finally {
    isOver = true
    for (const { gateways } of stacks) for (const { stop } of gateways) stop()
  }
}

try {
  await benchRps()
  const of = async () => ({ chain, count: takeovers, database: await postgres.createDatabase() })
  printTakeovers([
    ['a block in its quotes', await measureSyncTakeover({ ...(await of()), trading })],
    ['a relayed transaction mined', await measureRelayTakeover(await of())],
  ])
} finally {
  await chain.close()
  await postgres.close()
  rmSync(dir, { recursive: true, force: true })
}
