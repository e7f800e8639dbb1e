import type { PoolLog } from './poolLog.ts'

/** All that either answer to one question has, in the chain's order; the first alone where the other is of another branch. */
export function mergeLogs(one: readonly PoolLog[], other: readonly PoolLog[]): readonly PoolLog[] {
  const hashes = new Map(one.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  const isOfBranch = other.every(
    ({ blockNumber, blockHash }) => (hashes.get(blockNumber) ?? blockHash) === blockHash,
  )
  const all = isOfBranch ? [...other, ...one] : one
  return sortLogs([
    ...new Map(all.map((log) => [`${log.blockNumber}:${log.logIndex}`, log])).values(),
  ])
}

export const sortLogs = (logs: readonly PoolLog[]): readonly PoolLog[] =>
  logs.toSorted(
    (one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex,
  )
