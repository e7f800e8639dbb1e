import { type DatabaseConfig, openConfiguredStore } from '../store/openConfiguredStore.ts'
import type { Store } from '../store/ports.ts'

/** Opens the configured database for one command. */
export async function withStore<value>(
  { databasePath, databaseUrl }: DatabaseConfig,
  use: (store: Store) => Promise<value>,
): Promise<value> {
  const store = await openConfiguredStore({ databasePath, databaseUrl })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
