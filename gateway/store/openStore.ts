import Database from 'better-sqlite3'
import { createLocalCoordination } from './coordination.ts'
import { sqliteDialect } from './dialect.ts'
import { migrations } from './migrations.ts'
import { createPorts, type Store } from './ports.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

export type { Store } from './ports.ts'

export type SqliteStore = Store & {
  readonly db: Database.Database
  close(): void
}

/** Gateways that start together migrate one after the other. */
const migratingForMs = 5_000
/** Whoever waits inside SQLite holds up the thread that serves; longer waits are `createSqliteEngine`'s. */
export const blockedForMs = 5

/**
 * Opens (and migrates) a SQLite database: WAL mode with `synchronous=FULL`, so that what was acknowledged
 * survives kill -9 and power loss. `:memory:` in tests.
 */
export function openStore({ path }: { readonly path: string }): SqliteStore {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma(`busy_timeout = ${migratingForMs}`)
  migrate(db)
  db.pragma(`busy_timeout = ${blockedForMs}`)
  const engine = createSqliteEngine(db)
  return {
    db,
    ...createPorts(engine),
    coordination: createLocalCoordination(),
    close() {
      engine.flush()
      db.close()
    },
  }
}

function migrate(db: Database.Database): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT',
  )
  const isApplied = db.prepare<[number]>('SELECT 1 FROM migrations WHERE id = ?')
  const record = db.prepare<[number, string]>('INSERT INTO migrations (id, name) VALUES (?, ?)')
  for (const { id, name, schema } of migrations)
    db.transaction(() => {
      if (isApplied.get(id)) return
      db.exec(schema(sqliteDialect))
      record.run(id, name)
    }).immediate()
}
