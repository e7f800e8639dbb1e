import { isDeepStrictEqual } from 'node:util'
import { isQuoted } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

/**
 * Whether two readings of a pool foretell the same swaps: when and how often it moved says nothing of that, nor
 * does the fee of one whose quoter is asked.
 */
export function isSameSwaps(one: PoolRecord, other: PoolRecord): boolean {
  return isDeepStrictEqual(toEssence(one), toEssence(other))
}

function toEssence(whole: PoolRecord) {
  const { changedBlock: _, swapsSeen: __, isFresh: ___, ...record } = whole
  return isQuoted(whole) ? { ...record, feePips: 0, feePips1: 0, lpFeePips: 0 } : record
}
