import type { PoolLog } from './poolLog.ts'

const placeOf = ({ blockNumber, logIndex }: PoolLog) => `${blockNumber}:${logIndex}`
/** All that counts of a log, but for the hash of its block. */
export const wordsOf = (log: PoolLog) =>
  [placeOf(log), log.address, ...log.topics, log.data].join().toLowerCase()

/** All that either answer to one question has, in the chain's order; the first alone where the other is of another branch. */
export function mergeLogs(one: readonly PoolLog[], other: readonly PoolLog[]): readonly PoolLog[] {
  const all = isOneBranch(one, other) ? [...other, ...one] : one
  return sortLogs([...new Map(all.map((log) => [placeOf(log), log])).values()])
}

/** Those that the other answer alone has. */
export function listAdded(one: readonly PoolLog[], other: readonly PoolLog[]): readonly PoolLog[] {
  const known = new Set(one.map(placeOf))
  return isOneBranch(one, other) ? other.filter((log) => !known.has(placeOf(log))) : []
}

/** Those that the others have not in the very same words. */
export function listLacking(
  logs: readonly PoolLog[],
  others: readonly PoolLog[],
): readonly PoolLog[] {
  const known = new Set(others.map(wordsOf))
  return logs.filter((log) => !known.has(wordsOf(log)))
}

/**
 * What one answer alone tells. `reached`: as far as the other one is known to reach, whose node may not have the
 * newest blocks yet, or others.
 */
export function listContested(
  one: readonly PoolLog[],
  other: readonly PoolLog[],
  which: 'all' | 'reached',
): readonly PoolLog[] {
  if (which === 'all') return [...listLacking(other, one), ...listLacking(one, other)]
  if (!isOneBranch(one, other)) return []
  const last = sortLogs(other).at(-1)?.blockNumber ?? -1n
  const reached = one.filter(({ blockNumber }) => blockNumber <= last)
  return [...listLacking(other, one), ...listLacking(reached, other)]
}

function isOneBranch(one: readonly PoolLog[], other: readonly PoolLog[]): boolean {
  const hashes = new Map(one.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  return other.every(
    ({ blockNumber, blockHash }) => (hashes.get(blockNumber) ?? blockHash) === blockHash,
  )
}

export const sortLogs = (logs: readonly PoolLog[]): readonly PoolLog[] =>
  logs.toSorted(
    (one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex,
  )
