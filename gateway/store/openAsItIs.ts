import Database from 'better-sqlite3'
import { loadOptional } from '../runtime/loadOptional.ts'
import type { Access, OpenDatabase } from './engine.ts'
import type { DatabaseConfig } from './openConfiguredStore.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

/**
 * A database beside running gateways, that may be of another release: nothing is migrated, and there must be
 * one.
 */
export async function openAsItIs(
  { databasePath, databaseUrl }: DatabaseConfig,
  access: Access,
): Promise<OpenDatabase> {
  if (databaseUrl === undefined) {
    const db = new Database(databasePath, { readonly: access === 'read', fileMustExist: true })
    return { engine: createSqliteEngine(db), close: async () => void db.close() }
  }
  const load = () => import('./openPostgresAsItIs.ts')
  const { openPostgresAsItIs } = await loadOptional('pg', load)
  return openPostgresAsItIs(databaseUrl, access)
}
