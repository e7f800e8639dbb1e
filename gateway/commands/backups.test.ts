import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openBackupScene, readUsed } from '../../fixtures/backups/backupScene.ts'
import { failureOf } from '../../fixtures/backups/failureOf.ts'
import { openAt, startSqlite } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { watchDatabase } from '../parts/watchDatabase.ts'
import { findBackup } from '../store/backups/backupFolder.ts'
import { backupCommand, restoreTestCommand } from '../store/operatorLog.ts'

/** A SQLite that is backed up and restored; `backups.proof.ts` does so with a PostgreSQL. */
const s = suite('commands/backups')
const engine = await startSqlite()
const { store, folder, address, charge, run, backup, restore } = await openBackupScene(engine)
s.after(async () => {
  rmSync(folder, { recursive: true })
  await engine.close()
})

s('makes one in the folder, and gateways know when [24/backup-made]', async () => {
  await charge(3)
  assert.match(await run('make', folder), 'is whole')
  assert.match(await run('list', folder), '.sqlite')
  const { atMs = 0, detail = '' } = (await store.operatorLog.lastDone(backupCommand)) ?? {}
  const ageMs = Date.now() - atMs
  assert.ok(ageMs >= 0 && ageMs < 60_000)
  const { bsize, blocks } = statfsSync(folder)
  const { after } = JSON.parse(detail) as { after: Record<'disk' | 'free', number> }
  const { disk, free } = after
  assert.is(disk, bsize * blocks)
  assert.ok(free > 0 && free < disk)
})

s(
  'makes no folder of its own, and names the one that it misses [24/backup-no-folder]',
  async () => {
    const [missing, file] = [join(folder, 'missing'), join(folder, 'file')]
    writeFileSync(file, '')
    for (const path of [missing, file, join(file, 'below')])
      for (const command of ['make', 'keep', 'test', 'list'])
        assert.match(await failureOf(run(command, path)), `there is no folder ${path}`)
    rmSync(file)
    assert.not.ok(existsSync(missing))
  },
)

s('restores one elsewhere and audits it there [24/restore-tested]', async () => {
  assert.match(await run('test', folder), 'its books balance')
  assert.ok(await store.operatorLog.lastDone(restoreTestCommand))
  const [name = ''] = readdirSync(folder)
  assert.equal(readdirSync(folder), [name], 'something is left')
  new Database(join(folder, name)).exec('UPDATE balances SET used = 0').close()
  assert.match(await failureOf(run('test', folder)), 'its books do not balance\nbalance')
})

s(
  'has gateways tell of its age, its room and the restore that was tried [24/backup-told]',
  async () => {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const log = createLog({ level: 'warn', secrets: [], destination: { write } })
    const metrics = createMetrics()
    const config = { databasePath: address, databaseUrl: undefined }
    const watching = await watchDatabase(config, { store, log, metrics })
    const told = await metrics.registry.metrics()
    await watching.close()
    assert.equal(lines, [], 'it was not read')
    const read = (name: string) => Number(told.split(`\nforkyard_${name} `)[1]?.split('\n')[0])
    const ages = ['backup_age_seconds', 'restore_test_age_seconds'].map(read)
    for (const secs of ages) assert.ok(secs >= 0 && secs < 600, String(ages))
    const { bsize, blocks } = statfsSync(folder)
    assert.is(read('backup_disk_bytes{kind="disk"}'), bsize * blocks)
    assert.ok(read('backup_disk_bytes{kind="free"}') > 0)
  },
)

s(
  'logs what was made, tried and found, before it was done and after [24/log-backups]',
  async () => {
    const file = join(folder, 'by-hand')
    await backup(file)
    rmSync(file)
    const entries = [...(await store.operatorLog.list(100))].reverse()
    const said = entries.map(({ command, phase, subject }) => `${command} ${phase} ${subject}`)
    assert.equal(said, [
      `backups make begun ${folder}`,
      `backups make done ${folder}`,
      `backups test begun ${folder}`,
      `backups test done ${folder}`,
      `backups test begun ${folder}`,
      `backups test failed ${folder}`,
      `backup begun ${file}`,
      `backup done ${file}`,
    ])
    const details = entries.map(({ detail }) => JSON.parse(detail))
    const newest = findBackup(folder)?.path
    assert.equal([details[0].before.newest, details[1].after.newest], [null, newest])
    assert.equal(details[3].after, { restored: newest })
    assert.equal(details[5], { reason: 'BooksDiffer' })
    assert.is(details[6].before, null)
    assert.ok(details[7].after.bytes > 0)
  },
)

s('makes one of a database that takes no row any more, and warns [24/log-backups]', async () => {
  const db = new Database(address)
  db.exec(
    `CREATE TRIGGER full_disk BEFORE INSERT ON operator_log BEGIN SELECT RAISE(ABORT, 'full'); END`,
  )
  assert.match(await run('make', folder), 'is whole')
  db.exec('DROP TRIGGER full_disk').close()
  rmSync(findBackup(folder)?.path ?? '')
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

s(
  'says so in the log of what was restored, with what operators did since [24/log-restore]',
  async () => {
    const restored = await openAt(address)
    const entries = [...(await restored.operatorLog.list(100))].reverse()
    await restored.close()
    const said = entries.map(({ command, phase }) => `${command} ${phase}`)
    // Each backup was made before its own end was logged: what came after was carried over.
    assert.equal(said.slice(-7), [
      'backups make done',
      'restore begun',
      'restore failed',
      'restore begun',
      'restore done',
      'restore begun',
      'restore done',
    ])
    const { asked } = JSON.parse(entries.at(-2)?.detail ?? '') as { asked: { from: string } }
    assert.is(asked.from, findBackup(folder)?.path)
    assert.is(new Set(entries.map(({ run, phase }) => `${run} ${phase}`)).size, entries.length)
  },
)
for (const [away, comes] of [
  [{ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' }, false],
  [{ DATABASE_PATH: 'later/forkyard.db' }, true],
] as const)
  s(`waits for a database that is away, and says so [backups/away ${comes}]`, async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'forkyard-backups-away-'))
    const env = { PATH: process.env['PATH'], KEY_PEPPER: 'p'.repeat(32), ...away }
    const cli = join(import.meta.dirname, '..', 'cli.ts')
    const child = spawn(process.execPath, [cli, 'backups', 'keep', cwd], { cwd, env })
    const ended = once(child, 'close')
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk
      })
    const why = () => said
    await waitFor('it says so', () => said.includes('waiting for the database'), { why })
    if (comes) {
      mkdirSync(join(cwd, 'later'))
      await waitFor('it goes on', () => said.includes('is whole'), { why })
    }
    child.kill('SIGTERM')
    assert.equal(await ended, [0, null])
    assert.not.match(said, 'secret')
    rmSync(cwd, { recursive: true })
  })

s.run()
