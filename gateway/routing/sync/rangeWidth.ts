import { narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange, Refusal } from '../../chain/nodes/refusal.ts'

/** At first, and never more. */
const widestBlocks = 1_000_000n
/** Ranges that are given before a wider one is tried, twice as many after each such trial that was refused in a row. */
const [fewestGiven, mostGiven] = [8, 512]

export type RangeWidth = {
  /** The newest of these blocks, as many as are asked for at once. */
  cut(range: BlockRange): BlockRange
  gave(range: BlockRange): void
  /** Whether fewer are asked for from now on. */
  refused(range: BlockRange, refusal: Refusal | undefined): boolean
}

/**
 * How many blocks a node is asked for at once, who limits them by errors of many kinds: fewer after each refusal,
 * and an eighth more now and then. Where more than it gives is refused, what it gives is asked for again.
 */
export function createRangeWidth({ least }: { readonly least: bigint }): RangeWidth {
  let blocks = widestBlocks
  /** Wider ones were not given since one was refused. */
  let settled = widestBlocks
  let [calm, left] = [fewestGiven, 0]

  return {
    cut({ from, to }) {
      const lowest = to - blocks + 1n
      return { from: lowest > from ? lowest : from, to }
    },
    gave(range) {
      // Fewer than are asked for: there were no more.
      if (lengthOf(range) < blocks) return
      if (blocks > settled) calm = fewestGiven
      settled = blocks
      left = Math.max(0, left - 1)
      if (left > 0) return
      const wider = blocks + blocks / 8n
      blocks = wider < widestBlocks ? wider : widestBlocks
    },
    refused(range, refusal) {
      const newest = narrowRange(range, refusal).at(-1)
      if (!newest) return false
      const isTrial = lengthOf(range) > settled
      const isNamed = refusal?.kind === 'range_too_wide' && refusal.limit !== undefined
      const fewer = isTrial && !isNamed ? settled : lengthOf(newest)
      const next = isNamed || fewer > least ? fewer : least
      if (next < least || next >= lengthOf(range)) return false
      // What had been given is refused: its limit is another one now.
      calm = isTrial ? Math.min(2 * calm, mostGiven) : fewestGiven
      blocks = next
      settled = next
      left = calm
      return true
    },
  }
}

const lengthOf = ({ from, to }: BlockRange) => to - from + 1n
