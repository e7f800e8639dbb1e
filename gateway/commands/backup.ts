import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { pickSettings } from '../config/config.ts'
import { backupDatabase, restoreDatabase } from '../store/backup.ts'

/** The same variables and files as the gateway's; nothing else of its configuration is needed. */
function databasePath(): string {
  const settings = pickSettings(['DATABASE_URL', 'DATABASE_PATH'], '', process.env)
  if (settings['DATABASE_URL'])
    throw new Error('the database is PostgreSQL: use pg_dump and pg_restore (docker/README.md)')
  return settings['DATABASE_PATH'] ?? 'forkyard.sqlite'
}

/** `forkyard backup <file>` beside a running gateway, `forkyard restore <file>` in place of one. */
export function backupCommands(print: (text: string) => void): readonly Command[] {
  return [
    new Command('backup')
      .description('copy the SQLite database as of one moment, while the gateway runs')
      .argument('<file>', 'appears when it is whole and checked')
      .action(async (file: string) => {
        await backupDatabase({ path: databasePath(), to: resolve(file) })
        print(`${file}: ${statSync(file).size} bytes\n`)
      }),
    new Command('restore')
      .description('put a backup in the place of the database; the gateway must be stopped')
      .argument('<file>', 'made by forkyard backup')
      .action((file: string) => {
        restoreDatabase({ path: databasePath(), from: resolve(file) })
        print(`${databasePath()} is what ${file} holds\n`)
      }),
  ]
}
