import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Environment } from '../config/readSettings.ts'
import { loadOptional } from '../runtime/loadOptional.ts'
import { backupDatabase, restoreDatabase } from '../store/backup.ts'
import { requireBackup } from '../store/backups/openBackups.ts'
import { openAsItIs } from '../store/openAsItIs.ts'
import type { DatabaseConfig } from '../store/openConfiguredStore.ts'
import {
  carryOperatorLog,
  createOperatorLog,
  type OperatorEntry,
  type OperatorLog,
} from '../store/operatorLog.ts'
import { toMoment } from './arguments.ts'
import { readDatabase } from './readDatabase.ts'
import { recordCommand } from './recordCommand.ts'
import { tell } from './tell.ts'

function requireSqlite(env: Environment, instead: string): string {
  const { url, path } = readDatabase(env)
  if (url) throw new Error(`the database is PostgreSQL: ${instead} (docker/README.md)`)
  return path
}

type Restore = { readonly to?: number; readonly data?: string }

async function appendTo(database: DatabaseConfig, entry: OperatorEntry) {
  const { engine, close } = await openAsItIs(database, 'write')
  await createOperatorLog(engine).append(entry).finally(close)
}

/**
 * The log of whichever database it is by now, and of the one where it has begun. One that is broken is to be
 * restored all the same: that its log takes nothing is a warning.
 */
function logOf(place: () => DatabaseConfig): Pick<OperatorLog, 'append'> {
  const begun = new Set<DatabaseConfig>()
  return {
    async append(entry) {
      const database = place()
      if (entry.phase !== 'begun') {
        // What fails is told by `recordCommand`.
        for (const one of new Set([database, ...begun])) await appendTo(one, entry)
        return
      }
      const { databasePath, databaseUrl } = database
      if (databaseUrl === undefined && !existsSync(databasePath)) return
      try {
        await appendTo(database, entry)
        begun.add(database)
      } catch (error) {
        tell("the operators' log does not say what was begun", error)
      }
    },
  }
}

const warnOfLog = (error: unknown) =>
  tell('what operators did since is not in the restored log', error)

function always(databasePath: string): () => DatabaseConfig {
  const database = { databasePath, databaseUrl: undefined }
  return () => database
}

/** How a file stands. */
const lookAt = (path: string) => async () => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? { bytes: stat.size, writtenAt: stat.mtime.toISOString() } : null
}

/** Of a folder of `forkyard backups`: a new data folder, for PostgreSQL to be started on. */
async function restorePostgres(url: string, from: string, { to: toMs, data }: Restore) {
  if (data === undefined)
    throw new Error('the database is PostgreSQL: give --data, a folder that is not there yet')
  if (existsSync(data)) throw new Error(`${data} is there already`)
  const load = () => import('../store/backups/recoverPostgres.ts')
  const { recoverPostgres } = await loadOptional('pg', load)
  const backup = requireBackup(from, toMs)
  const subject = resolve(data)
  const before = { databasePath: '', databaseUrl: url }
  let place = before
  const entry = { command: 'restore', subject, asked: { from: backup.path, toMs } }
  const look = async () => (existsSync(subject) ? { stands: subject } : null)
  const recovered = await recordCommand(
    { log: logOf(() => place) },
    { ...entry, look },
    async () => {
      const made = await recoverPostgres({ backup, toMs, data: subject, url })
      place = { ...before, databaseUrl: made.url }
      await carryLog(before, place).catch(warnOfLog)
      return made
    },
  )
  await recovered.stop()
  return backup.path
}

async function carryLog(before: DatabaseConfig, restored: DatabaseConfig) {
  const from = await openAsItIs(before, 'read')
  const to = await openAsItIs(restored, 'write')
  try {
    await carryOperatorLog({ from: from.engine, to: to.engine })
  } finally {
    await Promise.all([from.close(), to.close()])
  }
}

async function restoreSqlite(path: string, { from }: { readonly from: string }) {
  const { uncarried } = await recordCommand(
    { log: logOf(always(path)) },
    { command: 'restore', subject: path, asked: { from }, look: lookAt(path) },
    () => restoreDatabase({ path, from }),
  )
  if (uncarried !== undefined) warnOfLog(uncarried)
}

const backupSqlite = (path: string, { to }: { readonly to: string }) =>
  recordCommand(
    { log: logOf(always(path)) },
    { command: 'backup', subject: to, asked: { of: path }, look: lookAt(to) },
    () => backupDatabase({ path, to }),
  )

/** `forkyard backup <file>` beside a running gateway, `forkyard restore <from>` in place of one. */
export function backupCommands(
  print: (text: string) => void,
  env: Environment = process.env,
): readonly Command[] {
  return [
    new Command('backup')
      .description('copy the SQLite database as of one moment, while the gateway runs')
      .argument('<file>', 'appears when it is whole and checked')
      .action(async (file: string) => {
        const path = requireSqlite(env, 'use forkyard backups')
        await backupSqlite(path, { to: resolve(file) })
        print(`${file}: ${statSync(file).size} bytes\n`)
      }),
    new Command('restore')
      .description('put a backup in the place of the database; the gateway must be stopped')
      .argument('<from>', 'made by forkyard backup, or a folder of forkyard backups')
      .option('--to <time>', 'of a folder: as of then, as 2027-01-31T12:00Z', toMoment)
      .option('--data <folder>', "of PostgreSQL: where its data shall be; not the server's own")
      .action(async (from: string, options: Restore) => {
        const { url, path } = readDatabase(env)
        const source = resolve(from)
        if (url) {
          const used = await restorePostgres(url, source, options)
          return print(`${options.data} is the data of ${used}: start PostgreSQL on it\n`)
        }
        const isFolder = statSync(source, { throwIfNoEntry: false })?.isDirectory() ?? false
        if (options.to !== undefined && !isFolder)
          throw new Error(`${from} is no folder of backups: leave --to out`)
        const file = isFolder ? requireBackup(source, options.to).path : source
        await restoreSqlite(path, { from: file })
        print(`${path} is what ${file} holds\n`)
      }),
  ]
}
