import { createKey } from '../access/issueKeys.ts'
import { keyPrefixOf } from '../config.ts'
import { openStore } from '../store/openStore.ts'

const labQuotes = 100_000

/** Puts this run's keys into its new database: the one that the manifest shows, and one for the lab's own first quote. */
export async function createLabKeys({
  databasePath,
  pepper,
}: {
  readonly databasePath: string
  readonly pepper: string
}) {
  const store = openStore({ path: databasePath })
  const deps = { store, config: { keyPrefix: keyPrefixOf('offline'), pepper }, now: Date.now }
  try {
    const { apiKey } = await createKey(deps, { label: 'lab', quotes: labQuotes })
    const probe = await createKey(deps, { label: 'lab start', quotes: 1 })
    return { apiKey, probeKey: probe.apiKey }
  } finally {
    store.close()
  }
}
