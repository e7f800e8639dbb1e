import { type Market, poolOf } from './engine/market.ts'
import { type Route, type RouteStep, withoutGap } from './engine/route.ts'
import type { EnginePool } from './protocols/maths/enginePool.ts'

export type Replayed = {
  readonly route: Route
  /** The pools that were run, as the route leaves them. */
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
    isSame = () => false,
  }: {
    readonly route: Route
    readonly tokenIn: string
    readonly tokenOut: string
    readonly amountIn: bigint
    /** Pools as the route found them: they give the same for the same, and are not run again. */
    readonly isSame?: ((poolId: string) => boolean) | undefined
  },
): Replayed | undefined {
  const balances = new Map<string, bigint>([[tokenIn, amountIn]])
  const used = new Map<string, EnginePool>()
  const steps: RouteStep[] = []
  for (const step of route.steps) {
    const pool = used.get(step.poolId) ?? poolOf(market, step.poolId)
    if (!pool) return undefined
    const held = balances.get(step.tokenIn) ?? 0n
    const offered = (held * step.share) >> 64n
    const [i, j] = [pool.tokens.indexOf(step.tokenIn), pool.tokens.indexOf(step.tokenOut)]
    if (i < 0 || j < 0) return undefined
    // The executor passes over a step that finds nothing to spend.
    const isKnown = offered === step.amountIn && isSame(step.poolId)
    const swap = !isKnown && offered > 0n ? pool.swap(i, j, offered) : undefined
    if (!isKnown && swap?.amountIn !== offered) return undefined
    if (swap) used.set(pool.id, swap.next)
    const { amountOut } = swap ?? step
    balances.set(step.tokenIn, held - offered)
    balances.set(step.tokenOut, (balances.get(step.tokenOut) ?? 0n) + amountOut)
    steps.push({ ...step, amountIn: offered, amountOut })
  }
  const amountOut = balances.get(tokenOut) ?? 0n
  const isAsFound = amountIn === route.amountIn && amountOut === route.amountOut
  const replayed = { ...(isAsFound ? route : withoutGap(route)), amountIn, amountOut, steps }
  return { route: replayed, pools: [...used.values()] }
}

/**
 * The least input for which the steps of a route, with their shares, give `target`, between
 * nothing and `atMost`, which must give it. To the wei where the route is one path; where it is split,
 * other shares would matter more than the last billionth.
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
  const first = replayShares(market, { ...rest, amountIn: atMost })?.route
  if (!first || first.amountOut < target) return undefined
  const isPath = first.steps.every(({ shareBps }) => shareBps === 10_000)
  let [low, best, above]: [Point, Route, Point] = [{ amountIn: 0n, amountOut: 0n }, first, first]
  const probe = (wanted: bigint) => {
    const amountIn = clamp(wanted, low.amountIn + 1n, best.amountIn - 1n)
    const tried = replayShares(market, { ...rest, amountIn })?.route
    if (tried && tried.amountOut >= target) [above, best] = [best, tried]
    else low = { amountIn, amountOut: tried?.amountOut ?? 0n }
    return best.amountIn - low.amountIn
  }
  const isFound = (width: bigint) => width <= (isPath ? 1n : 1n + best.amountIn / splitPart)
  // Outputs bend downwards: the chord between two points meets the target above the least input, the
  // line through two points on one side meets it below.
  for (let width = atMost; !isFound(width); ) {
    const before = width
    const isSmooth = best.amountOut - low.amountOut > roughness
    if (isSmooth) width = probe(meet(low, best, target))
    if (isSmooth && !isFound(width)) width = probe(meet(best, above, target) - 1n)
    if (!isFound(width) && width > before / 4n) width = probe((best.amountIn + low.amountIn) / 2n)
  }
  return best
}

type Point = Pick<Route, 'amountIn' | 'amountOut'>

const splitPart = 1_000_000_000n
/** Below so many units of output, rounding in the pools is all that a line would follow. */
const roughness = 8n

/** The input at which the line through two points gives `target`. */
export function meet(one: Point, other: Point, target: bigint): bigint {
  const rise = other.amountOut - one.amountOut
  if (rise <= 0n) return one.amountIn
  return one.amountIn + ((target - one.amountOut) * (other.amountIn - one.amountIn)) / rise
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low
  return value > high ? high : value
}
