import type { Store } from './createPorts.ts'
import { openPostgresStore } from './openPostgresStore.ts'
import { openStore } from './openStore.ts'

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
  if (databaseUrl !== undefined) return openPostgresStore({ url: databaseUrl, failed })
  const store = openStore({ path: databasePath })
  return { ...store, close: async () => store.close() }
}
