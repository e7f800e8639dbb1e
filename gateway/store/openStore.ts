import Database from 'better-sqlite3'
import { createLocalCoordination } from './coordination.ts'
import { sqliteDialect } from './dialect.ts'
import { type Migration, migrations } from './migrations.ts'
import { createPorts, type Store } from './ports.ts'
import { type AppliedMigration, requireKnownSchema, toRow } from './schemaGuard.ts'
import { createSqliteEngine } from './sqliteEngine.ts'
import { isBusy } from './whileBusy.ts'

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
export function openStore({
  path,
  known = migrations,
}: {
  readonly path: string
  /** Those of an older gateway, in tests. */
  readonly known?: readonly Migration[] | undefined
}): SqliteStore {
  const db = new Database(path)
  useWal(db)
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma(`busy_timeout = ${migratingForMs}`)
  migrate(db, known)
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

const pausing = new Int32Array(new SharedArrayBuffer(4))

/** Of two that open a new file at once SQLite refuses one without a wait: neither would let go of what it reads. */
function useWal(db: Database.Database): void {
  const deadline = performance.now() + migratingForMs
  for (;;) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    Atomics.wait(pausing, 0, 0, blockedForMs)
  }
}

function migrate(db: Database.Database, known: readonly Migration[]): void {
  db.transaction(() => {
    db.exec(
      'CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT',
    )
    const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
    if (columns.all('migrations').includes('needs')) return
    db.exec('ALTER TABLE migrations ADD COLUMN version TEXT')
    db.exec('ALTER TABLE migrations ADD COLUMN needs INTEGER')
  }).immediate()
  const list = db.prepare<[], AppliedMigration>('SELECT * FROM migrations ORDER BY id')
  requireKnownSchema(list.all(), known)
  const isApplied = db.prepare<[number]>('SELECT 1 FROM migrations WHERE id = ?')
  const record = db.prepare<[id: number, name: string, version: string, needs: number]>(
    'INSERT INTO migrations (id, name, version, needs) VALUES (?, ?, ?, ?)',
  )
  for (const migration of known)
    db.transaction(() => {
      if (isApplied.get(migration.id)) return
      db.exec(migration.schema(sqliteDialect))
      record.run(...toRow(migration))
    }).immediate()
}
