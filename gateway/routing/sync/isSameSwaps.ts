import { isDeepStrictEqual } from 'node:util'
import type { PoolRecord } from '../protocols/poolRecord.ts'

/** Whether two readings of a pool foretell the same swaps: when and how often it moved says nothing of that. */
export function isSameSwaps(one: PoolRecord, other: PoolRecord): boolean {
  return isDeepStrictEqual(toEssence(one), toEssence(other))
}

function toEssence({ changedBlock: _, swapsSeen: __, isFresh: ___, ...record }: PoolRecord) {
  return record
}
