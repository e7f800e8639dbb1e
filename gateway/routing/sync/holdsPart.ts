import type { PoolRecord } from '../protocols/poolRecord.ts'
import { isSameSwaps } from './isSameSwaps.ts'

/** Whoever pays for more ticks in somebody's pool has it left out, so that no block is late for them. */
const mostTicks = 65_536

/** Whether as much as could be read of a pool is what is known of it: events have told the rest. */
export function holdsPart(followed: PoolRecord, read: PoolRecord): boolean {
  if (!('ticks' in followed && 'ticks' in read)) return false
  const { isPart: _, ...part } = read
  const ticks = followed.ticks.slice(0, part.ticks.length)
  return followed.ticks.length <= mostTicks && isSameSwaps({ ...followed, ticks }, part)
}
