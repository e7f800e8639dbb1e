import type { Database } from 'better-sqlite3'
import { accessSchema } from './accessSchema.ts'
import { balanceSlotsSchema } from './balanceSlotsSchema.ts'
import { poolsSchema } from './poolsSchema.ts'
import { relaySchema } from './relaySchema.ts'

type Migration = { readonly id: number; readonly name: string; readonly sql: string }

/** In order, each applied once. A landed one is never edited; a change is a new row. */
export const migrations: readonly Migration[] = [
  { id: 1, name: 'keys, quota ledger, payments', sql: accessSchema },
  { id: 2, name: 'relay transactions', sql: relaySchema },
  { id: 3, name: 'balance slots', sql: balanceSlotsSchema },
  { id: 4, name: 'synced pools', sql: poolsSchema },
]

export function migrate(db: Database): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT',
  )
  const isApplied = db.prepare<[number]>('SELECT 1 FROM migrations WHERE id = ?')
  const record = db.prepare<[number, string]>('INSERT INTO migrations (id, name) VALUES (?, ?)')
  for (const { id, name, sql } of migrations)
    db.transaction(() => {
      if (isApplied.get(id)) return
      db.exec(sql)
      record.run(id, name)
    }).immediate()
}
