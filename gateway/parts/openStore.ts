import { keepCheckpoints } from '../access/keepCheckpoints.ts'
import type { Config } from '../config/config.ts'
import { createDatabaseLog } from '../observe/databaseLog.ts'
import { traceStore } from '../observe/traceStore.ts'
import type { DigestKey } from '../signing/digestKey.ts'
import { createCheckpointSigner } from '../store/checkpointKey.ts'
import { waitForStore } from '../store/waitForStore.ts'
import { compareSettings } from './compareSettings.ts'
import type { Observed } from './observed.ts'
import { watchDatabase } from './watchDatabase.ts'
import { watchMoney } from './watchMoney.ts'

/**
 * Waits for the database as long as it takes, and says so; then compares settings with whoever shares it, rolls
 * its ledger up day by day, and watches the room it has.
 */
export async function openStore(
  config: Config,
  {
    log,
    metrics,
    readiness,
    keys,
  }: Observed & {
    readonly keys: ReadonlyMap<number, DigestKey>
    readonly readiness: { lacksDatabase(): void; starts(): void }
  },
) {
  let isWaiting = false
  const store = await waitForStore(config, {
    failed: createDatabaseLog(log, { now: () => performance.now() }),
    waiting({ name, message }) {
      readiness.lacksDatabase()
      if (!isWaiting) log.warn({ reason: `${name}: ${message}` }, 'waiting for the database')
      isWaiting = true
    },
  })
  readiness.starts()
  const settings = await compareSettings(config, { store, log, metrics, keys })
  const checkpoints = keepCheckpoints({
    store,
    sign: createCheckpointSigner(config.keyPepper),
    detailDays: config.ledgerDetailDays,
    now: Date.now,
    log,
  })
  const room = await watchDatabase(config, { store, log, metrics })
  const money = await watchMoney({ store, log, metrics })
  return {
    ...(config.traces || config.accessLog ? traceStore(store) : store),
    warnings: room.warnings,
    async close() {
      const watching = [settings, checkpoints, room, money]
      await Promise.all(watching.map((one) => one.close()))
      await store.close()
    },
  }
}
