import { midPrice } from './midPrice.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { listNews } from './sync/followedPools.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** How far pools' prices have moved lately, as far as somebody looked. */
export type PoolMoves = {
  /** Notes the moves since the last look. */
  look(state: SyncedState): void
  /** What a pool's price is expected to move in a minute: one standard deviation, in basis points. */
  bpsPerMinute(poolId: string): number
  /** How long was looked; what is longer ago than ten minutes counts less and less. */
  observedMs(): number
}

const minuteMs = 60_000
/** After so long a move counts a third. */
const memoryMs = 10 * minuteMs

type Moved = { readonly squares: number; readonly atMs: number }

export function createPoolMoves({ now }: { readonly now: () => number }): PoolMoves {
  let last: SyncedState['pools'] | undefined
  let startedAtMs: number | undefined
  let moved = new Map<string, Moved>()

  const fade = ({ squares, atMs }: Moved, nowMs: number) =>
    squares * Math.exp((atMs - nowMs) / memoryMs)

  function forgetGone({ pools }: SyncedState) {
    if (moved.size > pools.size) moved = new Map([...moved].filter(([id]) => pools.has(id)))
  }

  return {
    look(state) {
      const nowMs = now()
      startedAtMs ??= nowMs
      if (state.pools === last) return
      for (const record of last ? listNews(state.pools, last) : []) {
        const { id } = record
        const before = last?.get(id)
        if (!before) continue
        const move = greatestMove(before, record)
        if (move === 0) continue
        const known = moved.get(id)
        const squares = (known ? fade(known, nowMs) : 0) + move ** 2
        moved.set(id, { squares, atMs: nowMs })
      }
      last = state.pools
      forgetGone(state)
    },
    bpsPerMinute(poolId) {
      const nowMs = now()
      const known = moved.get(poolId)
      if (!known || startedAtMs === undefined) return 0
      // A steady pace, faded like the moves, adds up to this long.
      const countedMs = memoryMs * (1 - Math.exp((startedAtMs - nowMs) / memoryMs))
      return Math.sqrt((fade(known, nowMs) / Math.max(countedMs, minuteMs)) * minuteMs) * 10_000
    },
    observedMs: () => (startedAtMs === undefined ? 0 : now() - startedAtMs),
  }
}

/** Of the prices of a pool's first token in each of the others: natural log, without sign. */
function greatestMove(before: PoolRecord, after: PoolRecord): number {
  const [first = '', ...others] = after.tokens
  const moves = others.map((other) =>
    Math.abs(Math.log(midPrice(after, first, other) / midPrice(before, first, other))),
  )
  return Math.max(0, ...moves.filter(Number.isFinite))
}
