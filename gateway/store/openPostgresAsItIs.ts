import pg from 'pg'
import type { Access, OpenDatabase } from './engine.ts'
import { toClientConfig } from './openPostgresStore.ts'
import { createPostgresEngine } from './postgresEngine.ts'

const readingForMs = 600_000

/** A PostgreSQL database in which nothing is migrated. */
export function openPostgresAsItIs(databaseUrl: string, access: Access): OpenDatabase {
  const config = toClientConfig(databaseUrl)
  const reading = {
    options: `${config.options} -c default_transaction_read_only=on -c statement_timeout=${readingForMs}`,
    query_timeout: readingForMs,
  }
  const pool = new pg.Pool({ ...config, ...(access === 'read' && reading), max: 1 })
  // A broken connection is told by what is asked on it.
  pool.on('error', () => undefined)
  return { engine: createPostgresEngine(pool, { time: 'database' }), close: () => pool.end() }
}
