import type { PoolRecord } from './protocols/poolRecord.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** Pairs with reserves, pools with ticks of their own, pools with ticks inside one contract, and the rest. */
export type PoolKind = 'v2' | 'v3' | 'v4' | 'other'
export type PoolCounts = Readonly<Record<PoolKind | 'total', number>>

export function kindOf(record: PoolRecord): PoolKind {
  if ('key' in record) return 'v4'
  if ('sqrtPriceX96' in record) return 'v3'
  return 'reserve0' in record ? 'v2' : 'other'
}

const countsOf = new WeakMap<SyncedState['pools'], PoolCounts>()

/** Counted once for each state that is asked. */
export function countPools(pools: SyncedState['pools']): PoolCounts {
  const known = countsOf.get(pools)
  if (known) return known
  const counts = { total: pools.size, v2: 0, v3: 0, v4: 0, other: 0 }
  for (const record of pools.values()) counts[kindOf(record)] += 1
  countsOf.set(pools, counts)
  return counts
}
