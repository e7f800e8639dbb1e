import { keepCheckpoints } from '../access/keepCheckpoints.ts'
import type { Config } from '../config/config.ts'
import { createCheckpointSigner } from '../store/checkpointKey.ts'
import { waitForStore } from '../store/waitForStore.ts'
import { compareSettings } from './compareSettings.ts'
import type { Observed } from './observed.ts'

/**
 * Waits for the database as long as it takes, and says so; then compares settings with whoever shares it, and
 * rolls its ledger up day by day.
 */
export async function openStore(
  config: Config,
  {
    log,
    metrics,
    readiness,
  }: Observed & {
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
  const settings = await compareSettings(config, { store, log, metrics })
  const checkpoints = keepCheckpoints({
    store,
    sign: createCheckpointSigner(config.keyPepper),
    detailDays: config.ledgerDetailDays,
    now: Date.now,
    log,
  })
  return {
    ...store,
    async close() {
      await Promise.all([settings.close(), checkpoints.close()])
      await store.close()
    },
  }
}
