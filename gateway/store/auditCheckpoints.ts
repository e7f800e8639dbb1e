import type { Fault } from './auditBooks.ts'
import { isSigned } from './checkpointKey.ts'
import {
  type Checkpoint,
  digestRows,
  digestSums,
  firstDigest,
  listCheckpoints,
  readArchive,
} from './checkpoints.ts'
import type { Program } from './program.ts'

const rowsAtOnce = 2_000

/** Whether the rows that a checkpoint holds are those that it was made of. */
function* judgeRows(
  checkpoint: Checkpoint,
  { before }: { readonly before: string },
): Program<string | undefined> {
  let [digest, afterId, entries] = [before, checkpoint.afterId, 0]
  for (;;) {
    const rows = yield* readArchive({ ...checkpoint, afterId }, rowsAtOnce)
    const last = rows.at(-1)
    if (!last) break
    digest = digestRows(digest, rows)
    entries += rows.length
    afterId = last.id
  }
  if (digest === checkpoint.digest && entries === checkpoint.entries) return undefined
  return `${entries} rows of ${checkpoint.entries}, and their digest is another`
}

function* judge(
  checkpoint: Checkpoint,
  last: Checkpoint | undefined,
): Program<readonly (string | undefined)[]> {
  const { afterId, prunedId, sumsDigest, signature, day } = checkpoint
  const isWhole = prunedId === afterId
  return [
    afterId === (last?.throughId ?? 0) ? undefined : 'does not follow the one before',
    isWhole ? yield* judgeRows(checkpoint, { before: last?.digest ?? firstDigest }) : undefined,
    signature === null || isSigned(checkpoint) ? undefined : 'its signature is not of what it says',
    signature === null || (yield* digestSums(day)) === sumsDigest
      ? undefined
      : "its keys' sums are not those that were signed",
  ]
}

/**
 * Whether the checkpoints hold what was signed. The newest of them must be signed by one of the `trusted` keys;
 * it holds the digests of all before it, whatever pepper they were signed under.
 */
export function* auditCheckpoints({
  trusted,
}: {
  readonly trusted: readonly string[]
}): Program<readonly Fault[]> {
  const faults: Fault[] = []
  const checkpoints = yield* listCheckpoints()
  for (const [at, checkpoint] of checkpoints.entries())
    for (const found of yield* judge(checkpoint, checkpoints[at - 1]))
      if (found) faults.push({ check: 'checkpoint', row: checkpoint.day, found })
  const newest = checkpoints.findLast(({ signature }) => signature !== null)
  if (newest && !trusted.includes(newest.publicKey ?? ''))
    faults.push({ check: 'checkpoint', row: newest.day, found: 'signed under another pepper' })
  return faults
}
