import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openBackupScene, readUsed, untilReceived } from '../../fixtures/backups/backupScene.ts'
import { failureOf } from '../../fixtures/backups/failureOf.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { query } from '../../fixtures/store/postgres.ts'
import { startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { openBackups } from '../store/backups/openBackups.ts'
import { findProgram, ownerOf } from '../store/backups/postgresPrograms.ts'
import { restoreTestCommand } from '../store/operatorLog.ts'

/**
 * A real PostgreSQL that is backed up while it is charged on, loses its books by a mistake, and comes back as
 * it was at each of several moments.
 */
const s = suite('backups of PostgreSQL')
const readRestores = "SELECT phase FROM operator_log WHERE command = 'restore' ORDER BY id"
const rounds = byLength({ short: 1, long: 12 })
const engines = await startStoreEngines()
const postgres = engines.find(({ name }) => name === 'PostgreSQL')
if (postgres) await addTests(postgres)
else s('needs PostgreSQL, which is not installed', () => undefined)
s.after(async () => {
  for (const engine of engines) await engine.close()
})
s.run()

async function addTests(engine: NonNullable<typeof postgres>) {
  const { store, folder, database, address, charge, run, restore } = await openBackupScene(engine)
  let backups = await openBackups({ database, folder })
  s.after(async () => {
    await backups.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  /** The next millisecond of the database's clock, once it has passed. */
  async function passMoment(): Promise<string> {
    const readMs = async () => {
      const [row] = await query(address, 'SELECT clock_timestamp() AS at')
      return (row as { at: Date }).at.getTime()
    }
    const moment = (await readMs()) + 1
    await waitFor('it has passed', async () => (await readMs()) > moment)
    return new Date(moment).toISOString()
  }
  /** What a data folder holds that no server runs on. */
  function readIn(data: string, input: string): string {
    const options = { ...ownerOf(folder), cwd: data, encoding: 'utf8', input } as const
    const name = basename(new URL(address).pathname)
    return execFileSync(findProgram('postgres'), ['--single', '-D', data, name], options)
  }
  const readUsedIn = (data: string) => Number(/used = "(\d+)"/.exec(readIn(data, readUsed))?.[1])
  const readPhasesIn = (data: string) =>
    [...readIn(data, readRestores).matchAll(/phase = "(\w+)"/g)].map(([, phase]) => phase)

  s('brings back any moment before a mistake', async () => {
    await charge(3)
    assert.not.ok(await backups.isFollowing())
    await backups.make()
    assert.ok(await backups.isFollowing())
    const moments: { readonly at: string; readonly used: number }[] = []
    for (let used = 7; moments.length < rounds; used += 4) {
      // The job that receives the log is replaced, and goes on where it was.
      await backups.close()
      await charge(4)
      moments.push({ at: await passMoment(), used })
      backups = await openBackups({ database, folder })
    }
    await query(address, 'UPDATE balances SET used = 0')
    await untilReceived(address, folder)
    const data = join(folder, 'data')
    assert.match(await failureOf(restore(folder)), 'give --data')
    const restored: number[] = []
    for (const { at } of moments) {
      await restore(folder, '--to', at, '--data', data)
      assert.match(await failureOf(restore(folder, '--data', data)), 'is there already')
      restored.push(readUsedIn(data))
      // With what operators did since that moment, each restore before this one among it.
      assert.equal(
        readPhasesIn(data),
        Array.from({ length: restored.length }, () => ['begun', 'done']).flat(),
      )
      rmSync(data, { recursive: true })
    }
    assert.equal(
      restored,
      moments.map(({ used }) => used),
    )
    reportFigures('PostgreSQL brought back to moments before a mistake', {
      moments: moments.length,
      'restored as they were': restored.length,
    })
  })

  s('restores what was received until now elsewhere, and audits it', async () => {
    assert.match(await failureOf(run('test', folder)), 'its books do not balance')
    await query(address, `UPDATE balances SET used = ${3 + 4 * rounds}`)
    await untilReceived(address, folder)
    assert.match(await run('test', folder), 'its books balance')
    assert.ok(await store.operatorLog.lastDone(restoreTestCommand))
    assert.not.ok(existsSync(join(folder, 'restoring')))
  })
}
