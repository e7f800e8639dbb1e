import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { createRanking } from './ranking.ts'
import { isDeep, type PoolLimits, type Standing } from './standing.ts'
import type { Standings } from './standings.ts'

type Pools = ReadonlyMap<string, PoolRecord>

/** Who of those that are followed, and of those that come, has a place. */
export type Roster = {
  /** Everybody comes at once; ids of those without a place. */
  begin(records: readonly PoolRecord[], p: { readonly areKnown: boolean }): ReadonlySet<string>
  admit(p: {
    readonly pools: Pools
    readonly fresh: readonly PoolRecord[]
    readonly isWorthy: (standing: Standing) => boolean
  }): {
    readonly taken: readonly PoolRecord[]
    readonly left: readonly PoolRecord[]
    readonly gone: readonly PoolRecord[]
  }
  /** Everybody is measured anew; those who go. */
  review(pools: Pools): readonly PoolRecord[]
  hasRoom(pools: Pools): boolean
}

export function createRoster({
  limits,
  standings,
}: {
  readonly limits: PoolLimits
  readonly standings: Standings
}): Roster {
  const ranking = createRanking({ limits, recencyOf: standings.recencyOf })
  /** Ids of those who came since the last measurement: each look takes them as they are by then. */
  const came = new Set<string>()
  let tokenCount = 0

  function rank(measured: readonly Standing[]): void {
    ranking.rank(measured)
    came.clear()
  }

  function select(pools: Pools, news: readonly Standing[]): ReadonlySet<string> {
    const newcomers = listRecords(pools, came)
    // Pools leave for other reasons, too.
    if (ranking.size() + newcomers.length !== pools.size)
      ranking.keep((id) => pools.has(id) && !came.has(id))
    const others = newcomers.map((record) => standings.of(record, { isKnown: true }))
    const selection = ranking.select([...others, ...news])
    tokenCount = selection.tokenCount
    return selection.out
  }

  const hasRoom = (pools: Pools, news: readonly Standing[] = []) =>
    pools.size + news.length <= limits.mostPools &&
    tokenCount + news.reduce((sum, { tokens }) => sum + tokens.length, 0) <= limits.mostTokens

  /** Ids of those, new or not, for whom there is no place. */
  function makeRoom(pools: Pools, news: readonly Standing[]): ReadonlySet<string> {
    const areDeep = news.every((standing) => isDeep(standing, limits.floorUsd))
    if (!(areDeep && hasRoom(pools, news))) return select(pools, news)
    tokenCount += news.reduce((sum, { tokens }) => sum + tokens.length, 0)
    return new Set()
  }

  return {
    begin(records, { areKnown }) {
      const measured = standings.measure(records, { isKnown: areKnown })
      rank(measured)
      const { out, tokenCount: held } = ranking.select([])
      tokenCount = held
      const kept = measured.filter(({ id }) => !out.has(id))
      rank(kept.map((each) => ({ ...each, isKnown: true })))
      return out
    },
    admit({ pools, fresh, isWorthy }) {
      const worthy = standings.inTurn(fresh).filter(isWorthy)
      const out = makeRoom(pools, worthy)
      const ids = new Set(worthy.map(({ id }) => id).filter((id) => !out.has(id)))
      for (const id of ids) came.add(id)
      return {
        taken: fresh.filter(({ id }) => ids.has(id)),
        left: fresh.filter(({ id }) => !ids.has(id)),
        gone: listRecords(pools, out),
      }
    },
    review(pools) {
      rank(standings.measure([...pools.values()], { isKnown: true }))
      return listRecords(pools, select(pools, []))
    },
    hasRoom,
  }
}

function listRecords(pools: Pools, ids: ReadonlySet<string>): readonly PoolRecord[] {
  return [...ids].flatMap((id) => pools.get(id) ?? [])
}
