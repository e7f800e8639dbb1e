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
 * The least input for which the steps of a route, with their shares, give `target`, between
 * nothing and `atMost`, which must give it.
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
  const atLeast = (amountIn: bigint) => {
    const tried = replayShares(market, { ...rest, amountIn })?.route
    if (tried && tried.amountOut >= target) best = tried
    else low = { amountIn, amountOut: tried?.amountOut ?? 0n }
  }
  let low = { amountIn: 0n, amountOut: 0n }
  let best = replayShares(market, { ...rest, amountIn: atMost })?.route
  if (!best || best.amountOut < target) return undefined
  while (best.amountIn - low.amountIn > 1n) {
    const width: bigint = best.amountIn - low.amountIn
    const rise: bigint = best.amountOut - low.amountOut
    // Where the chord meets the target; outputs bend downwards, so the least input lies just before it.
    const chord: bigint =
      rise > 0n ? low.amountIn + ((target - low.amountOut) * width) / rise : low.amountIn
    atLeast(clamp(chord, low.amountIn + 1n, best.amountIn - 1n))
    if (best.amountIn - low.amountIn > 1n)
      atLeast(best.amountIn - clamp((best.amountIn - low.amountIn) / 64n, 1n, width))
    // A bend too sharp for the chord: halve.
    if (best.amountIn - low.amountIn > width / 2n) atLeast((best.amountIn + low.amountIn) / 2n)
  }
  return best
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low
  return value > high ? high : value
}
