import { createKey } from '../access/issueKeys.ts'
import { keyPrefixOf } from '../config.ts'
import { type DatabaseConfig, openConfiguredStore } from '../store/openConfiguredStore.ts'

const labQuotes = 100_000

/** Puts this run's keys into its new database: the one that the manifest shows, and one for the lab's own first quote. */
export async function createLabKeys({
  pepper,
  ...database
}: DatabaseConfig & { readonly pepper: string }) {
  const store = await openConfiguredStore(database)
  const deps = { store, config: { keyPrefix: keyPrefixOf('offline'), pepper }, now: Date.now }
  try {
    const { apiKey } = await createKey(deps, { label: 'lab', quotes: labQuotes })
    const probe = await createKey(deps, { label: 'lab start', quotes: 1 })
    return { apiKey, probeKey: probe.apiKey }
  } finally {
    await store.close()
  }
}
