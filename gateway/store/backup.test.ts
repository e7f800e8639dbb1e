import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { failureOf } from '../../fixtures/backups/failureOf.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createKey } from '../access/issueKeys.ts'
import { backupDatabase, restoreDatabase } from './backup.ts'
import { openStore } from './openStore.ts'

const s = suite('backup')
const run = promisify(execFile)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-backup-'))
const path = join(dir, 'forkyard.sqlite')
const cli = join(import.meta.dirname, '..', 'cli.ts')
const env = { ...process.env, DATABASE_PATH: path, DATABASE_URL: '' }
const forkyard = (...args: string[]) => run(process.execPath, [cli, ...args], { env })
const reason = (failing: Promise<unknown>) =>
  failing.then(
    () => 'no failure',
    ({ stderr }: { stderr: string }) => stderr,
  )
const failure = (...args: string[]) => reason(forkyard(...args))

/** A backup in a process that starts fast, to be killed. */
const program = `import(${JSON.stringify(join(import.meta.dirname, 'backup.ts'))}).then(
  ({ backupDatabase }) => backupDatabase({ path: process.argv[1], to: process.argv[2] }))`

const store = openStore({ path })
const deps = { store, config: { keyPrefix: 'fy_lab', pepper: 'p'.repeat(32) }, now: Date.now }
const { id: keyId } = await createKey(deps, { label: 'writer', quotes: 10_000_000 })
// Large enough that a backup takes a while.
const filler = Array.from({ length: 2_000 }, (_, n) => ({ id: `0x${n}`, state: 'x'.repeat(4_000) }))
const hash = `0x${'0'.repeat(64)}` as const
const head = { number: 1n, hash, parentHash: hash, timestampSecs: 1n }
await store.pools.save(1, { head, pools: filler, tokens: [] })
store.close()

const writer = fork(join(import.meta.dirname, '../../fixtures/access/ledgerWriter.ts'), [
  path,
  keyId,
])
let acknowledged = 0
writer.on('message', (count) => {
  acknowledged = Number(count)
})
const patient = { deadlineMs: 60_000 }
await waitFor('the writer writes', () => acknowledged > 10, patient)
s.after(async () => {
  if (writer.connected) await stopWriter()
  rmSync(dir, { recursive: true })
})

async function stopWriter() {
  const gone = once(writer, 'exit')
  writer.disconnect()
  await gone
}

/** How many charges a copy holds, after asking it whether its books agree. */
async function readCharges(file: string): Promise<number> {
  const copy = openStore({ path: file })
  try {
    assert.equal(copy.db.pragma('integrity_check'), [{ integrity_check: 'ok' }])
    assert.equal(await copy.ledger.audit(), [])
    return (await copy.ledger.balance(keyId)).used
  } finally {
    copy.close()
  }
}

s('holds one moment, with everything acknowledged before it began', async () => {
  for (const name of ['one', 'two', 'three']) {
    const file = join(dir, name)
    const before = acknowledged
    if (name === 'one') await forkyard('backup', file)
    else await backupDatabase({ path, to: file })
    await waitFor('more is written', () => acknowledged > before, patient)
    assert.not.ok(existsSync(`${file}-wal`))
    const charges = await readCharges(file)
    assert.ok(charges >= before, `${charges} of ${before}`)
  }
})

s('is refused where the database is PostgreSQL, named by the variable or by a file', async () => {
  const file = join(dir, 'refused')
  const url = 'postgres://nobody@127.0.0.1/none'
  writeFileSync(join(dir, 'database_url'), url)
  const named: readonly Record<string, string>[] = [
    { DATABASE_URL: url },
    { DATABASE_URL_FILE: join(dir, 'database_url') },
  ]
  const instead = { backup: 'use forkyard backups', restore: 'give --data' }
  for (const [command, words] of Object.entries(instead))
    for (const database of named) {
      const given = { env: { ...env, ...database } }
      const refused = await reason(run(process.execPath, [cli, command, file], given))
      assert.match(refused, `the database is PostgreSQL: ${words}`)
    }
  assert.not.ok(existsSync(file))
})

s('leaves the last good backup when it is killed on the way', async () => {
  const file = join(dir, 'killed')
  await backupDatabase({ path, to: file })
  const first = await readCharges(file)
  let cut = 0
  // On a busy machine a backup may be done before the kill reaches it.
  for (let round = 0; round < 3 || (cut === 0 && round < 30); round += 1) {
    const child = spawn(process.execPath, ['-e', program, path, file], { stdio: 'ignore' })
    const gone = once(child, 'exit')
    while (!existsSync(`${file}.partial`) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 1))
    child.kill('SIGKILL')
    await gone
    if (existsSync(`${file}.partial`)) cut += 1
    assert.ok((await readCharges(file)) >= first)
  }
  assert.ok(cut > 0, 'no kill came in time')
  const before = acknowledged
  await backupDatabase({ path, to: file })
  assert.ok((await readCharges(file)) >= before)
  assert.not.ok(existsSync(`${file}.partial`))
})

