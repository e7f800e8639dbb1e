import { setTimeout as wait } from 'node:timers/promises'
import { type DatabaseConfig, openConfiguredStore } from './openConfiguredStore.ts'
import { StoreUnavailable, toStoreError } from './storeUnavailable.ts'

const everyMs = 500
/**
 * Orchestrators start what ends again at growing intervals, of up to a minute (Docker) or five (Kubernetes):
 * waiting here finds a database that is back sooner. What is still out of reach after this is more likely
 * named wrongly, and a gateway that ends is seen.
 */
const longestWaitMs = 300_000

/** Opens the database; a PostgreSQL that is out of reach is tried again, one that refuses is not. */
export async function waitForStore(
  config: DatabaseConfig,
  {
    waiting,
    failed,
  }: {
    /** Called with each attempt that did not reach it. */
    readonly waiting: (cause: Error) => void
    readonly failed: (cause: Error) => void
  },
): ReturnType<typeof openConfiguredStore> {
  const deadline = performance.now() + longestWaitMs
  for (;;) {
    try {
      return await openConfiguredStore(config, { failed })
    } catch (cause) {
      const isAway = toStoreError(cause) instanceof StoreUnavailable
      if (config.databaseUrl === undefined || !isAway || performance.now() > deadline) throw cause
      waiting(cause as Error)
    }
    await wait(everyMs)
  }
}
