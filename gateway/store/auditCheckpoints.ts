import type { Fault } from './auditBooks.ts'
import { isSigned } from './checkpointKey.ts'
import {
  addRows,
  type Checkpoint,
  digestKeptSums,
  digestRows,
  digestSums,
  firstDigest,
  type LinkedDay,
  linkDays,
  listCheckpoints,
  readArchive,
} from './checkpoints.ts'
import type { Program } from './program.ts'

const rowsAtOnce = 2_000

/** Whether the rows that a checkpoint holds are those that it was made of. */
function* judgeRows(checkpoint: Checkpoint): Program<string | undefined> {
  let [digest, afterId, entries] = [firstDigest, checkpoint.afterId, 0]
  const sums: Parameters<typeof addRows>[0] = new Map()
  for (;;) {
    const rows = yield* readArchive({ ...checkpoint, afterId }, rowsAtOnce)
    const last = rows.at(-1)
    if (!last) break
    digest = digestRows(digest, rows)
    addRows(sums, rows)
    entries += rows.length
    afterId = last.id
  }
  if (digest !== checkpoint.digest || entries !== checkpoint.entries)
    return `${entries} rows of ${checkpoint.entries}, and their digest is another`
  const sumsDigest = checkpoint.sumsDigest ?? (yield* digestKeptSums(checkpoint.day))
  return digestSums(sums) === sumsDigest ? undefined : "its keys' sums are not those of its rows"
}

const brokenLink = 'its signature is not of what it and the days before it say'

function* judge(
  linked: LinkedDay,
  last: Checkpoint | undefined,
): Program<readonly (string | undefined)[]> {
  const { afterId, prunedId, sumsDigest, signature, day } = linked.checkpoint
  const isWhole = prunedId === afterId
  return [
    afterId === (last?.throughId ?? 0) ? undefined : 'does not follow the one before',
    last?.signature === null ? 'follows a day that is not signed' : undefined,
    isWhole || signature !== null ? undefined : 'its rows have gone, and it is not signed',
    isWhole ? yield* judgeRows(linked.checkpoint) : undefined,
    signature === null || isSigned(linked) ? undefined : brokenLink,
    signature === null || (yield* digestKeptSums(day)) === sumsDigest
      ? undefined
      : "its keys' sums are not those that were signed",
  ]
}

/**
 * Whether the checkpoints hold what was signed. The newest of them must be signed by one of the `trusted` keys;
 * its signature is over all before it, too, whatever pepper they were signed under.
 */
export function* auditCheckpoints({
  trusted,
}: {
  readonly trusted: readonly string[]
}): Program<readonly Fault[]> {
  const faults: Fault[] = []
  const days = linkDays(yield* listCheckpoints())
  for (const [at, linked] of days.entries())
    for (const found of yield* judge(linked, days[at - 1]?.checkpoint)) {
      // Every day after a changed one is signed over it.
      const isTold = found === brokenLink && faults.some((one) => one.found === brokenLink)
      if (found && !isTold) faults.push({ check: 'checkpoint', row: linked.checkpoint.day, found })
    }
  const newest = days.findLast(({ checkpoint }) => checkpoint.signature !== null)?.checkpoint
  if (newest && !trusted.includes(newest.publicKey ?? ''))
    faults.push({ check: 'checkpoint', row: newest.day, found: 'signed under another pepper' })
  return faults
}
