import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import { createDatabaseMetrics } from '../observe/databaseMetrics.ts'
import { createLoop } from '../runtime/loop.ts'
import { type Disk, readDisk } from '../runtime/readDisk.ts'
import { backupCommand, restoreTestCommand } from '../store/operatorLog.ts'
import type { Store } from '../store/ports.ts'
import type { Observed } from './observed.ts'

type Where = Pick<Config, 'databasePath' | 'databaseUrl' | 'databaseDiskBytes'>

const mostKeptBytes = 2 ** 30

/** As the alert of docker/alerts has it: less is free than a twentieth of the disk, or than 1 GiB of a large one. */
const isNearlyFull = ({ disk, free }: Disk) => free < Math.min(disk / 20, mostKeptBytes)

/** Of the disk that the database grows on. What a PostgreSQL may take only the operator knows. */
async function readRoom(
  { databasePath, databaseUrl, databaseDiskBytes: disk }: Where,
  sizeBytes: number,
): Promise<Disk | undefined> {
  if (databaseUrl === undefined) return readDisk(dirname(databasePath))
  return disk === undefined ? undefined : { disk, free: Math.max(0, disk - sizeBytes) }
}

/** Reads the database's size, its room and its last backups, at the start and every few seconds. */
export async function watchDatabase(
  config: Where,
  {
    store: { readSize, operatorLog },
    log,
    metrics,
    everyMs = 5_000,
    now = Date.now,
  }: Observed & {
    readonly store: Pick<Store, 'readSize' | 'operatorLog'>
    readonly everyMs?: number
    readonly now?: () => number
  },
) {
  const shown = createDatabaseMetrics(metrics, { now })
  if (config.databaseUrl !== undefined && config.databaseDiskBytes === undefined)
    log.warn(
      { setting: 'DATABASE_DISK_GB' },
      "nobody is warned before the database's disk is full: its size is not set",
    )
  let isLow = false

  async function look(): Promise<void> {
    const size = await readSize()
    const room = await readRoom(config, size)
    shown.measured({ size, ...room })
    isLow = room !== undefined && isNearlyFull(room)
    const backup = await operatorLog.lastDone(backupCommand)
    shown.backedUp(backup?.atMs)
    // As `forkyard backups` writes it, beside more; of an earlier release it says nothing.
    const { after } = JSON.parse(backup?.detail ?? '{}') as { readonly after?: Partial<Disk> }
    const { disk, free } = after ?? {}
    if (disk !== undefined && free !== undefined) shown.backedUpTo({ disk, free })
    shown.tested((await operatorLog.lastDone(restoreTestCommand))?.atMs)
  }
  const watching = createLoop({
    everyMs,
    run: look,
    // The database is away, which others tell of; the next time comes.
    failed: (cause) =>
      log.warn({ reason: (cause as Error).name }, "the database's room was not read"),
  })
  await watching.runNow()
  watching.start()
  return {
    warnings: (): readonly string[] => (isLow ? ["the database's disk is nearly full"] : []),
    close: watching.stop,
  }
}
