import { createKey } from '../access/issueKeys.ts'
import { keyPrefixOf } from '../config/keyPrefix.ts'
import { type DatabaseConfig, openConfiguredStore } from '../store/openConfiguredStore.ts'

const labQuotes = 100_000
const developmentSeed = 'forkyard development key'

/** Puts this run's keys into its new database: the one that the manifest shows, and one for the lab's own first quote. */
export async function createLabKeys({
  pepper,
  isRandom = false,
  keptKey,
  ...database
}: DatabaseConfig & {
  readonly pepper: string
  /** Else the manifest's key is the same in every lab: what a frontend is given once goes on to work. */
  readonly isRandom?: boolean | undefined
  /** The manifest's key where the database goes on from an earlier lab, which knows it. */
  readonly keptKey?: string | undefined
}) {
  const store = await openConfiguredStore(database)
  const deps = { store, config: { keyPrefix: keyPrefixOf('offline'), pepper }, now: Date.now }
  try {
    const seed = isRandom ? undefined : developmentSeed
    const probe = await createKey(deps, { label: 'lab start', quotes: 1 })
    if (keptKey !== undefined) return { apiKey: keptKey, probeKey: probe.apiKey }
    const { apiKey } = await createKey(deps, { label: 'lab', quotes: labQuotes, seed })
    return { apiKey, probeKey: probe.apiKey }
  } finally {
    await store.close()
  }
}
