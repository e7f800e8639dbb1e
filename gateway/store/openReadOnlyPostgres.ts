import pg from 'pg'
import type { ReadOnlyDatabase } from './engine.ts'
import { toClientConfig } from './openPostgresStore.ts'
import { createPostgresEngine } from './postgresEngine.ts'

/** A PostgreSQL database in transactions that cannot write, each of ten minutes at the most. */
export function openReadOnlyPostgres(databaseUrl: string): ReadOnlyDatabase {
  const config = toClientConfig(databaseUrl)
  const options = `${config.options} -c default_transaction_read_only=on -c statement_timeout=600000`
  const pool = new pg.Pool({ ...config, options, query_timeout: 600_000, max: 1 })
  pool.on('error', () => undefined)
  return { engine: createPostgresEngine(pool, { time: 'database' }), close: () => pool.end() }
}
