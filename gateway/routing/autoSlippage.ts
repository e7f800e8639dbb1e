import { wholeBps } from '../amounts/amounts.ts'
import type { PoolMoves } from './poolMoves.ts'

export type AutoSlippage = {
  readonly bps: number
  /** What the route's price is expected to move in a minute: one standard deviation. */
  readonly moveBps: number
  readonly observedMs: number
}

/** What is asked for where nobody says anything. */
const usualBps = 50
const leastBps = 10
/** Whoever owns a pool of the route can move its price at will, and profit from what a trade then allows. */
const mostBps = 150
/** Two of three moves stay within one standard deviation, nineteen of twenty within two. */
const deviations = 2
/** Before so long was looked nothing can be said. */
const leastObservedMs = 60_000

/**
 * Slippage from what a route's pools did in the last minutes: 10 bps, and twice what they are expected to
 * move in a minute, each by its share. At most 150; at least the usual 50 while there is less than a minute
 * to go by.
 */
export function autoSlippage(
  moves: PoolMoves,
  steps: readonly { readonly poolId: string; readonly shareBps: number }[],
): AutoSlippage {
  const moveBps = steps.reduce(
    (sum, { poolId, shareBps }) => sum + (moves.bpsPerMinute(poolId) * shareBps) / Number(wholeBps),
    0,
  )
  const observedMs = moves.observedMs()
  const floorBps = observedMs < leastObservedMs ? usualBps : leastBps
  const wantedBps = Math.ceil(leastBps + deviations * moveBps)
  return { bps: Math.min(Math.max(wantedBps, floorBps), mostBps), moveBps, observedMs }
}
