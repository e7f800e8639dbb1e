import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../../fixtures/backups/failureOf.ts'
import { startScriptedPostgres } from '../../../fixtures/store/scriptedPostgres.ts'
import { playPrograms, type ScriptedChild } from '../../../fixtures/store/scriptedPrograms.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { baseIn, toStamp, walIn } from './backupFolder.ts'
import { tryRestore } from './openBackups.ts'
import { recoverPostgres } from './recoverPostgres.ts'

/** What needs no server; `gateway/commands/backups.proof.ts` has one. */
const s = suite('store/backups/recoverPostgres')
const folder = mkdtempSync(join(tmpdir(), 'forkyard-recover-'))
s.after(() => rmSync(folder, { recursive: true }))

function recover(name: string) {
  const path = join(folder, name)
  mkdirSync(baseIn(path, 0), { recursive: true })
  const data = join(folder, `restored ${name}`)
  const url = 'postgres://me@host/books'
  const failure = failureOf(recoverPostgres({ backup: { path, fromMs: 0 }, data, url }))
  return failure.then((said) => ({ said, isCopied: existsSync(data) }))
}

s('hands a shell no path that it would read otherwise, and copies nothing first', async () => {
  for (const name of ['a b', "a'b", 'a$(b)', 'a;b']) {
    const { said, isCopied } = await recover(name)
    assert.match(said, `${name}/wal: letters, digits and . _ - / only`)
    assert.is(isCopied, false)
  }
})
/** A server that begins, opens as soon as it has done what is told, and is asked for at its own socket. */
async function recoverBy(begin: (child: ScriptedChild, room: string) => void, toMs?: number) {
  const path = join(folder, 'series')
  mkdirSync(baseIn(path, 0), { recursive: true })
  writeFileSync(join(baseIn(path, 0), 'PG_VERSION'), '17')
  // PostgreSQL's own user, where somebody may say so.
  if (process.getuid?.() === 0) for (const own of [folder, path]) chownSync(own, 12_345, 12_346)
  const data = mkdtempSync(join(folder, 'data-'))
  rmSync(data, { recursive: true })
  const settingsOf = ({ args }: ScriptedChild) =>
    Object.fromEntries(
      args.flatMap((word, at) => {
        const [name = '', ...value] = (args[at + 1] ?? '').split('=')
        return word === '-c' ? [[name, value.join('=')] as const] : []
      }),
    )
  const played = playPrograms(['postgres'], {
    begun: (child) => begin(child, settingsOf(child)['unix_socket_directories'] ?? ''),
  })
  const url = 'postgres://me:secret@host:5433/books?sslmode=require'
  try {
    const backup = { path, fromMs: 0 }
    const [ended] = await Promise.allSettled([recoverPostgres({ backup, toMs, data, url })])
    const [child] = played.children
    const settings = child ? settingsOf(child) : {}
    return { ended, child, settings, data, path, room: settings['unix_socket_directories'] ?? '' }
  } finally {
    played.stop()
  }
}

s('lets a server of its own bring a copy to a moment, on a socket of its own', async () => {
  let serving: ReturnType<typeof startScriptedPostgres> | undefined
  const begin = (_: unknown, room: string) => {
    serving = startScriptedPostgres(() => [], { folder: room })
  }
  const { ended, child, settings, data, path, room } = await recoverBy(begin, Date.UTC(2027, 0, 2))
  if (ended.status === 'rejected') throw ended.reason
  const { url, stop } = ended.value
  assert.is(url, `postgres://me@localhost/books?host=${room}`)
  assert.equal([child?.name, child?.cwd, child?.args.slice(0, 2)], ['postgres', room, ['-D', data]])
  assert.equal(settings, {
    config_file: join(room, 'postgresql.conf'),
    hba_file: join(room, 'pg_hba.conf'),
    listen_addresses: '',
    unix_socket_directories: room,
    ssl: 'off',
    archive_mode: 'off',
    logging_collector: 'off',
    hot_standby: 'off',
    restore_command: `cp ${walIn(path)}/%f %p || cp ${walIn(path)}/%f.partial %p`,
    recovery_target_action: 'promote',
    recovery_target_time: '2027-01-02T00:00:00.000+00',
  })
  // The backup itself stays as it is.
  assert.equal(readdirSync(baseIn(path, 0)), ['PG_VERSION'])
  assert.equal(readdirSync(data).toSorted(), ['PG_VERSION', 'recovery.signal'])
  assert.is(readFileSync(join(room, 'pg_hba.conf'), 'utf8'), 'local all all trust\n')
  const ownerOf = (of: string) => [statSync(of).uid, statSync(of).gid]
  const given = [room, join(room, 'postgresql.conf'), join(data, 'recovery.signal')]
  for (const each of given) assert.equal(ownerOf(each), ownerOf(path))
  const server = await serving
  // Who looked whether it is open has left.
  await waitFor('nobody is connected', () => server?.countOpen() === 0)
  await server?.close()
  await stop()
  assert.equal([child?.signals, existsSync(room)], [['SIGINT'], false])
})
s('says why a server ended that does not reach that moment, and leaves none of it', async () => {
  const { ended, settings, room } = await recoverBy((child) => {
    child.say(' FATAL: it ends ')
    child.say('before that\n')
    child.end(1)
  })
  const reason = ended.status === 'rejected' ? String(ended.reason) : ended.status
  assert.match(reason, 'it cannot be brought to that moment: FATAL: it ends before that')
  assert.is(existsSync(room), false)
  // To the end of what was received.
  assert.is('recovery_target_time' in settings, false)
})
s('is used where a backup of PostgreSQL is tried, and ends after that', async () => {
  const backups = mkdtempSync(join(folder, 'backups-'))
  const series = join(backups, toStamp(0))
  mkdirSync(baseIn(series, 0), { recursive: true })
  const database = { databasePath: '', databaseUrl: 'postgres://me@host/books' }
  let server: ReturnType<typeof startScriptedPostgres> | undefined
  const played = playPrograms(['postgres'], {
    begun({ args }) {
      const room = args.find((word) => word.startsWith('unix_socket_directories='))
      server = startScriptedPostgres(() => [], { folder: room?.split('=')[1] })
    },
  })
  try {
    const use = async (restored: { readonly databaseUrl: string | undefined }) =>
      restored.databaseUrl
    const { path, found } = await tryRestore({ database, folder: backups }, {}, use)
    assert.is(path, series)
    assert.match(found ?? '', 'postgres://me@localhost/books?host=')
    assert.equal(played.children[0]?.signals, ['SIGINT'])
    assert.is(existsSync(join(backups, 'restoring')), false)
  } finally {
    await (await server)?.close()
    played.stop()
  }
})
s.run()
