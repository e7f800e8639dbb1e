import pg from 'pg'
import type { Engine } from './engine.ts'
import { toClientConfig } from './openPostgresStore.ts'
import { createPostgresEngine } from './postgresEngine.ts'

/** A PostgreSQL database that may be of another release: nothing is migrated. */
export function openPostgresAsItIs(databaseUrl: string): {
  readonly engine: Engine
  close(): Promise<void>
} {
  const pool = new pg.Pool({ ...toClientConfig(databaseUrl), max: 1 })
  pool.on('error', () => undefined)
  return { engine: createPostgresEngine(pool, { time: 'database' }), close: () => pool.end() }
}
