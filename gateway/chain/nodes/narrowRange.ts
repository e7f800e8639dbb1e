import type { BlockRange, Refusal } from './refusal.ts'

/** What is refused without a known reason at such a length is refused for another one than its length. */
const shortestRange = 500n

/** A range of logs in parts that the node may take, the newest last; none where shorter ones tell no more. */
export function narrowRange({ from, to }: BlockRange, refusal: Refusal | undefined): BlockRange[] {
  const span = to - from + 1n
  const named = refusal?.kind === 'range_too_wide' ? (refusal.limit ?? 0) : 0
  const isKnown = refusal?.kind === 'range_too_wide' || refusal?.kind === 'too_many_results'
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
