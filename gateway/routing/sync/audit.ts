import { isSampled } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

/** What the rounds of reading pools anew have come to, for health and metrics. */
export type AuditStatus = {
  readonly audited: number
  /** Pools that were not what the chain has, and have been put right. */
  readonly healed: number
}

export type Audit = {
  /** Pools to read anew; empty while it is not time for more. */
  pick(pools: ReadonlyMap<string, PoolRecord>): readonly PoolRecord[]
  /** They were read, and so many of them put right. */
  done(records: readonly PoolRecord[], healed: number): void
  status(): AuditStatus
}

const stepMs = 60_000
/** Every pool within 30 minutes and a deep one within 5: the rest is for steps that come late. */
const roundMs = 25 * 60_000
const deepRoundMs = 4 * 60_000
const mostDeep = 50

/**
 * Rounds in which all pools are read anew: what a lost event did to one is put right by then. Each step
 * takes the same part of them, those first whose turn was longest ago.
 */
export function createAudit({
  sortByDepth,
  now,
}: {
  readonly sortByDepth: (records: readonly PoolRecord[]) => readonly PoolRecord[]
  readonly now: () => number
}): Audit {
  const auditedAtMs = new Map<string, number>()
  let [pickedAtMs, sortedAtMs] = [now(), Number.NEGATIVE_INFINITY]
  let deep: ReadonlySet<string> = new Set()
  let [audited, healed] = [0, 0]

  function updateDeep(records: readonly PoolRecord[]): void {
    if (now() - sortedAtMs < deepRoundMs) return
    sortedAtMs = now()
    deep = new Set(
      sortByDepth(records)
        .slice(0, mostDeep)
        .map(({ id }) => id),
    )
  }

  /** Who came lately was read then. */
  function note(records: readonly PoolRecord[]): void {
    const ids = new Set(records.map(({ id }) => id))
    for (const id of auditedAtMs.keys()) if (!ids.has(id)) auditedAtMs.delete(id)
    for (const id of ids) if (!auditedAtMs.has(id)) auditedAtMs.set(id, now())
  }

  function take(records: readonly PoolRecord[], withinMs: number): readonly PoolRecord[] {
    const count = Math.ceil((records.length * stepMs) / withinMs)
    const atMs = ({ id }: PoolRecord) => auditedAtMs.get(id) ?? 0
    return records.toSorted((one, other) => atMs(one) - atMs(other)).slice(0, count)
  }

  return {
    pick(pools) {
      if (now() - pickedAtMs < stepMs) return []
      pickedAtMs = now()
      const records = [...pools.values()].filter((record) => !isSampled(record))
      note(records)
      updateDeep(records)
      const isDeep = ({ id }: PoolRecord) => deep.has(id)
      return [
        ...take(records.filter(isDeep), deepRoundMs),
        ...take(
          records.filter((record) => !isDeep(record)),
          roundMs,
        ),
      ]
    },
    done(records, count) {
      for (const { id } of records) auditedAtMs.set(id, now())
      audited += records.length
      healed += count
    },
    status: () => ({ audited, healed }),
  }
}
