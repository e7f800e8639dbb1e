import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A backup that is whole. A SQLite file holds one moment, a PostgreSQL series every one from `fromMs` on. */
export type Backup = { readonly path: string; readonly fromMs: number }

const pattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)/
const fileEnd = '.sqlite'
const basePrefix = 'base-'

/** A moment as the name of a file: 20270131T030000.000Z. */
export const toStamp = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]/g, '')

const fromStamp = (stamp: string) => Date.parse(stamp.replace(pattern, '$1-$2-$3T$4:$5:$6'))

export const sqliteName = (ms: number) => toStamp(ms) + fileEnd

/** What is in a series of PostgreSQL: a copy of the data, and the log of what was written since it began. */
export const walIn = (series: string) => join(series, 'wal')
export const draftIn = (series: string) => join(series, 'base.partial')
/** A base is whole when it has its name, which says from when on it is good. */
export const baseIn = (series: string, fromMs: number) => join(series, basePrefix + toStamp(fromMs))

function toBackup(folder: string, name: string): readonly Backup[] {
  const path = join(folder, name)
  if (name.endsWith(fileEnd)) return [{ path, fromMs: fromStamp(name.slice(0, -fileEnd.length)) }]
  const base = readdirSync(path).find((entry) => entry.startsWith(basePrefix))
  return base ? [{ path, fromMs: fromStamp(base.slice(basePrefix.length)) }] : []
}

const isOurs = (name: string) => pattern.test(name) && !name.endsWith('.partial')

/** Those that are whole, the oldest first. */
export const listBackups = (folder: string): readonly Backup[] =>
  readdirSync(folder)
    .filter(isOurs)
    .sort()
    .flatMap((name) => toBackup(folder, name))

/**
 * The newest that knows of a moment, or the newest of all: one that is ahead of now was named by a wrong clock, and
 * others are newer.
 */
export function findBackup(folder: string, toMs?: number, nowMs = Date.now()): Backup | undefined {
  const whole = listBackups(folder)
  const found = whole.findLast(({ fromMs }) => fromMs <= (toMs ?? nowMs))
  return toMs === undefined ? (found ?? whole.at(-1)) : found
}

/**
 * Removes what no moment of the last `keepMs` needs, the oldest half of all at most: by a clock that has leapt ahead
 * none would be needed. What was broken off before the newest goes as well.
 */
export function pruneBackups(
  folder: string,
  { keepMs, nowMs }: { readonly keepMs: number; readonly nowMs: number },
): void {
  const whole = listBackups(folder)
  const newest = whole.at(-1)
  const firstNeeded = whole.findIndex((_, at) => {
    const next = whole[at + 1]
    return next === undefined || next.fromMs > nowMs - keepMs
  })
  const removed = Math.min(firstNeeded, Math.floor(whole.length / 2))
  const kept = new Set(whole.slice(removed).map(({ path }) => path))
  for (const name of readdirSync(folder).filter((entry) => pattern.test(entry))) {
    const path = join(folder, name)
    if (newest && path < newest.path && !kept.has(path)) rmSync(path, { recursive: true })
  }
}
