import type { BlockRange, Refusal, RefusalKind } from './refusal.ts'

/** What is refused without a known reason at such a length is refused for another one than its length. */
const shortestRange = 500n

/** A shorter one has fewer logs, too. */
const ofLength: ReadonlySet<RefusalKind> = new Set([
  'range_too_wide',
  'too_many_results',
  'answer_too_large',
])

/** Whether it was said of a range's length, or of what it holds. */
export const isOfLength = (refusal: Refusal | undefined): boolean =>
  refusal !== undefined && ofLength.has(refusal.kind)

/** A range of logs in parts that the node may take, the newest last; none where shorter ones tell no more. */
export function narrowRange({ from, to }: BlockRange, refusal: Refusal | undefined): BlockRange[] {
  const span = to - from + 1n
  const named = refusal?.kind === 'range_too_wide' ? (refusal.limit ?? 0) : 0
  const isKnown = isOfLength(refusal)
  if (span <= 1n || (!isKnown && span <= shortestRange)) return []
  if (named <= 0 || BigInt(named) >= span) {
    const middle = (from + to) >> 1n
    return [
      { from, to: middle },
      { from: middle + 1n, to },
    ]
  }
  const newest = to - BigInt(named) + 1n
  return [
    { from, to: newest - 1n },
    { from: newest, to },
  ]
}
