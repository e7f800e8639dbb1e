import { existsSync } from 'node:fs'
import type { Environment } from '../config/readSettings.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'
import { readDatabase } from './readDatabase.ts'
import { type Entry, recordCommand } from './recordCommand.ts'

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
  const store = await openConfiguredStore({ databaseUrl, databasePath })
  try {
    return await recordCommand({ log: store.operatorLog }, entry, work)
  } finally {
    await store.close()
  }
}
