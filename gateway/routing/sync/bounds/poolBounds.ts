import type { Dex } from '../../../chain/dex.ts'
import { type PoolRecord, toRef } from '../../protocols/poolRecord.ts'
import { idOf, type PoolRef } from '../../reads/poolRef.ts'
import { createAskedTokens } from './askedTokens.ts'
import { blankGauge, countLeaning, depthOf, type Gauge, measureDepths } from './measureDepths.ts'
import type { ReferenceAssets } from './referencePrices.ts'
import { isDeep, noLimits, type PoolLimits, type Standing, selectPools } from './selectPools.ts'
import { createShelf } from './shelf.ts'

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
  /** Those to read again; empty while it is not time for more. */
  due(): readonly PoolRef[]
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

type Candidate = { readonly record: PoolRecord; readonly standing: Standing }

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
  let gauge: Gauge = blankGauge
  let depths: ReadonlyMap<string, number | undefined> = new Map()
  /** Of the pools that were followed then. */
  let tokenCount = 0
  let reviewedAtMs = Number.NEGATIVE_INFINITY
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let evicted = 0

  const othersOf = ({ tokens }: PoolRecord) => tokens.filter((token) => !gauge.prices.has(token))

  /** The token asked for longest ago tells; reference assets are always asked for. */
  function recencyOf(record: PoolRecord): number {
    const others = othersOf(record)
    return others.length === 0 ? 0 : Math.min(...others.map(asked.recency))
  }

  function standingOf(record: PoolRecord, isKnown: boolean): Standing {
    const { id, tokens } = record
    const depthUsd = depths.has(id) && isKnown ? depths.get(id) : depthOf(record, gauge)
    return { id, tokens, depthUsd, isKnown, recency: recencyOf(record) }
  }

  function shelve(records: Iterable<PoolRecord>): void {
    for (const record of records) {
      const dex = dexes().find(({ name }) => name === record.dex)
      if (!dex) continue
      const depthUsd = depthOf(record, gauge) ?? 0
      shelf.put({ pool: toRef(record, dex), tokens: othersOf(record), depthUsd })
    }
  }

  function measure(records: readonly PoolRecord[]): void {
    const measured = measureDepths(records, assets)
    gauge = measured.gauge
    depths = measured.depths
    tokenCount = new Set(records.flatMap(({ tokens }) => tokens)).size
  }

  const hasRoom = (pools: Pools, news: readonly PoolRecord[]) =>
    pools.size + news.length <= limits.mostPools &&
    tokenCount + news.reduce((sum, { tokens }) => sum + tokens.length, 0) <= limits.mostTokens

  const isWorthy = (standing: Standing) => isDeep(standing, limits.floorUsd) || standing.recency > 0

  /** One after the other, or a thousand of a block would all be as deep as the first. */
  function standInTurn(records: readonly PoolRecord[]): readonly Candidate[] {
    return records.map((record) => {
      const standing = standingOf(record, false)
      countLeaning(record, gauge)
      return { record, standing }
    })
  }

  /** Everybody stands for a place: the news as well as who is in. */
  function selectAnew(pools: Pools, news: readonly Candidate[]): Admission {
    const standings = [
      ...[...pools.values()].map((record) => standingOf(record, true)),
      ...news.map(({ standing }) => standing),
    ]
    const kept = selectPools(standings, limits)
    const gone = [...pools.values()].filter(({ id }) => !kept.has(id))
    const records = news.map(({ record }) => record)
    const taken = records.filter(({ id }) => kept.has(id))
    shelve([...gone, ...records.filter(({ id }) => !kept.has(id))])
    evicted += gone.length
    return { taken, gone: new Set(gone.map(({ id }) => id)) }
  }

  function admitFresh(pools: Pools, fresh: readonly PoolRecord[]): Admission {
    const candidates = standInTurn(fresh)
    const worthy = candidates.filter(({ standing }) => isWorthy(standing))
    const others = candidates.filter(({ standing }) => !isWorthy(standing))
    shelve(others.map(({ record }) => record))
    const news = worthy.map(({ record }) => record)
    const areDeep = worthy.every(({ standing }) => isDeep(standing, limits.floorUsd))
    if (!(areDeep && hasRoom(pools, news))) return selectAnew(pools, worthy)
    tokenCount += news.reduce((sum, { tokens }) => sum + tokens.length, 0)
    return { taken: news, gone: new Set() }
  }

  return {
    begin(records, { areKnown = false } = {}) {
      if (isUnbounded) return records
      measure(records)
      const standings = records.map((record) => standingOf(record, areKnown))
      const kept = selectPools(standings, limits)
      shelve(records.filter(({ id }) => !kept.has(id)))
      return records.filter(({ id }) => kept.has(id))
    },
    admit({ pools, news }) {
      if (isUnbounded || news.length === 0) return { taken: news, gone: new Set() }
      const fresh = news.filter(({ id }) => !pools.has(id))
      const known = news.filter(({ id }) => pools.has(id))
      if (fresh.length === 0) return { taken: known, gone: new Set() }
      const { taken, gone } = admitFresh(pools, fresh)
      for (const { id } of taken) shelf.forget(id)
      return { taken: [...known, ...taken], gone }
    },
    review(pools) {
      if (isUnbounded || now() - reviewedAtMs < reviewEveryMs) return undefined
      reviewedAtMs = now()
      measure([...pools.values()])
      const { gone } = selectAnew(pools, [])
      if (hasRoom(pools, [])) shelf.wakeDeep(limits.floorUsd)
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
    due() {
      if (now() - lookedAtMs < lookEveryMs) return []
      lookedAtMs = now()
      return shelf.due(mostDue)
    },
    sift({ pools, asked: wanted, read }) {
      const byId = new Map(read.map((record) => [record.id, record]))
      return wanted.map(idOf).filter((id) => {
        const record = byId.get(id)
        // What cannot be read is another list's, and what is followed already is on none.
        if (!record || pools.has(id)) shelf.forget(id)
        if (!record || pools.has(id)) return false
        if (isWorthy(standingOf(record, false))) return true
        shelve([record])
        return false
      })
    },
    status: () => ({ shelved: shelf.size(), evicted }),
  }
}
