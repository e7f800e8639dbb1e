import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../../fixtures/backups/failureOf.ts'
import { testKey } from '../../../fixtures/store/testKey.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../openStore.ts'
import { sqliteName } from './backupFolder.ts'
import { openBackups, requireBackup, tryRestore } from './openBackups.ts'

const s = suite('store/backups/openBackups')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-backups-of-'))
s.after(() => rmSync(dir, { recursive: true }))
const database = { databasePath: join(dir, 'books.sqlite'), databaseUrl: undefined }
const store = openStore({ path: database.databasePath })
await store.keys.insert({ ...testKey('kept'), quotes: 7 })
s.after(() => store.close())

let folders = 0
function makeFolder(): string {
  folders += 1
  const folder = join(dir, `folder ${folders}`)
  mkdirSync(folder)
  return folder
}
/** What such a database holds of the key. */
async function readTotal({ databasePath }: { readonly databasePath: string }): Promise<number> {
  const opened = openStore({ path: databasePath })
  const { total } = await opened.ledger.balance('kept')
  opened.close()
  return total
}

s('makes a backup of a file by the moment it is made, and follows nothing beside it', async () => {
  const folder = makeFolder()
  const backups = await openBackups({ database, folder })
  const before = Date.now()
  const made = await backups.make()
  assert.equal(readdirSync(folder), [made.slice(folder.length + 1)])
  const { path, fromMs } = requireBackup(folder)
  assert.is(path, made)
  assert.ok(fromMs >= before && fromMs <= Date.now())
  assert.is(await backups.isFollowing(), true)
  await backups.close()
  assert.is(await readTotal({ databasePath: made }), 7)
})
s('follows nothing of a PostgreSQL before its first series', async () => {
  const of = { databasePath: '', databaseUrl: 'postgres://me@host/books' }
  const backups = await openBackups({ database: of, folder: makeFolder() })
  assert.is(await backups.isFollowing(), false)
  await backups.close()
})
s('says which folder has none, and from before when', () => {
  const folder = makeFolder()
  assert.throws(() => requireBackup(folder), `${folder} has no whole backup`)
  writeFileSync(join(folder, sqliteName(Date.UTC(2027, 0, 2))), '')
  assert.is(requireBackup(folder, Date.UTC(2027, 0, 2)).fromMs, Date.UTC(2027, 0, 2))
  const dayBefore = Date.UTC(2027, 0, 1)
  const sentence = `${folder} has no whole backup from before 2027-01-01T00:00:00.000Z`
  assert.throws(() => requireBackup(folder, dayBefore), sentence)
})
s('restores the newest beside the others, has it used, and leaves nothing of it', async () => {
  const folder = makeFolder()
  const room = join(folder, 'restoring')
  const made = await (await openBackups({ database, folder })).make()
  // What a killed one left.
  mkdirSync(room)
  const { path, found } = await tryRestore({ database, folder }, {}, async (restored) => {
    assert.equal(restored, { databasePath: room, databaseUrl: undefined })
    return readTotal(restored)
  })
  assert.equal([path, found, existsSync(room)], [made, 7, false])
  const use = async () => {
    assert.ok(existsSync(room))
    throw new Error('it is no good')
  }
  assert.is(await failureOf(tryRestore({ database, folder }, {}, use)), 'it is no good')
  assert.is(existsSync(room), false)
})
s('restores none that was made after the moment that is asked for', async () => {
  const folder = makeFolder()
  await (await openBackups({ database, folder })).make()
  const restoring = tryRestore({ database, folder }, { toMs: Date.UTC(2020, 0, 1) }, async () => 7)
  assert.match(await failureOf(restoring), 'from before 2020-01-01T00:00:00.000Z')
})
s.run()
