import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { toClientConfig } from '../openPostgresStore.ts'
import { baseIn, draftIn, findBackup, toStamp, walIn } from './backupFolder.ts'
import { connectionTo, findProgram, ownerOf, runProgram } from './postgresPrograms.ts'

type Where = { readonly url: string; readonly folder: string }

/** The file of the log that the server writes to now. */
async function readCurrentWal(url: string): Promise<string> {
  const client = new pg.Client(toClientConfig(url))
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS name',
    )
    return rows[0]?.name ?? ''
  } finally {
    await client.end()
  }
}

/** Whether a series' log is at the file that the server writes to. */
async function isUpToDate({ url, series }: { readonly url: string; readonly series: string }) {
  const path = join(walIn(series), await readCurrentWal(url))
  return existsSync(path) || existsSync(`${path}.partial`)
}

/** Has everything that the server writes to its log written to the series too, until closed. */
function receiveWal({ url, folder }: Where, series: string) {
  const { args, env } = connectionTo(url)
  // It looks for a server that is away by itself, and goes on where it was.
  const child = spawn(findProgram('pg_receivewal'), [...args, '--directory', walIn(series)], {
    ...ownerOf(folder),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-1_000)
  })
  const closed = once(child, 'close')
  // What cannot be started shows as a log that is not up to date.
  closed.catch(() => undefined)
  return {
    series,
    said: () => said.trim(),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async close() {
      child.kill('SIGTERM')
      await closed
    },
  }
}

function makeFolder(path: string, like: string) {
  mkdirSync(path)
  const { uid, gid } = ownerOf(like)
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

const patienceMs = 30_000

/**
 * Backups of a PostgreSQL in a folder, each a series: a copy of the data (pg_basebackup, verified) and the log
 * from before that on (pg_receivewal), up to when the next series is whole. A series gives back any moment.
 */
export function createPostgresBackups({
  url,
  folder,
  now = Date.now,
}: Where & { now?: () => number }) {
  const last = findBackup(folder)
  let receiving = last && receiveWal({ url, folder }, last.path)

  /** A server that has just begun a file is a moment ahead. */
  async function catchesUp(series: string): Promise<boolean> {
    const deadline = performance.now() + patienceMs
    while (!(await isUpToDate({ url, series }))) {
      if (performance.now() > deadline) return false
      await wait(100)
    }
    return true
  }

  return {
    /** A new series; the log of the last one ends when this one is whole. */
    async make(): Promise<string> {
      const series = join(folder, toStamp(now()))
      for (const path of [series, walIn(series)]) makeFolder(path, folder)
      const next = receiveWal({ url, folder }, series)
      try {
        if (!(await catchesUp(series))) throw new Error(`pg_receivewal: ${next.said()}`)
        const { args, env } = connectionTo(url)
        const draft = draftIn(series)
        const how = ['--pgdata', draft, '--checkpoint', 'fast', '--wal-method', 'stream']
        await runProgram('pg_basebackup', [...args, ...how], { folder, env })
        await runProgram('pg_verifybackup', [draft], { folder })
        renameSync(draft, baseIn(series, now()))
      } catch (error) {
        await next.close()
        // Of no use to anybody, and each try makes another one.
        rmSync(series, { recursive: true })
        throw error
      }
      await receiving?.close()
      receiving = next
      return series
    },
    /** False where its log has a gap, or none is received: nothing but a new series helps. */
    isFollowing: async () => (receiving?.isRunning() ? catchesUp(receiving.series) : false),
    close: async () => receiving?.close(),
  }
}
