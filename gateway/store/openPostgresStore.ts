import pg from 'pg'
import { createBatchedCharges } from './batchedCharges.ts'
import { createBatchedKeys } from './batchedKeys.ts'
import { dropOldFences } from './chargeFences.ts'
import { postgresDialect } from './dialect.ts'
import { type Migration, migrations } from './migrations.ts'
import { createPorts, type Store } from './ports.ts'
import { createPostgresCoordination } from './postgresCoordination.ts'
import { createPostgresEngine, toLockKey } from './postgresEngine.ts'
import { type AppliedMigration, requireKnownSchema, toRow } from './schemaGuard.ts'

export type PostgresStore = Store & { close(): Promise<void> }

/** Codes of PostgreSQL's own types: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const int8 = 20

/**
 * A connection may fall silent without an end, as when a machine or a network is gone. What is asked on it is
 * given up after this, and none idles for longer than that takes, so that not one dead connection after the
 * other is tried: a database that is back is found again within seconds.
 */
const silentAfterMs = 8_000
const idleForMs = 4_000
/** Changes of the schema take their time, and wait for those of another gateway. */
const migratingForMs = 300_000

/**
 * What every session sets for itself, whatever the database's defaults are: what is read after a lock is what the
 * last holder left, commits are durable before they are answered, a process that hangs with a transaction open
 * lets go, and one whose machine is gone is noticed within seconds.
 */
const session = [
  'default_transaction_isolation=read\\ committed',
  'synchronous_commit=on',
  'statement_timeout=7s',
  'idle_in_transaction_session_timeout=5s',
  'tcp_keepalives_idle=1',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=2',
  'tcp_user_timeout=3s',
]

export function toClientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    // Tells operators whose session holds what.
    application_name: `forkyard ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: silentAfterMs,
    keepAlive: true,
    options: session.map((setting) => `-c ${setting}`).join(' '),
    types: {
      // Milliseconds, quotas, blocks and row numbers: all far below 2^53.
      getTypeParser: (oid, format) =>
        Number(oid) === int8 ? Number : pg.types.getTypeParser(oid, format),
    },
  }
}

/** Opens (and migrates) a PostgreSQL database that several gateways share. */
export async function openPostgresStore({
  url,
  connections = 16,
  time = 'database',
  failed = () => {},
  known = migrations,
}: {
  readonly url: string
  readonly connections?: number | undefined
  /** Whose clock counts for windows; `caller` in tests with clocks of their own. */
  readonly time?: 'database' | 'caller' | undefined
  /** A connection broke while nobody used it; the next use opens another. */
  readonly failed?: ((cause: Error) => void) | undefined
  /** Those of an older gateway, in tests. */
  readonly known?: readonly Migration[] | undefined
}): Promise<PostgresStore> {
  const config = toClientConfig(url)
  await migrate(config, known)
  const pool = new pg.Pool({
    ...config,
    // What a program asks together is sent at once.
    pipeline: true,
    max: connections,
    idleTimeoutMillis: idleForMs,
  })
  // For each while it works, and for the pool while it rests: unheard, either would end the process.
  pool.on('connect', (client) => client.on('error', failed))
  pool.on('error', failed)
  const coordination = createPostgresCoordination({ config, pool, failed })
  return {
    ...createPostgresPorts(pool, { time }),
    coordination,
    async close() {
      await coordination.close()
      await pool.end()
    },
  }
}

/** What a gateway keeps, through a pool of connections. */
export function createPostgresPorts(
  pool: pg.Pool,
  { time }: { readonly time: 'database' | 'caller' },
): Omit<Store, 'coordination'> {
  const ports = createPorts(createPostgresEngine(pool, { time }))
  return {
    ...ports,
    keys: { ...ports.keys, findBySecretHash: createBatchedKeys(pool, { time }) },
    ledger: { ...ports.ledger, charge: createBatchedCharges(pool, ports.ledger, { time }) },
  }
}

/** Gateways that start together migrate one after the other. */
async function migrate(config: pg.ClientConfig, known: readonly Migration[]): Promise<void> {
  const client = new pg.Client({ ...config, query_timeout: migratingForMs })
  // A broken connection is told by what is asked on it.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SET LOCAL statement_timeout = ${migratingForMs}`)
    await client.query(`SELECT pg_advisory_xact_lock(${toLockKey('migrations')})`)
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (id BIGINT PRIMARY KEY, name TEXT NOT NULL)',
    )
    await client.query(
      'ALTER TABLE migrations ADD COLUMN IF NOT EXISTS version TEXT, ADD COLUMN IF NOT EXISTS needs BIGINT',
    )
    const { rows } = await client.query<AppliedMigration>('SELECT * FROM migrations ORDER BY id')
    requireKnownSchema(rows, known)
    for (const migration of known) {
      if (rows.some(({ id }) => id === migration.id)) continue
      await client.query(migration.schema(postgresDialect))
      await client.query(
        'INSERT INTO migrations (id, name, version, needs) VALUES ($1, $2, $3, $4)',
        [...toRow(migration)],
      )
    }
    await client.query(dropOldFences)
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}