s('is put back only where nobody uses the database', async () => {
  const file = join(dir, 'back')
  await backupDatabase({ path, to: file })
  const charges = await readCharges(file)
  assert.match(await failure('restore', file), 'is in use: stop the gateway first')
  await stopWriter()
  assert.ok((await readCharges(path)) >= charges)
  await forkyard('restore', file)
  assert.is(await readCharges(path), charges)
})

s('is put back after a crash that left a log, which is not played into it', async () => {
  const file = join(dir, 'log')
  await backupDatabase({ path, to: file })
  const charges = await readCharges(file)
  const crashing = fork(join(import.meta.dirname, '../../fixtures/access/ledgerWriter.ts'), [
    path,
    keyId,
  ])
  let written = 0
  crashing.on('message', () => {
    written += 1
  })
  await waitFor('it has written', () => written > 10, patient)
  const gone = once(crashing, 'exit')
  crashing.kill('SIGKILL')
  await gone
  assert.ok(existsSync(`${path}-wal`))
  await restoreDatabase({ path, from: file })
  assert.is(await readCharges(path), charges)
})

s('is not played into by the log of the backup before it', async () => {
  const file = join(dir, 'opened')
  await backupDatabase({ path, to: file })
  const before = await readCharges(file)
  // Somebody has opened the last backup, written to it and crashed.
  const crashing = fork(join(import.meta.dirname, '../../fixtures/access/ledgerWriter.ts'), [
    file,
    keyId,
  ])
  await once(crashing, 'message')
  const gone = once(crashing, 'exit')
  crashing.kill('SIGKILL')
  await gone
  assert.ok(existsSync(`${file}-wal`))
  await backupDatabase({ path, to: file })
  assert.is(await readCharges(file), before)
})

s(
  'brings what the backup has in a log of its own, while somebody uses it [24/restore-log-of-backup]',
  async () => {
    const [file, to] = [join(dir, 'used'), join(dir, 'of-used')]
    await backupDatabase({ path, to: file })
    const used = openStore({ path: file })
    const { id } = await createKey({ ...deps, store: used }, { label: 'since', quotes: 1 })
    await restoreDatabase({ path: to, from: file })
    await used.close()
    const restored = openStore({ path: to })
    assert.is((await restored.keys.find(id))?.label, 'since')
    await restored.close()
  },
)

s('refuses to take the place of the database itself, however that is spelt', async () => {
  const charges = await readCharges(path)
  const link = join(dir, 'link')
  symlinkSync(path, link)
  for (const to of [path, link])
    for (const command of ['backup', 'restore'])
      assert.match(await failure(command, to), 'is the database itself')
  assert.is(await readCharges(path), charges)
})

s('takes the place of a database that is none any more, and says what is lost', async () => {
  const [file, broken] = [join(dir, 'whole'), join(dir, 'broken')]
  await backupDatabase({ path, to: file })
  writeFileSync(broken, 'what a disk has left of it, longer than the header would be'.repeat(99))
  const { uncarried } = await restoreDatabase({ path: broken, from: file })
  assert.match(String(uncarried), 'file is not a database')
  assert.is(await readCharges(broken), await readCharges(path))
})

s('leaves nothing of a copy that is damaged as its database is [24/backup-remains]', async () => {
  const damaged = join(dir, 'damaged')
  new Database(damaged)
    .exec('CREATE TABLE migrations AS SELECT hex(zeroblob(9000)) AS text')
    .close()
  const bytes = readFileSync(damaged)
  bytes.subarray(-4_096).fill(1)
  writeFileSync(damaged, bytes)
  const to = join(dir, 'of-damaged')
  assert.match(await failureOf(backupDatabase({ path: damaged, to })), 'is damaged')
  assert.equal(
    readdirSync(dir).filter((name) => name.startsWith('of-damaged')),
    [],
  )
})

s('refuses what is no backup, and names what is missing', async () => {
  const junk = join(dir, 'junk')
  writeFileSync(
    junk,
    'not a database, but longer than the header of one would have to be'.repeat(99),
  )
  const before = await readCharges(path)
  const restoring = (from: string) => failureOf(restoreDatabase({ path, from }))
  assert.match(await restoring(junk), 'is no database of Forkyard')
  const foreign = join(dir, 'foreign')
  new Database(foreign).exec('CREATE TABLE other (x)').close()
  assert.match(await restoring(foreign), 'is no database of Forkyard')
  assert.match(await restoring(join(dir, 'none')), 'there is no')
  const missing = backupDatabase({ path: join(dir, 'none'), to: join(dir, 'copy') })
  assert.match(await failureOf(missing), 'there is no')
  assert.match(await failure('backup', join(dir, 'none', 'x')), 'directory does not exist')
  assert.is(await readCharges(path), before)
})
s.run()
