import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import pg from 'pg'
import { keccak256, stringToHex } from 'viem'
import { startPostgres } from '../../fixtures/store/postgres.ts'
import { openPostgresStore, toClientConfig } from '../store/openPostgresStore.ts'
import { openStore } from '../store/openStore.ts'
import { createPorts, type Store } from '../store/ports.ts'
import { createPostgresEngine } from '../store/postgresEngine.ts'

/**
 * `npm run bench:store [seconds]`: durable charges per second of one gateway, 100 keys, by engine and by how
 * many requests are in flight; next to the bare conditional UPDATE that any such ledger needs at least.
 */
const seconds = Number(process.argv[2] ?? 3)
const dir = mkdtempSync(join(tmpdir(), 'store-bench-'))
const postgres = await startPostgres()
if (!postgres) throw new Error('bench:store needs PostgreSQL: apt-get install postgresql')
const url = await postgres.createDatabase()
const sqlite = openStore({ path: join(dir, 'bench.sqlite') })
const shared = await openPostgresStore({ url })
const pool = new pg.Pool({ ...toClientConfig(url), max: 16 })
const unbatched = createPorts(createPostgresEngine(pool, { time: 'database' }))
const keyIds = Array.from({ length: 100 }, (_, index) => `key${index}`)

async function addKeys({ keys, ledger }: Pick<Store, 'keys' | 'ledger'>) {
  for (const id of keyIds) {
    const idHash = keccak256(stringToHex(id))
    const names = { start: 'x', label: '', wallet: undefined, scopes: ['quote'] }
    await keys.insert({ id, idHash, secretHash: Buffer.from(id), createdAtMs: 1, ...names })
    await ledger.grant({ keyId: id, units: 10 ** 9, ref: 'bench', atMs: 1 })
  }
}
await addKeys(sqlite)
await addKeys(shared)

const chargeOn =
  ({ ledger }: Pick<Store, 'ledger'>) =>
  async (keyId: string) => {
    const { status } = await ledger.charge({ keyId, units: 1, ref: 'bench', atMs: Date.now() })
    if (status !== 'charged') throw new Error(status)
  }
const bareUpdate = async (keyId: string) => {
  await pool.query({
    name: 'bare',
    text: 'UPDATE balances SET used = used + 1 WHERE key_id = $1 AND used + 1 <= total RETURNING used',
    values: [keyId],
  })
}

async function measure(work: (keyId: string) => Promise<void>, inFlight: number) {
  const times: number[] = []
  const started = performance.now()
  const endMs = started + seconds * 1000
  const cpu = process.cpuUsage()
  async function client(index: number) {
    for (let turn = index; performance.now() < endMs; turn += inFlight) {
      const from = performance.now()
      await work(keyIds[turn % keyIds.length] ?? '')
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, index) => client(index)))
  const elapsedMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2)
  return {
    perSecond: (times.length * 1000) / elapsedMs,
    row: [at(0.5), at(0.99), ((user + system) / times.length).toFixed(0)],
  }
}

const rows: readonly (readonly [string, (keyId: string) => Promise<void>])[] = [
  ['PostgreSQL, bare UPDATE, no ledger row', bareUpdate],
  ['PostgreSQL, a transaction per charge', chargeOn(unbatched)],
  ['PostgreSQL, what arrives together in one statement', chargeOn(shared)],
  ['SQLite, group commit', chargeOn(sqlite)],
]
const head = ['durable charge', 'in flight', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'of bare']
const table = new Table({ head })
for (const inFlight of [32, 256]) {
  let bare: number | undefined
  for (const [name, work] of rows) {
    const { perSecond, row } = await measure(work, inFlight)
    bare ??= perSecond
    table.push([name, inFlight, perSecond.toFixed(0), ...row, `${(perSecond / bare).toFixed(1)}x`])
  }
}
process.stdout.write(`${table.toString()}\n`)
// The bare UPDATE has left no ledger rows: only SQLite's book can still be audited here.
const wrong = await sqlite.ledger.audit()
process.stdout.write(
  `keys whose balance is not the sum of their ledger (SQLite): ${wrong.length}\n`,
)
sqlite.close()
await shared.close()
await pool.end()
await postgres.close()
rmSync(dir, { recursive: true })
