import Database from 'better-sqlite3'
import { loadOptional } from '../runtime/loadOptional.ts'
import type { ReadOnlyDatabase } from './engine.ts'
import type { DatabaseConfig } from './openConfiguredStore.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

/** A database beside running gateways, for reading alone: nothing is migrated, nothing can be written. */
export async function openReadOnly({
  databasePath,
  databaseUrl,
}: DatabaseConfig): Promise<ReadOnlyDatabase> {
  if (databaseUrl === undefined) {
    const db = new Database(databasePath, { readonly: true, fileMustExist: true })
    return { engine: createSqliteEngine(db), close: async () => void db.close() }
  }
  const load = () => import('./openReadOnlyPostgres.ts')
  const { openReadOnlyPostgres } = await loadOptional('pg', load)
  return openReadOnlyPostgres(databaseUrl)
}
