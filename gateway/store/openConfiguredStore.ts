import { loadOptional } from '../runtime/loadOptional.ts'
import { openStore } from './openStore.ts'
import type { Store } from './ports.ts'

/** What of the configuration chooses the database. */
export type DatabaseConfig = {
  readonly databasePath: string
  /** PostgreSQL, instead of the SQLite file. */
  readonly databaseUrl: string | undefined
}

/** Opens the database that the configuration names. */
export async function openConfiguredStore(
  { databasePath, databaseUrl }: DatabaseConfig,
  { failed }: { readonly failed?: ((cause: Error) => void) | undefined } = {},
): Promise<Store & { close(): Promise<void> }> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await loadOptional('pg', () => import('./openPostgresStore.ts'))
    return openPostgresStore({ url: databaseUrl, failed })
  }
  const store = openStore({ path: databasePath })
  return { ...store, close: async () => store.close() }
}
