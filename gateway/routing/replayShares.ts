import type { Market } from './engine/market.ts'
import type { Route, RouteStep } from './engine/route.ts'
import type { EnginePool } from './protocols/enginePool.ts'

const wholeShare = 1n << 64n

export type Replayed = {
  readonly route: Route
  /** The pools as the route leaves them. */
  readonly pools: readonly EnginePool[]
}

/**
 * Runs the steps of a route with their shares on another input, exactly as the executor would.
 * Undefined where a pool refuses or does not take all it is given.
 */
export function replayShares(
  market: Market,
  {
    route,
    tokenIn,
    tokenOut,
    amountIn,
  }: {
    readonly route: Route
    readonly tokenIn: string
    readonly tokenOut: string
    readonly amountIn: bigint
  },
): Replayed | undefined {
  const balances = new Map<string, bigint>([[tokenIn, amountIn]])
  const used = new Map<string, EnginePool>()
  const steps: RouteStep[] = []
  for (const step of route.steps) {
    const pool = used.get(step.poolId) ?? market.pools[market.poolIndex.get(step.poolId) ?? -1]
    if (!pool) return undefined
    const held = balances.get(step.tokenIn) ?? 0n
    const offered = step.share === wholeShare ? held : (held * step.share) >> 64n
    const [i, j] = [pool.tokens.indexOf(step.tokenIn), pool.tokens.indexOf(step.tokenOut)]
    // The executor passes over a step that finds nothing to spend.
    const swap = offered > 0n ? pool.swap(i, j, offered) : undefined
    if (!swap || swap.amountIn !== offered) return undefined
    used.set(pool.id, swap.next)
    balances.set(step.tokenIn, held - offered)
    balances.set(step.tokenOut, (balances.get(step.tokenOut) ?? 0n) + swap.amountOut)
    steps.push({ ...step, amountIn: offered, amountOut: swap.amountOut })
  }
  const amountOut = balances.get(tokenOut) ?? 0n
  return { route: { ...route, amountIn, amountOut, steps }, pools: [...used.values()] }
}

/**
 * The least input for which the steps of a route, with their shares, give `target`, by bisection
 * between nothing and `atMost`, which must give it.
 */
export function findLeastInput(
  market: Market,
  {
    target,
    atMost,
    ...rest
  }: {
    readonly route: Route
    readonly tokenIn: string
    readonly tokenOut: string
    readonly target: bigint
    readonly atMost: bigint
  },
): Route | undefined {
  let low = 0n
  let high = atMost
  let best = replayShares(market, { ...rest, amountIn: high })?.route
  if (!best || best.amountOut < target) return undefined
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    const tried = replayShares(market, { ...rest, amountIn: middle })?.route
    if (tried && tried.amountOut >= target) {
      best = tried
      high = middle
    } else low = middle
  }
  return best
}
