import { closeSync, createReadStream, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSigned } from './checkpointKey.ts'
import {
  type ArchiveRow,
  addRows,
  type Checkpoints,
  digestRows,
  digestSums,
  firstDigest,
  type LinkedDay,
  linkAfter,
  linkDays,
  toLine,
} from './checkpoints.ts'
import { syncFile } from './syncFile.ts'

/** What keeps an archive from being written or believed; the sentence is for the operator. */
class ArchiveError extends Error {
  override name = 'ArchiveError'
}

const rowsAtOnce = 2_000

/**
 * Writes the rows of signed days, the first and last included, each under its checkpoint. `to` appears when it
 * is whole. Answers how many days and rows.
 */
export async function exportLedger(
  { checkpoints }: { readonly checkpoints: Checkpoints },
  { from, until, to }: { readonly from: string; readonly until: string; readonly to: string },
): Promise<{ readonly days: number; readonly rows: number }> {
  const asked = linkDays(await checkpoints.list()).filter(
    ({ checkpoint: { day, signature } }) => signature !== null && day >= from && day <= until,
  )
  const gone = asked.findLast(({ checkpoint }) => checkpoint.prunedId > checkpoint.afterId)
  if (gone) throw new ArchiveError(`rows of ${gone.checkpoint.day} have gone already`)
  // Another export to the same place writes to a file of its own.
  const draft = `${to}.${process.pid}.partial`
  try {
    const rows = await writeDays(draft, { checkpoints, days: asked })
    syncFile(draft)
    renameSync(draft, to)
    syncFile(dirname(to))
    return { days: asked.length, rows }
  } finally {
    rmSync(draft, { force: true })
  }
}

async function writeDays(
  path: string,
  { checkpoints, days }: { readonly checkpoints: Checkpoints; readonly days: readonly LinkedDay[] },
): Promise<number> {
  const file = openSync(path, 'w', 0o600)
  try {
    let rows = 0
    for (const day of days) rows += await writeDay(file, { checkpoints, day })
    return rows
  } finally {
    closeSync(file)
  }
}

async function writeDay(
  file: number,
  { checkpoints, day }: { readonly checkpoints: Checkpoints; readonly day: LinkedDay },
): Promise<number> {
  const { throughId, entries } = day.checkpoint
  let { afterId } = day.checkpoint
  // A disk that is nearly full takes a part of what it is given, which `writeSync` would pass over.
  writeFileSync(file, `${JSON.stringify(day)}\n`)
  for (let count = 0; ; ) {
    const rows = await checkpoints.rows({ afterId, throughId, most: rowsAtOnce })
    const last = rows.at(-1)
    if (!last) {
      if (count === entries) return count
      throw new ArchiveError(`rows of ${day.checkpoint.day} go meanwhile`)
    }
    writeFileSync(file, `${rows.map(toLine).join('\n')}\n`)
    count += rows.length
    afterId = last.id
  }
}

/** A day of which rows have come. */
type OpenDay = {
  readonly day: LinkedDay
  digest: string
  entries: number
  readonly sums: Parameters<typeof addRows>[0]
}

/**
 * Whether an archive holds what its checkpoints were signed for, by one of the `trusted` keys, day after day.
 * Answers the days that it holds.
 * @throws ArchiveError naming the first day that it does not
 */
export async function verifyArchive(
  path: string,
  trusted: readonly string[],
): Promise<readonly string[]> {
  const days: string[] = []
  let open: OpenDay | undefined
  const finish = () => {
    if (!open) return
    requireSigned(open, trusted)
    days.push(open.day.checkpoint.day)
  }
  for await (const line of readLines(path)) {
    const value = parse(line)
    if (value && 'checkpoint' in value) {
      finish()
      if (open && value.before !== linkAfter(open.day))
        throw new ArchiveError(`${value.checkpoint.day} does not follow the day before it`)
      open = { day: value, digest: firstDigest, entries: 0, sums: new Map() }
      continue
    }
    if (!value || !open) throw new ArchiveError(`${path} is no archive of a ledger`)
    open.digest = digestRows(open.digest, [value])
    open.entries += 1
    addRows(open.sums, [value])
  }
  finish()
  if (days.length === 0) throw new ArchiveError(`${path} holds no day`)
  return days
}

function requireSigned({ day, digest, entries, sums }: OpenDay, trusted: readonly string[]): void {
  const { checkpoint } = day
  const name = checkpoint.day
  if (!trusted.includes(checkpoint.publicKey ?? ''))
    throw new ArchiveError(`${name} is signed by another key`)
  if (!isSigned(day)) throw new ArchiveError(`${name} is not signed`)
  if (digest !== checkpoint.digest || entries !== checkpoint.entries)
    throw new ArchiveError(`rows of ${name} are not those that were signed`)
  if (digestSums(sums) !== checkpoint.sumsDigest)
    throw new ArchiveError(`what was signed of ${name} is not what its rows come to`)
}

/** Ended by a line feed alone, whatever else a row's text holds: an archive may be longer than a string. */
async function* readLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const part of createReadStream(path, 'utf8')) {
    const lines = `${rest}${part}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** A day or a row as `exportLedger` wrote it, or something whose digest fits nothing; undefined for neither. */
function parse(line: string): LinkedDay | ArchiveRow | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined // a line that was cut off
  }
  if (Array.isArray(value)) {
    const [id, key_id, kind, units, ref, at_ms] = value
    return { id, key_id, kind, units, ref, at_ms }
  }
  const { checkpoint } = (value ?? {}) as Partial<LinkedDay>
  return typeof checkpoint === 'object' && checkpoint ? (value as LinkedDay) : undefined
}
