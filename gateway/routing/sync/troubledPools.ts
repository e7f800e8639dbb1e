import { idOf, type PoolRef } from '../reads/poolRef.ts'

/** A pool that is not followed, since reading it failed. */
export type LeftOutPool = { readonly dex: string; readonly pool: string; readonly reason: string }

export type TroubledPools = {
  /** Whether it was asked in vain so lately that it is not asked again. */
  isResting(id: string): boolean
  /** Without a reason it is a pool that swaps do not follow from, or none at all: nothing to tell. */
  leaveOut(pool: PoolRef, reason: string | undefined): void
  /** It was read. Its failures are forgotten when it has been well for long. */
  takeIn(id: string): void
  /** Not to be waited for: it is among the next ones that are due. */
  postpone(pool: PoolRef): void
  /** It is empty, paused or not open yet: an event of it may end that. */
  expect(pool: PoolRef): void
  /** Something happened to the pool, where it is expected: it is due. Not for one that was asked in vain so often. */
  wake(id: string): PoolRef | undefined
  /** Why it is left out, where there is anything to tell. */
  reasonOf(id: string): string | undefined
  /** Those whose pause is over, at most so many. */
  due(most: number): readonly PoolRef[]
  /** All of them, also those that there is nothing to tell of. */
  out(): readonly { readonly pool: PoolRef; readonly reason: string | undefined }[]
  /** All that may be woken, the latest first. */
  expected(): readonly PoolRef[]
  /** Those that fail, the latest first. */
  list(): readonly LeftOutPool[]
}

type Entry = {
  readonly pool: PoolRef
  readonly reason: string | undefined
  readonly isOut: boolean
  readonly isExpected: boolean
  readonly strikes: number
  readonly changedAtMs: number
  readonly untilMs: number
}

const firstPauseMs = 30_000
const longestPauseMs = 3_600_000
/** Beyond it the oldest are forgotten: asked again, they are known again. */
const mostKnown = 10_000

/** Made, filled, opened: what happens more often in vain is done to be asked. */
const mostWakes = 6

const isWakeable = ({ isOut, isExpected, strikes }: Entry) =>
  isOut && isExpected && strikes <= mostWakes

/**
 * Pools that could not be read: anybody may make one that burns all gas, answers megabytes or lies. Each
 * costs only itself, and is tried again after pauses that grow with each failure.
 */
export function createTroubledPools({ now }: { readonly now: () => number }): TroubledPools {
  const entries = new Map<string, Entry>()

  function put(id: string, entry: Entry): void {
    entries.delete(id)
    entries.set(id, entry)
    const [oldest] = entries.size > mostKnown ? entries.keys() : []
    if (oldest !== undefined) entries.delete(oldest)
  }

  /** Who was well for as long as the longest pause begins anew. */
  function strikesOf(before: Entry | undefined): number {
    if (!before) return 0
    const isForgiven = !before.isOut && now() - before.changedAtMs > longestPauseMs
    return isForgiven ? 0 : before.strikes
  }

  function leaveOut(pool: PoolRef, why: Pick<Entry, 'reason' | 'isExpected'>): void {
    const id = idOf(pool)
    const strikes = strikesOf(entries.get(id)) + 1
    const pauseMs = Math.min(firstPauseMs * 2 ** (strikes - 1), longestPauseMs)
    const changedAtMs = now()
    put(id, { pool, ...why, isOut: true, strikes, changedAtMs, untilMs: changedAtMs + pauseMs })
  }

  return {
    isResting(id) {
      const entry = entries.get(id)
      return entry?.isOut === true && now() < entry.untilMs
    },
    leaveOut: (pool, reason) => leaveOut(pool, { reason, isExpected: false }),
    takeIn(id) {
      const entry = entries.get(id)
      if (entry?.isOut) entries.set(id, { ...entry, isOut: false, changedAtMs: now() })
    },
    postpone(pool) {
      const strikes = strikesOf(entries.get(idOf(pool)))
      const changedAtMs = now()
      const at = { changedAtMs, untilMs: changedAtMs }
      put(idOf(pool), { pool, reason: undefined, isOut: true, isExpected: false, strikes, ...at })
    },
    expect: (pool) => leaveOut(pool, { reason: undefined, isExpected: true }),
    wake(id) {
      const entry = entries.get(id)
      if (!entry || !isWakeable(entry)) return undefined
      entries.set(id, { ...entry, untilMs: now() })
      return entry.pool
    },
    reasonOf(id) {
      const entry = entries.get(id)
      return entry?.isOut ? entry.reason : undefined
    },
    due: (most) =>
      [...entries.values()]
        .filter(({ isOut, untilMs }) => isOut && untilMs <= now())
        .slice(0, most)
        .map(({ pool }) => pool),
    out: () => [...entries.values()].filter(({ isOut }) => isOut),
    expected: () =>
      [...entries.values()]
        .filter(isWakeable)
        .map(({ pool }) => pool)
        .toReversed(),
    list: () =>
      [...entries.values()]
        .flatMap(({ pool, reason, isOut }) => {
          if (!isOut || reason === undefined) return []
          return [{ dex: pool.dex.name, pool: pool.id ?? pool.address, reason }]
        })
        .toReversed(),
  }
}
