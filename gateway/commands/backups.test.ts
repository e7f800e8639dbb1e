import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { failureOf, openBackupScene, readUsed } from '../../fixtures/backups/backupScene.ts'
import { startSqlite } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { backupCommand, restoreTestCommand } from '../store/operatorLog.ts'

/** A SQLite that is backed up and restored; `backups.proof.ts` does so with a PostgreSQL. */
const s = suite('commands/backups')
const engine = await startSqlite()
const { store, folder, address, charge, run, restore } = await openBackupScene(engine)
s.after(async () => {
  rmSync(folder, { recursive: true })
  await engine.close()
})

s('makes one in the folder, and gateways know when [24/backup-made]', async () => {
  await charge(3)
  assert.match(await run('make', folder), 'is whole')
  assert.match(await run('list', folder), '.sqlite')
  const ageMs = Date.now() - ((await store.operatorLog.lastDoneMs(backupCommand)) ?? 0)
  assert.ok(ageMs >= 0 && ageMs < 60_000)
})

s('restores one elsewhere and audits it there [24/restore-tested]', async () => {
  assert.match(await run('test', folder), 'its books balance')
  assert.ok(await store.operatorLog.lastDoneMs(restoreTestCommand))
  const [name = ''] = readdirSync(folder)
  assert.equal(readdirSync(folder), [name], 'something is left')
  new Database(join(folder, name)).exec('UPDATE balances SET used = 0').close()
  assert.match(await failureOf(run('test', folder)), 'its books do not balance\nbalance')
})

s('puts back what was before a moment [24/restore-to]', async () => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  await run('make', folder)
  const moment = new Date().toISOString()
  await charge(2)
  await run('make', folder)
  assert.match(await failureOf(restore(folder)), 'stop the gateway first')
  await store.close()
  function used() {
    const db = new Database(address, { readonly: true })
    const value = db.prepare(readUsed).pluck().get()
    db.close()
    return value
  }
  await restore(folder, '--to', moment)
  assert.is(used(), 3)
  await restore(folder)
  assert.is(used(), 5)
  assert.match(
    await failureOf(restore(folder, '--to', '2020-01-01')),
    'no whole backup from before',
  )
})
s.run()
