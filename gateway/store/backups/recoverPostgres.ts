import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Backup, baseIn, walIn } from './backupFolder.ts'
import { findProgram, ownerOf, runProgram } from './postgresPrograms.ts'

/** A shell reads the command by which the server fetches its log. */
function requirePlain(path: string): void {
  if (!/^[\w./-]+$/.test(path)) throw new Error(`${path}: letters, digits and . _ - / only`)
}

/** Before it has read its tables of time zones it knows no Z. */
const toTimestamp = (ms: number) => new Date(ms).toISOString().replace('Z', '+00')

function toSettings(
  { backup, toMs }: { readonly backup: Backup; readonly toMs?: number | undefined },
  room: string,
) {
  const wal = walIn(backup.path)
  return {
    config_file: join(room, 'postgresql.conf'),
    hba_file: join(room, 'pg_hba.conf'),
    listen_addresses: '',
    unix_socket_directories: room,
    ssl: 'off',
    archive_mode: 'off',
    logging_collector: 'off',
    // Nobody is let in before it stands at its moment, whatever the old server's sizes were.
    hot_standby: 'off',
    restore_command: `cp ${wal}/%f %p || cp ${wal}/%f.partial %p`,
    recovery_target_action: 'promote',
    ...(toMs !== undefined && { recovery_target_time: toTimestamp(toMs) }),
  }
}

async function isOpen(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    // Not yet: it is recovering.
    return false
  } finally {
    await client.end()
  }
}

/**
 * Makes a data folder of a backup and lets a PostgreSQL of its own, on a socket that nobody else knows, bring
 * it to a moment, or to the end of what was received. It stands there, open, until stopped.
 */
export async function recoverPostgres({
  backup,
  toMs,
  data,
  url,
}: {
  readonly backup: Backup
  readonly toMs?: number | undefined
  /** Not there yet. */
  readonly data: string
  /** Of the server it was made of: names the role and the database. */
  readonly url: string
}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  requirePlain(walIn(backup.path))
  const owner = ownerOf(backup.path)
  const room = mkdtempSync(join(tmpdir(), 'forkyard-restore-'))
  const give = (path: string) => {
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid)
  }
  const write = (path: string, text: string) => {
    writeFileSync(path, text)
    give(path)
  }
  give(room)
  await runProgram('cp', ['-a', baseIn(backup.path, backup.fromMs), data], { folder: backup.path })
  write(join(data, 'recovery.signal'), '')
  write(join(room, 'postgresql.conf'), '')
  write(join(room, 'pg_hba.conf'), 'local all all trust\n')
  const settings = Object.entries(toSettings({ backup, toMs }, room))
  const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const child = spawn(findProgram('postgres'), args, {
    ...owner,
    cwd: room,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000)
  })
  const closed = once(child, 'close')
  const { username, pathname } = new URL(url)
  const here = `postgres://${username}@localhost${pathname}?host=${room}`
  async function stop() {
    child.kill('SIGINT')
    await closed
    rmSync(room, { recursive: true })
  }
  while (!(await isOpen(here))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      await stop()
      throw new Error(`it cannot be brought to that moment: ${said.trim()}`)
    }
    await wait(100)
  }
  return { url: here, stop }
}
