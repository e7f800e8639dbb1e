import type { Market } from './engine/market.ts'
import type { Route, RouteStep } from './engine/route.ts'
import type { PoolRecord, SolidlyRecord } from './protocols/poolRecord.ts'

/** Price of token 0 in raw units of token 1. */
function price0(pool: PoolRecord): number {
  if (pool.protocol === 'uniswap_v2') return Number(pool.reserve1) / Number(pool.reserve0)
  if (pool.protocol === 'aerodrome_v2') return solidlyPrice0(pool)
  return (Number(pool.sqrtPriceX96) / 2 ** 96) ** 2
}

/** Of a stable pool the slope of x3y + y3x = k, in whole tokens. */
function solidlyPrice0({ stable, reserve0, reserve1, unit0, unit1 }: SolidlyRecord): number {
  if (!stable) return Number(reserve1) / Number(reserve0)
  const x = Number(reserve0) / Number(unit0)
  const y = Number(reserve1) / Number(unit1)
  const slope = (3 * x ** 2 * y + y ** 3) / (x ** 3 + 3 * x * y ** 2)
  return (slope * Number(unit1)) / Number(unit0)
}

/** Mid price of a pool: raw units of its token out per raw unit in, without fees. */
export function midPrice(pool: PoolRecord, tokenIn: string): number {
  const isZeroForOne = pool.token0 === tokenIn
  const price = price0(pool)
  return isZeroForOne ? price : 1 / price
}

/** How much less a hop gives than its pool's mid price, in basis points, never negative. */
export function stepImpactBps(step: RouteStep, pool: PoolRecord): number {
  const ideal = Number(step.amountIn) * midPrice(pool, step.tokenIn)
  return ideal > 0 ? Math.max(0, (1 - Number(step.amountOut) / ideal) * 10_000) : 0
}

/**
 * How much less the route gives than the mid prices along it, in basis points: each step passes its
 * share of the balance on at its pool's mid price. Fees, and so taxes, count.
 */
export function priceImpactBps(
  route: Route,
  {
    pools,
    tokenIn,
    tokenOut,
    amountIn,
    amountOut,
  }: {
    readonly pools: ReadonlyMap<string, PoolRecord>
    readonly tokenIn: string
    readonly tokenOut: string
    readonly amountIn: bigint
    readonly amountOut: bigint
  },
): number {
  const balances = new Map<string, number>([[tokenIn, Number(amountIn)]])
  for (const step of route.steps) {
    const pool = pools.get(step.poolId)
    const held = balances.get(step.tokenIn) ?? 0
    const used = held * (Number(step.share) / 2 ** 64)
    balances.set(step.tokenIn, held - used)
    const gained = pool ? used * midPrice(pool, step.tokenIn) : 0
    balances.set(step.tokenOut, (balances.get(step.tokenOut) ?? 0) + gained)
  }
  const ideal = balances.get(tokenOut) ?? 0
  if (!(ideal > 0)) return 0
  const impact = Math.round((1 - Number(amountOut) / ideal) * 10_000)
  return Math.min(Math.max(impact, 0), 10_000)
}

/** Initialised ticks a step crosses, by replaying it on the market it was priced on. */
export function countCrossedTicks(step: RouteStep, pool: PoolRecord, market: Market): number {
  if (pool.protocol === 'uniswap_v2' || pool.protocol === 'aerodrome_v2') return 0
  const enginePool = market.pools[market.poolIndex.get(pool.id) ?? -1]
  const i = enginePool?.tokens.indexOf(step.tokenIn) ?? -1
  const curve = i < 0 ? undefined : enginePool?.curve(i, 1 - i)
  if (!curve) return 0
  // Pieces of the curve end at initialised ticks.
  let crossed = 0
  const amountIn = Number(step.amountIn)
  while (crossed + 1 < curve.count && (curve.x[crossed + 1] ?? 0) < amountIn) crossed += 1
  return crossed
}
