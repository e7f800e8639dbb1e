import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { isSigned } from './checkpointKey.ts'
import {
  type ArchiveRow,
  type Checkpoint,
  type Checkpoints,
  digestRows,
  firstDigest,
  toLine,
} from './checkpoints.ts'
import { syncFile } from './syncFile.ts'

/** What keeps an archive from being written or believed; the sentence is for the operator. */
class ArchiveError extends Error {
  override name = 'ArchiveError'
}

/** The first line of a day; its rows follow. */
type Heading = { readonly checkpoint: Checkpoint; readonly before: string }

const rowsAtOnce = 2_000

/**
 * Writes the rows of signed days, the first and last included, each under its checkpoint. `to` appears when it
 * is whole. Answers how many days and rows.
 */
export async function exportLedger(
  { checkpoints }: { readonly checkpoints: Checkpoints },
  { from, until, to }: { readonly from: string; readonly until: string; readonly to: string },
): Promise<{ readonly days: number; readonly rows: number }> {
  const all = await checkpoints.list()
  const headings = all.map((checkpoint, at): Heading => {
    return { checkpoint, before: all[at - 1]?.digest ?? firstDigest }
  })
  const asked = headings.filter(
    ({ checkpoint: { day, signature } }) => signature !== null && day >= from && day <= until,
  )
  const gone = asked.find(({ checkpoint }) => checkpoint.prunedId > checkpoint.afterId)
  if (gone) throw new ArchiveError(`rows of ${gone.checkpoint.day} have gone already`)
  const draft = `${to}.partial`
  const file = openSync(draft, 'w', 0o600)
  let rows = 0
  try {
    for (const heading of asked) rows += await writeDay(file, { checkpoints, heading })
  } finally {
    closeSync(file)
  }
  syncFile(draft)
  renameSync(draft, to)
  return { days: asked.length, rows }
}

async function writeDay(
  file: number,
  { checkpoints, heading }: { readonly checkpoints: Checkpoints; readonly heading: Heading },
): Promise<number> {
  const { throughId, entries } = heading.checkpoint
  let afterId = heading.checkpoint.afterId
  writeSync(file, `${JSON.stringify(heading)}\n`)
  for (let count = 0; ; ) {
    const rows = await checkpoints.rows({ afterId, throughId, most: rowsAtOnce })
    const last = rows.at(-1)
    if (!last) {
      if (count === entries) return count
      throw new ArchiveError(`rows of ${heading.checkpoint.day} go meanwhile`)
    }
    writeSync(file, `${rows.map(toLine).join('\n')}\n`)
    count += rows.length
    afterId = last.id
  }
}

/**
 * Whether an archive holds what its checkpoints were signed for, by one of the `trusted` keys. Answers the days
 * that it holds.
 * @throws ArchiveError naming the first day that it does not
 */
export function verifyArchive(path: string, trusted: readonly string[]): readonly string[] {
  const days: string[] = []
  let day: { readonly heading: Heading; digest: string; entries: number } | undefined
  const finish = () => {
    if (!day) return
    const { checkpoint } = day.heading
    const name = checkpoint.day
    if (!isSigned(checkpoint)) throw new ArchiveError(`${name} is not signed`)
    if (!trusted.includes(checkpoint.publicKey ?? ''))
      throw new ArchiveError(`${name} is signed under another pepper`)
    if (day.digest !== checkpoint.digest || day.entries !== checkpoint.entries)
      throw new ArchiveError(`rows of ${name} are not those that were signed`)
    days.push(name)
  }
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    // What `exportLedger` wrote, or nothing whose digest fits.
    const value = JSON.parse(line) as Heading | ArchiveLine
    if ('checkpoint' in value) {
      finish()
      day = { heading: value, digest: value.before, entries: 0 }
      continue
    }
    if (!day) throw new ArchiveError(`${path} is no archive of a ledger`)
    day.digest = digestRows(day.digest, [toRow(value)])
    day.entries += 1
  }
  finish()
  return days
}

type ArchiveLine = readonly [number, string, string, number, string, number]
const toRow = ([id, key_id, kind, units, ref, at_ms]: ArchiveLine): ArchiveRow => {
  return { id, key_id, kind, units, ref, at_ms }
}
