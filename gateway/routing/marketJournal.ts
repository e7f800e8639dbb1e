import { type Market, poolOf } from './engine/market.ts'
import { at, listOthers } from './engine/pieces.ts'
import type { EnginePool } from './protocols/maths/enginePool.ts'

type Change = { readonly version: number; readonly ids: readonly string[] }

/** Steps back that are kept: at four blocks a second those of a quarter of a minute. */
const mostChanges = 64

/** Tells by which pools markets differ, in the order in which searches come by them. */
export function createMarketJournal() {
  let last: Market | undefined
  const known = new WeakMap<Market, number>()
  let version = 0
  let oldest = 0
  let changes: Change[] = []
  return {
    /** The version that stands for this market: of one that came by before, as it was. */
    enter(market: Market): number {
      const before = known.get(market)
      if (before !== undefined) return before
      version += 1
      known.set(market, version)
      const ids = last && listChanged(last, market)
      last = market
      if (ids) changes.push({ version, ids })
      else changes = []
      if (changes.length > mostChanges) changes.shift()
      oldest = (changes[0]?.version ?? version + 1) - 1
      return version
    },
    /** Ids of the pools that may be others now than at a version; undefined where nobody remembers. */
    since(from: number): ReadonlySet<string> | undefined {
      if (from < oldest) return undefined
      return new Set(changes.flatMap((change) => (change.version > from ? change.ids : [])))
    },
  }
}

/** Ids of pools that came, went or changed; undefined where even the tokens have other places. */
function listChanged(one: Market, other: Market): readonly string[] | undefined {
  if (listOthers(one.tokens, other.tokens).length > 0) return undefined
  const others = listOthers(other.pools, one.pools).map((index) => at(other.pools, index))
  const left = listOthers(one.pools, other.pools).map((index) => at(one.pools, index))
  const isOther = (pool: EnginePool | undefined) => pool && poolOf(one, pool.id) !== pool
  const isGone = (pool: EnginePool | undefined) => pool && !other.poolIndex.has(pool.id)
  return [...others.filter(isOther), ...left.filter(isGone)].flatMap((pool) => pool?.id ?? [])
}
