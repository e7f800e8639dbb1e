import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { type Environment, pickSettings } from '../config/readSettings.ts'
import { loadOptional } from '../runtime/loadOptional.ts'
import { backupDatabase, restoreDatabase } from '../store/backup.ts'
import { requireBackup } from '../store/backups/openBackups.ts'
import { toMoment } from './arguments.ts'

/** The same variables and files as the gateway's; nothing else of its configuration is needed. */
function readDatabase(env: Environment) {
  const settings = pickSettings(['DATABASE_URL', 'DATABASE_PATH'], '', env)
  const path = settings['DATABASE_PATH'] ?? 'forkyard.sqlite'
  return { url: settings['DATABASE_URL'], path }
}

function requireSqlite(env: Environment, instead: string): string {
  const { url, path } = readDatabase(env)
  if (url) throw new Error(`the database is PostgreSQL: ${instead} (docker/README.md)`)
  return path
}

type Restore = { readonly to?: number; readonly data?: string }

/** Of a folder of `forkyard backups`: a new data folder, for PostgreSQL to be started on. */
async function restorePostgres(url: string, from: string, { to: toMs, data }: Restore) {
  if (data === undefined)
    throw new Error('the database is PostgreSQL: give --data, a folder that is not there yet')
  if (existsSync(data)) throw new Error(`${data} is there already`)
  const load = () => import('../store/backups/recoverPostgres.ts')
  const { recoverPostgres } = await loadOptional('pg', load)
  const backup = requireBackup(from, toMs)
  const recovered = await recoverPostgres({ backup, toMs, data: resolve(data), url })
  await recovered.stop()
  return backup.path
}

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
        await backupDatabase({ path, to: resolve(file) })
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
        restoreDatabase({ path, from: file })
        print(`${path} is what ${file} holds\n`)
      }),
  ]
}
