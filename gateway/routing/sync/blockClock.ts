import type { Hex } from 'viem'
import type { BlockHead } from '../reads/readHead.ts'

/** By so many a chain that has become faster is told from blocks that came close together. */
const pacedFinds = 8
/** Of the usual time: a chain that is faster by less keeps it. */
const fasterShare = 0.9
/** Parts of the usual time: a look is made so much later after one in vain, and earlier after one that was not. */
const [laterPart, leastEarlierPart] = [8, 128]
/** A timer may end a moment early. */
const graceMs = 5

type Find = { readonly number: number; readonly hash: Hex; readonly atMs: number }

/**
 * When a chain's next block is due, by when those before were found: clocks of nodes are off, and four blocks
 * of Arbitrum One have one time. A look at it that is in vain moves the next ones, one that is not moves them
 * back a little: some one in seventeen is in vain.
 */
export function createBlockClock({
  usualMs,
  leastMs,
}: {
  /** Between two blocks. */
  readonly usualMs: number
  readonly leastMs: number
}) {
  const laterMs = usualMs / laterPart
  let finds: readonly Find[] = []
  /** When the newest block is taken to have come; undefined until one was looked for in vain before it came. */
  let cameMs: number | undefined
  let earlierMs = laterMs
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let vain = 0
  /** Blocks that came far too late, one after the other. */
  let strays = 0

  function paceMs(): number {
    const [first, last] = [finds[0], finds.at(-1)]
    const blocks = first && last ? last.number - first.number : 0
    const pace = first && last && blocks > 0 ? (last.atMs - first.atMs) / blocks : usualMs
    return pace < fasterShare * usualMs ? Math.max(leastMs, pace) : usualMs
  }

  const dueMs = () => (cameMs === undefined ? undefined : cameMs + paceMs())

  function wait(sinceMs: number): void {
    cameMs = sinceMs
    earlierMs = laterMs
  }

  /** Where the block just found belongs, with what was due. */
  function move(blocks: number, atMs: number): void {
    const due = dueMs()
    if (due === undefined) {
      if (vain > 0) wait(atMs)
      return
    }
    // Whatever was found has come: a chain may make more blocks than are due, or a node name any number.
    const expectedMs = Math.min(atMs, due + (blocks - 1) * paceMs())
    const lateMs = atMs - expectedMs
    strays = vain > 1 ? strays + 1 : 0
    if (strays > 1 || blocks < 1) wait(atMs)
    else if (strays === 1) cameMs = expectedMs
    else if (vain === 1) {
      cameMs = expectedMs + laterMs
      earlierMs = Math.max(usualMs / leastEarlierPart, earlierMs / 2)
    } else if (lateMs > usualMs) cameMs = undefined
    else cameMs = expectedMs - (lateMs < laterMs ? earlierMs : 0)
  }

  return {
    /** What a look has found that began at `atMs`; told twice it counts once. */
    note({ number, hash }: Pick<BlockHead, 'number' | 'hash'>, atMs: number): void {
      if (atMs <= lookedAtMs || !Number.isFinite(atMs)) return
      const last = finds.at(-1)
      const due = dueMs()
      lookedAtMs = atMs
      if (hash === last?.hash) {
        if (due === undefined || atMs >= due - graceMs) vain += 1
        return
      }
      const blocks = last ? Number(number) - last.number : 1
      if (last) move(blocks, atMs)
      // Several at once: what was before says little of its pace.
      finds = [
        ...finds.slice(blocks > 1 ? -1 : 1 - pacedFinds),
        { number: Number(number), hash, atMs },
      ]
      vain = 0
    },
    /** When to look next; undefined where nobody can tell. */
    lookAtMs(pollMs: number): number | undefined {
      const due = dueMs()
      if (due === undefined || vain === 0) return due
      return lookedAtMs + (vain === 1 ? Math.min(pollMs, Math.max(leastMs, laterMs)) : pollMs)
    },
  }
}
export type BlockClock = ReturnType<typeof createBlockClock>
