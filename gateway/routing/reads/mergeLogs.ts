import type { PoolLog } from './poolLog.ts'

/** All that either answer to one question has, in the chain's order. */
export function mergeLogs(one: readonly PoolLog[], other: readonly PoolLog[]): readonly PoolLog[] {
  const byPlace = new Map(
    [...other, ...one].map((log) => [`${log.blockNumber}:${log.logIndex}`, log]),
  )
  return sortLogs([...byPlace.values()])
}

export const sortLogs = (logs: readonly PoolLog[]): readonly PoolLog[] =>
  logs.toSorted(
    (one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex,
  )
