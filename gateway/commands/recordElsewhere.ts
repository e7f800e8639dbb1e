import { existsSync } from 'node:fs'
import type { Environment } from '../config/readSettings.ts'
import { readDatabase } from './readDatabase.ts'
import { type Entry, recordCommand } from './recordCommand.ts'
import { withStore } from './withStore.ts'

/**
 * Records a command that needs no database in the log of the gateway's, where one is named or lies here: who
 * deploys or buys for a gateway may do so on a machine that has none.
 */
export async function recordElsewhere<value>(
  env: Environment,
  entry: Entry<value>,
  work: () => Promise<value>,
): Promise<value> {
  const { url: databaseUrl, path: databasePath, isNamed } = readDatabase(env)
  if (!isNamed && !existsSync(databasePath)) return work()
  return withStore({ databaseUrl, databasePath }, ({ operatorLog: log }) =>
    recordCommand({ log }, entry, work),
  )
}
