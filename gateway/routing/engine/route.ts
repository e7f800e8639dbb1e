/** One swap of a route. `share` (of 2^64) is the part of the balance of tokenIn it takes when its turn comes. */
export type RouteStep = {
  readonly poolId: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly share: bigint
  /** Number of the parallel path the step is shown under. */
  readonly path: number
  /** Part of the route's amountIn that flows through the step. */
  readonly shareBps: number
}

/** Steps in execution order; each pool at most once, every token fully sold before its buyers go on. */
export type Route = {
  /** What the route takes: less than asked when the pools cannot take all. */
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly gas: number
  /** How far, at most, this one lies below the best possible route; absent when not computed. */
  readonly gapBps?: number | undefined
  readonly steps: readonly RouteStep[]
}

/** The same route where nothing bounds what is best: it was found on other curves, or fewer pools. */
export const withoutGap = ({ gapBps: _, ...route }: Route): Route => route

/** How far what a route brings lies below a bound, as a part of that; NaN where its gas takes all that it brings. */
export const gapBetween = (net: number, bound: number): number =>
  net > 0 ? Math.max(0, (1 - net / bound) * 1e4) : Number.NaN
