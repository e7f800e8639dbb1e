import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { carryOperatorLog } from './operatorLog.ts'
import { createSqliteEngine } from './sqliteEngine.ts'
import { syncFile } from './syncFile.ts'

/** What keeps a backup or a restore from being done; the sentence is for the operator. */
class BackupError extends Error {
  override name = 'BackupError'
}

/** All pages in one step: one read transaction, so one moment, whatever is written meanwhile. */
const allPages = 0x7fffffff

/** Takes the place of `path` in one step; a crash leaves the old file or the new one, whole. */
function putInPlace(draft: string, path: string) {
  syncFile(draft)
  // The old file's log would be played into the new one.
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(draft, path)
  syncFile(dirname(path))
}

function removeDraft(draft: string) {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true })
}

function check(path: string) {
  if (!existsSync(path)) throw new BackupError(`there is no ${path}`)
  const db = new Database(path, { readonly: true })
  try {
    const [row] = db.pragma('integrity_check(1)') as readonly { integrity_check?: string }[]
    if (row?.integrity_check !== 'ok') throw new BackupError(`${path} is damaged`)
    requireOurs(db)
  } catch (cause) {
    if (cause instanceof BackupError) throw cause
    throw new BackupError(`${path} is no database of Forkyard`, { cause })
  } finally {
    db.close()
  }
}

const requireOurs = (db: Database.Database) => void db.prepare('SELECT 1 FROM migrations').get()

/**
 * Copies a database as of one moment while gateways write to it. `to` is whole and checked, or it is
 * what it was before.
 */
export async function backupDatabase({
  path,
  to,
}: {
  readonly path: string
  readonly to: string
}): Promise<void> {
  if (isSameFile(path, to)) throw new BackupError(`${to} is the database itself`)
  const draft = `${to}.partial`
  try {
    await copyDatabase(openExisting(path), draft)
    check(draft)
    putInPlace(draft, to)
  } catch (error) {
    // Each try of a job is a copy under another name: of a damaged database they would fill the disk.
    removeDraft(draft)
    throw error
  }
}

/** With what stands in the log beside it, though others have it open or crashed with it. */
async function copyDatabase(db: Database.Database, draft: string): Promise<void> {
  try {
    removeDraft(draft) // what a killed one left
    await db.backup(draft, { progress: () => allPages })
  } finally {
    db.close()
  }
  settle(draft)
}

/** However the two are spelt. */
function isSameFile(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false
  const [{ dev, ino }, second] = [statSync(one), statSync(other)]
  return dev === second.dev && ino === second.ino
}

function openExisting(path: string) {
  if (!existsSync(path)) throw new BackupError(`there is no ${path}`)
  return new Database(path, { fileMustExist: true })
}

/** A copy of a database in WAL mode opens with files beside it; one file is easier to keep. */
function settle(path: string) {
  const db = new Database(path)
  db.pragma('journal_mode = DELETE')
  db.close()
}

/**
 * Puts a backup in the database's place, with what operators did since. Refuses while any process has the
 * database open. Answers why the log of the database before could not be carried over, where it could not.
 */
export async function restoreDatabase({
  path,
  from,
}: {
  readonly path: string
  readonly from: string
}): Promise<{ readonly uncarried: unknown }> {
  if (isSameFile(path, from)) throw new BackupError(`${from} is the database itself`)
  check(from)
  const held = existsSync(path) ? takeAlone(path) : undefined
  try {
    const draft = `${path}.restored`
    await copyDatabase(new Database(from, { readonly: true }), draft)
    const uncarried = await carryLog(held, draft)
    putInPlace(draft, path)
    return { uncarried }
  } finally {
    held?.release()
  }
}

async function carryLog(held: Held | undefined, draft: string): Promise<unknown> {
  const copy = new Database(draft)
  try {
    // Another restore at the same moment would have taken it away.
    requireOurs(copy)
    if (!held) return undefined
    const from = createSqliteEngine(held.db)
    return await carryOperatorLog({ from, to: createSqliteEngine(copy) }).catch((cause) => cause)
  } finally {
    copy.close()
  }
}

type Held = { readonly db: Database.Database; release(): void }

/** Holds the database for itself; every open connection of another process shows as busy. */
function takeAlone(path: string): Held {
  const db = new Database(path, { timeout: 500 })
  try {
    // Not in WAL mode any more: what the log holds is in the file then, and nobody else has it open.
    db.pragma('journal_mode = DELETE')
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    // What is no database, nobody uses.
    if (isDamaged(cause)) return { db, release: () => void db.close() }
    db.close()
    throw new BackupError(`${path} is in use: stop the gateway first`, { cause })
  }
  return {
    db,
    release() {
      db.exec('ROLLBACK')
      db.close()
    },
  }
}

const isDamaged = (cause: unknown) =>
  cause instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(cause.code)
