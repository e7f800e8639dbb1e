import type { Config } from '../config/config.ts'
import { waitForStore } from '../store/waitForStore.ts'
import type { Observed } from './observed.ts'

/** Waits for the database as long as it takes, and says so. */
export async function openStore(
  config: Config,
  {
    log,
    readiness,
  }: Pick<Observed, 'log'> & {
    readonly readiness: { lacksDatabase(): void; starts(): void }
  },
): ReturnType<typeof waitForStore> {
  let isWaiting = false
  const store = await waitForStore(config, {
    failed: (cause) => log.warn({ reason: cause.name }, 'a database connection was lost'),
    waiting({ name, message }) {
      readiness.lacksDatabase()
      if (!isWaiting) log.warn({ reason: `${name}: ${message}` }, 'waiting for the database')
      isWaiting = true
    },
  })
  readiness.starts()
  return store
}
