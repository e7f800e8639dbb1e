import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { failureOf } from '../../../fixtures/backups/failureOf.ts'
import { startScriptedPostgres } from '../../../fixtures/store/scriptedPostgres.ts'
import { playPrograms, type ScriptedChild } from '../../../fixtures/store/scriptedPrograms.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { baseIn, draftIn, findBackup, toStamp, walIn } from './backupFolder.ts'
import { createPostgresBackups } from './postgresSeries.ts'

/** With programs that are played here; `gateway/commands/backups.proof.ts` has real ones. */
const s = suite('store/backups/postgresSeries')
const programs = ['pg_receivewal', 'pg_basebackup', 'pg_verifybackup']
const dir = mkdtempSync(join(tmpdir(), 'forkyard-series-'))
s.after(() => rmSync(dir, { recursive: true }))
const startMs = Date.UTC(2027, 0, 1)
let folders = 0
let end = async () => {}
s.after.each(() => end())

const optionOf = ({ args }: Pick<ScriptedChild, 'args'>, option: string) =>
  args[args.indexOf(option) + 1] ?? ''

/** A server that writes to a file of its log, which who receives it has at once, or never. */
async function open({ receives = true } = {}) {
  folders += 1
  const folder = join(dir, `folder ${folders}`)
  mkdirSync(folder)
  // PostgreSQL's own user, where somebody may say so.
  if (process.getuid?.() === 0) chownSync(folder, 12_345, 12_346)
  const scene = { wal: '0001', failing: '', nowMs: startMs, asked: (): unknown => undefined }
  const ran: (readonly [name: string, args: readonly string[]])[] = []
  const played = playPrograms(programs, {
    begun(child) {
      if (receives) writeFileSync(join(optionOf(child, '--directory'), `${scene.wal}.partial`), '')
    },
    ran({ name, args }) {
      ran.push([name, args])
      if (name === scene.failing) return ' no room \n'
      if (name === 'pg_basebackup') mkdirSync(optionOf({ args }, '--pgdata'))
      scene.nowMs += 1_000
      return undefined
    },
  })
  const server = await startScriptedPostgres(() => {
    scene.asked()
    return [{ name: scene.wal }]
  })
  const { url } = server
  const create = () => createPostgresBackups({ url, folder, now: () => scene.nowMs })
  end = async () => {
    played.stop()
    await server.close()
    end = async () => {}
  }
  return {
    folder,
    scene,
    ran,
    create,
    server,
    children: played.children,
  }
}

s('follows nothing before its first series', async () => {
  const { create, children } = await open()
  const backups = create()
  assert.is(await backups.isFollowing(), false)
  await backups.close()
  assert.equal(children, [])
})
s('receives the log first, then copies, and names the copy when it is whole', async () => {
  const { create, folder, children, ran, server } = await open()
  const backups = create()
  const series = await backups.make()
  assert.is(series, join(folder, toStamp(startMs)))
  const [receiving] = children
  assert.equal([children.length, receiving?.name], [1, 'pg_receivewal'])
  assert.is(receiving && optionOf(receiving, '--directory'), walIn(series))
  const draft = draftIn(series)
  const [copy, check] = ran
  assert.equal(copy?.[0], 'pg_basebackup')
  const how = ['--pgdata', draft, '--checkpoint', 'fast', '--wal-method', 'stream']
  assert.equal(copy?.[1].slice(-6), how)
  // The server that is named, without a password that a list of processes would show.
  for (const args of [copy?.[1] ?? [], receiving?.args ?? []])
    assert.equal(args.slice(0, 3), ['--no-password', '--dbname', server.url])
  assert.equal(check, ['pg_verifybackup', [draft]])
  // Good from the end of the copy on.
  const base = baseIn(series, startMs + 2_000)
  assert.equal([existsSync(base), existsSync(draft)], [true, false])
  assert.equal(findBackup(folder), { path: series, fromMs: startMs + 2_000 })
  const ownerOf = (path: string) => [statSync(path).uid, statSync(path).gid]
  for (const path of [series, walIn(series)]) assert.equal(ownerOf(path), ownerOf(folder))
  assert.is(await backups.isFollowing(), true)
  await backups.close()
  assert.equal(receiving?.signals, ['SIGTERM'])
  await waitFor('nobody is connected', () => server.countOpen() === 0)
})
s('ends the log of the last series once the next is whole', async () => {
  const { create, scene, children } = await open()
  const backups = create()
  await backups.make()
  scene.failing = 'pg_verifybackup'
  assert.is(await failureOf(backups.make()), 'no room')
  // What failed is given up, and the last goes on.
  assert.equal(
    children.map(({ signals }) => signals),
    [[], ['SIGTERM']],
  )
  assert.is(await backups.isFollowing(), true)
  scene.failing = ''
  scene.nowMs += 1_000
  await backups.make()
  assert.equal(
    children.map(({ signals }) => signals),
    [['SIGTERM'], ['SIGTERM'], []],
  )
  await backups.close()
})
s('goes on with the newest series that a folder has', async () => {
  const { create, folder, children, scene } = await open()
  for (const ms of [startMs - 2_000, startMs - 1_000]) {
    const series = join(folder, toStamp(ms))
    for (const path of [series, walIn(series), baseIn(series, ms)]) mkdirSync(path)
  }
  const backups = create()
  const [receiving] = children
  const newest = join(folder, toStamp(startMs - 1_000))
  assert.equal(
    [children.length, receiving && optionOf(receiving, '--directory')],
    [1, walIn(newest)],
  )
  assert.is(await backups.isFollowing(), true)
  // The server is at its next file a moment before that is received.
  scene.wal = '0002'
  const following = backups.isFollowing()
  writeFileSync(join(walIn(newest), '0002'), '')
  assert.is(await following, true)
  receiving?.fail()
  receiving?.end(1)
  assert.is(await backups.isFollowing(), false)
})
s('leaves nothing of a backup that came to nothing [24/series-remains]', async () => {
  const { create, scene, server, children, folder } = await open()
  scene.asked = () => server.sessions.at(-1)?.cut()
  assert.match(await failureOf(create().make()), 'Connection terminated')
  assert.equal([children[0]?.signals, readdirSync(folder)], [['SIGTERM'], []])
})
s('is not followed by a log that stays behind for half a minute', async () => {
  const { create, scene, folder, children } = await open({ receives: false })
  let nowMs = 0
  let asked = 0
  scene.asked = () => {
    asked += 1
    nowMs = asked === 1 ? 30_000 : 30_001
    children[0]?.say('it cannot ')
    children[0]?.say('connect\n')
  }
  const reading = mock.method(performance, 'now', () => nowMs)
  try {
    const failure = await failureOf(create().make())
    assert.equal([failure, asked], ['pg_receivewal: it cannot connect\nit cannot connect', 2])
    assert.equal(children[0]?.signals, ['SIGTERM'])
    assert.equal([findBackup(folder), readdirSync(folder)], [undefined, []])
  } finally {
    reading.mock.restore()
  }
})
s.run()
