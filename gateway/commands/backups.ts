import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { type KeyConfig, readKeyConfig } from '../config/keyConfig.ts'
import { printTable } from '../observe/printTable.ts'
import { readDisk } from '../runtime/readDisk.ts'
import { listBackups, pruneBackups } from '../store/backups/backupFolder.ts'
import { openBackups, tryRestore } from '../store/backups/openBackups.ts'
import { checkpointPublicKeys } from '../store/checkpointKey.ts'
import { backupCommand, type OperatorLog, restoreTestCommand } from '../store/operatorLog.ts'
import { StoreUnavailable, toStoreError } from '../store/storeUnavailable.ts'
import { toCount, toMoment } from './arguments.ts'
import { audit } from './audit.ts'
import { keepDoing } from './keepDoing.ts'
import { type Entry, forgiving, recordCommand } from './recordCommand.ts'
import { tell } from './tell.ts'
import { withStore } from './withStore.ts'

type Scene = {
  readonly config: KeyConfig
  readonly folder: string
  readonly print: (text: string) => void
}

const [dayMs, hourMs] = [86_400_000, 3_600_000]

const withLog = <value>({ config }: Scene, use: (log: OperatorLog) => Promise<value>) =>
  withStore(config, ({ operatorLog }) => use(operatorLog))

/** Gateways know by the log how old a backup is. One that cannot be noted, of a full database, stands as well. */
const recorded = <value>(
  scene: Scene,
  entry: Omit<Entry<value>, 'subject'>,
  work: () => Promise<value>,
) => {
  const log = forgiving({ append: (row) => withLog(scene, ({ append }) => append(row)) })
  return recordCommand({ log }, { ...entry, subject: scene.folder }, work)
}

async function make(
  scene: Scene,
  backups: Awaited<ReturnType<typeof openBackups>>,
  keepDays: number,
): Promise<void> {
  const look = async () => ({
    newest: listBackups(scene.folder).at(-1)?.path ?? null,
    ...(await readDisk(scene.folder)),
  })
  const entry = { command: backupCommand, asked: { keepDays }, look }
  // Its room is noted while the oldest are still there: at no other time is there less.
  const path = await recorded(scene, entry, () => backups.make())
  scene.print(`${path} is whole\n`)
  pruneBackups(scene.folder, { keepMs: keepDays * dayMs, nowMs: Date.now() })
}

/** What was restored does not balance. */
class BooksDiffer extends Error {
  override name = 'BooksDiffer'
}

/** @throws BooksDiffer that names what does not balance in what was restored */
async function test(scene: Scene, toMs?: number): Promise<void> {
  const trusted = checkpointPublicKeys(scene.config)
  const where = { database: scene.config, folder: scene.folder }
  const look = async (restored?: string) => (restored === undefined ? null : { restored })
  const entry = { command: restoreTestCommand, asked: { toMs }, look }
  const tested = await recorded(scene, entry, async () => {
    const { path, found } = await tryRestore(where, { toMs }, (restored) =>
      audit(restored, { chains: [], trusted }),
    )
    if (found.length === 0) return path
    const lines = found.map(({ check, row, found: what }) => `${check} ${row}: ${what}`)
    throw new BooksDiffer(`${path} was restored, and its books do not balance\n${lines.join('\n')}`)
  })
  scene.print(`${tested} was restored elsewhere, and its books balance\n`)
}

type Schedule = {
  readonly everyHours: number
  readonly keepDays: number
  readonly testEveryDays: number
}

const retryMs = 1_000

/**
 * When a restore was last done. A database that is away is waited for, however long: whoever started this would
 * only start it again, later each time. One that refuses is not.
 */
async function readTestedMs(scene: Scene, signal: AbortSignal): Promise<number> {
  for (let said: string | undefined; !signal.aborted; ) {
    try {
      return (await withLog(scene, (log) => log.lastDone(restoreTestCommand)))?.atMs ?? 0
    } catch (cause) {
      if (!(toStoreError(cause) instanceof StoreUnavailable)) throw cause
      const { message } = cause as Error
      if (message !== said) tell('waiting for the database', cause)
      said = message
    }
    await wait(retryMs, undefined, { signal }).catch(() => undefined)
  }
  return 0
}

async function keep(scene: Scene, schedule: Schedule): Promise<void> {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  const backups = await openBackups({ database: scene.config, folder: scene.folder })
  try {
    const testedMs = await readTestedMs(scene, ending.signal)
    const nowMs = Date.now()
    const jobs = [
      {
        what: backupCommand,
        everyMs: schedule.everyHours * hourMs,
        agoMs: nowMs - (listBackups(scene.folder).at(-1)?.fromMs ?? 0),
        isNeeded: async () => !(await backups.isFollowing()),
        work: () => make(scene, backups, schedule.keepDays),
      },
      {
        what: restoreTestCommand,
        everyMs: schedule.testEveryDays * dayMs,
        agoMs: nowMs - testedMs,
        work: () => test(scene),
      },
    ]
    await keepDoing(jobs, { signal: ending.signal, failed: tell })
  } finally {
    await backups.close()
  }
}

/** Nobody makes one for a disk that is not mounted. @throws Error where there is none */
function toFolder(given: string): string {
  const folder = resolve(given)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`there is no folder ${folder} for backups: make it, or mount its disk`)
  return folder
}

/** `forkyard backups …`: a folder of backups that is kept, tried and told of. */
export function backupsCommand(print: Scene['print'], env = process.env) {
  const toScene = (folder: string) => ({
    config: readKeyConfig(env),
    folder: toFolder(folder),
    print,
  })
  const command = new Command('backups').description('a folder of backups of the database')
  const keptFor = ['--keep-days <n>', 'older ones are removed', toCount, 14] as const
  command
    .command('make <folder>')
    .description('add a backup: a SQLite file; of PostgreSQL a copy of its data and log')
    .option(...keptFor)
    .action(async (folder: string, { keepDays }: { keepDays: number }) => {
      const scene = toScene(folder)
      const backups = await openBackups({ database: scene.config, folder: scene.folder })
      try {
        await make(scene, backups, keepDays)
      } finally {
        await backups.close()
      }
    })
  command
    .command('keep <folder>')
    .description(
      'add one again and again, receive the log of a PostgreSQL, try restores; until ended',
    )
    .option('--every-hours <n>', 'between two backups', toCount, 24)
    .option(...keptFor)
    .option('--test-every-days <n>', 'between two restores that are audited', toCount, 7)
    .action((folder: string, schedule: Schedule) => keep(toScene(folder), schedule))
  command
    .command('test <folder>')
    .description('restore the newest into a temporary place and audit the books there')
    .option('--to <time>', 'as of then, as 2027-01-31T12:00Z', toMoment)
    .action((folder: string, { to }: { to?: number }) => test(toScene(folder), to))
  command
    .command('list <folder>')
    .description('those that are whole, the oldest first')
    .action((folder: string) =>
      printTable(print, {
        head: ['from', 'backup'],
        rows: listBackups(toFolder(folder)).map(({ path, fromMs }) => [
          new Date(fromMs).toISOString(),
          path,
        ]),
      }),
    )
  return command
}
