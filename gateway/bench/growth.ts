import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { query, startPostgres } from '../../fixtures/store/postgres.ts'
import { createKey } from '../access/issueKeys.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'

/**
 * `npm run bench:growth [requests]`: by how much the database grows for each request that is charged, 100 keys,
 * and on PostgreSQL the log of what was written, which backups keep.
 */
const requests = Number(process.argv[2] ?? 100_000)
const [callers, inFlight] = [100, 32]
const dir = mkdtempSync(join(tmpdir(), 'growth-bench-'))
const postgres = await startPostgres()
if (!postgres) throw new Error('bench:growth needs PostgreSQL: apt-get install postgresql')

/** Bytes of the log that were written until now; SQLite's is played into the file, and used again. */
async function readLog(url: string | undefined): Promise<number> {
  if (url === undefined) return 0
  const [row] = await query(url, "SELECT pg_current_wal_lsn() - '0/0' AS bytes")
  return Number((row as { bytes: string }).bytes)
}

async function measure(name: string, databaseUrl?: string) {
  const store = await openConfiguredStore({ databasePath: join(dir, 'growth.sqlite'), databaseUrl })
  const deps = { store, config: { keyPrefix: 'fy_lab', pepper: 'p'.repeat(32) }, now: Date.now }
  const keyIds: string[] = []
  for (let count = 0; count < callers; count += 1)
    keyIds.push((await createKey(deps, { label: '', quotes: requests })).id)

  async function client(index: number) {
    for (let turn = index; turn < requests; turn += inFlight) {
      const keyId = keyIds[turn % callers] ?? ''
      const charge = { keyId, units: 1, ref: randomUUID(), atMs: Date.now() }
      const { status } = await store.ledger.charge(charge)
      if (status !== 'charged') throw new Error(status)
    }
  }
  const [size, log] = [await store.readSize(), await readLog(databaseUrl)]
  await Promise.all(Array.from({ length: inFlight }, (_, index) => client(index)))
  const grown = (await store.readSize()) - size
  const written = (await readLog(databaseUrl)) - log
  await store.close()
  const each = (bytes: number) => (bytes / requests).toFixed(0)
  const perDay = ((grown / requests) * 100 * 86_400) / 1e9
  return [name, each(grown), written > 0 ? each(written) : '', perDay.toFixed(1)]
}

const head = ['database', 'bytes a request', 'of its log', 'GB a day at 100 requests/s']
const table = new Table({ head })
table.push(await measure('SQLite'), await measure('PostgreSQL', await postgres.createDatabase()))
process.stdout.write(`${table.toString()}\n`)
await postgres.close()
rmSync(dir, { recursive: true })
