import type { Dex } from '../../../chain/dex.ts'
import { type PoolRecord, toRef } from '../../protocols/poolRecord.ts'
import { idOf, type PoolRef } from '../../reads/poolRef.ts'
import { createAskedTokens } from './askedTokens.ts'
import type { ReferenceAssets } from './referencePrices.ts'
import { createRoster } from './roster.ts'
import { createShelf } from './shelf.ts'
import { isDeep, noLimits, type PoolLimits, type Standing } from './standing.ts'
import { createStandings } from './standings.ts'

type Pools = ReadonlyMap<string, PoolRecord>

/** What the bounds have done, for health and metrics. */
export type BoundsStatus = {
  /** Known and not followed. */
  readonly shelved: number
  /** Followed once, and left since: too shallow, or the least deep of too many. */
  readonly evicted: number
}

export type PoolBounds = {
  /** Of everything that was read at once, what is followed. */
  begin(
    records: readonly PoolRecord[],
    p?: { readonly areKnown?: boolean | undefined },
  ): readonly PoolRecord[]
  /** Which of the pools that come are taken in, and which ones make room for them. */
  admit(p: { readonly pools: Pools; readonly news: readonly PoolRecord[] }): Admission
  /** Who goes since the last look; undefined while it is not time for another. */
  review(pools: Pools): ReadonlySet<string> | undefined
  /** Callers ask for these tokens (lower case). */
  ask(tokens: readonly string[]): void
  isAsked(token: string): boolean
  /** An event of a pool that is not followed. */
  stir(id: string): void
  isShelved(id: string): boolean
  /** Whether a pool outside holds the token. */
  isShelving(token: string): boolean
  /** Pools outside whose events are listened to. */
  shelved(): readonly PoolRef[]
  /** The same pools: below the floor, or else without a place. */
  outside(): readonly { readonly pool: PoolRef; readonly isShallow: boolean }[]
  /** Those to read again, or those of them that callers ask for; empty while it is not time for more. */
  due(whose?: 'all' | 'asked'): readonly PoolRef[]
  /** Ids of those that `due` gave which are worth taking in, once they were read. The others rest. */
  sift(p: {
    readonly pools: Pools
    readonly asked: readonly PoolRef[]
    readonly read: readonly PoolRecord[]
  }): readonly string[]
  status(): BoundsStatus
}

export type Admission = {
  readonly taken: readonly PoolRecord[]
  readonly gone: ReadonlySet<string>
}

const reviewEveryMs = 30_000
const lookEveryMs = 2_000
/** Read anew in one go. */
const mostDue = 32

/** Keeps a market within bounds that strangers cannot push: what they make must hold money to count. */
export function createPoolBounds({
  assets,
  limits = noLimits,
  dexes,
  now,
}: {
  readonly assets: ReferenceAssets
  readonly limits?: PoolLimits | undefined
  readonly dexes: () => readonly Dex[]
  readonly now: () => number
}): PoolBounds {
  const isUnbounded = limits.floorUsd <= 0 && limits.mostPools === Number.POSITIVE_INFINITY
  const asked = createAskedTokens({ now })
  const shelf = createShelf({ now })
  const standings = createStandings({ assets, asked })
  const { recencyOf } = standings
  const roster = createRoster({ limits, standings })
  let reviewedAtMs = Number.NEGATIVE_INFINITY
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let evicted = 0

  const isWorthy = (standing: Standing) =>
    isDeep(standing, limits.floorUsd) || recencyOf(standing.tokens) > 0

  function shelve(records: Iterable<PoolRecord>): void {
    for (const record of records) {
      const dex = dexes().find(({ name }) => name === record.dex)
      if (!dex) continue
      const { depthUsd = 0, tokens } = standings.of(record, { isKnown: false })
      shelf.put({ pool: toRef(record, dex), tokens: standings.listOthers(tokens), depthUsd })
    }
  }

  function evict(records: readonly PoolRecord[]): ReadonlySet<string> {
    shelve(records)
    evicted += records.length
    return new Set(records.map(({ id }) => id))
  }

  return {
    begin(records, { areKnown = false } = {}) {
      if (isUnbounded) return records
      const out = roster.begin(records, { areKnown })
      shelve(records.filter(({ id }) => out.has(id)))
      return records.filter(({ id }) => !out.has(id))
    },
    admit({ pools, news }) {
      const fresh = news.filter(({ id }) => !pools.has(id))
      if (isUnbounded || fresh.length === 0) return { taken: news, gone: new Set() }
      const { taken, left, gone } = roster.admit({ pools, fresh, isWorthy })
      shelve(left)
      for (const { id } of taken) shelf.forget(id)
      const known = news.filter(({ id }) => pools.has(id))
      return { taken: [...known, ...taken], gone: evict(gone) }
    },
    review(pools) {
      if (isUnbounded || now() - reviewedAtMs < reviewEveryMs) return undefined
      reviewedAtMs = now()
      const gone = evict(roster.review(pools))
      if (roster.hasRoom(pools)) shelf.wakeDeep(limits.floorUsd)
      return gone
    },
    ask(tokens) {
      if (isUnbounded) return
      shelf.wake(asked.note(tokens))
    },
    isAsked: (token) => asked.recency(token) > 0,
    stir: shelf.stir,
    isShelved: shelf.has,
    isShelving: shelf.holds,
    shelved: shelf.pools,
    outside: () =>
      shelf.all().map(({ pool, depthUsd }) => ({ pool, isShallow: depthUsd < limits.floorUsd })),
    due(whose = 'all') {
      if (now() - lookedAtMs < lookEveryMs) return []
      lookedAtMs = now()
      return shelf.due(mostDue, whose === 'all' ? undefined : (tokens) => recencyOf(tokens) > 0)
    },
    sift({ pools, asked: wanted, read }) {
      const byId = new Map(read.map((record) => [record.id, record]))
      return wanted.map(idOf).filter((id) => {
        const record = byId.get(id)
        // What cannot be read is another list's, and what is followed already is on none.
        if (!record || pools.has(id)) shelf.forget(id)
        if (!record || pools.has(id)) return false
        if (isWorthy(standings.of(record, { isKnown: false }))) return true
        shelve([record])
        return false
      })
    },
    status: () => ({ shelved: shelf.size(), evicted }),
  }
}
