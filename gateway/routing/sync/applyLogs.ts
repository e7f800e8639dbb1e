import { familyOf, poolIdOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { PoolLog } from '../reads/poolLog.ts'

/** Folds the events into the pools; what only another read can tell is added to `stale`. */
export function applyLogs({
  state,
  logs,
  stale,
}: {
  readonly state: { readonly pools: Pick<ReadonlyMap<string, PoolRecord>, 'get'> }
  readonly logs: readonly PoolLog[]
  readonly stale: Set<string>
}): Map<string, PoolRecord> {
  const changed = new Map<string, PoolRecord>()
  for (const log of logs) {
    const id = poolIdOf(log)
    const before = changed.get(id) ?? state.pools.get(id)
    if (!before || stale.has(id)) continue
    const after = applyOne(before, log)
    if (!after) stale.add(id)
    else if (after !== before) changed.set(id, after)
  }
  for (const id of stale) changed.delete(id)
  return changed
}

/** An event that does not read as it should says that something changed, and not what. */
function applyOne(record: PoolRecord, log: PoolLog): PoolRecord | undefined {
  try {
    return familyOf(record).apply(record, log)
  } catch {
    return undefined
  }
}
