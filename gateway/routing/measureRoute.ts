import type { Market } from './engine/market.ts'
import type { Route, RouteStep } from './engine/route.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** Mid price of a pool: raw units of its token out per raw unit in, without fees. */
export function midPrice(pool: PoolRecord, tokenIn: string, tokenOut: string): number {
  const { tokens } = pool
  return familyOf(pool).midPrice(pool, tokens.indexOf(tokenIn), tokens.indexOf(tokenOut))
}

/** How much less a hop gives than its pool's mid price, in basis points, never negative. */
export function stepImpactBps(step: RouteStep, pool: PoolRecord): number {
  const ideal = Number(step.amountIn) * midPrice(pool, step.tokenIn, step.tokenOut)
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
    const gained = pool ? used * midPrice(pool, step.tokenIn, step.tokenOut) : 0
    balances.set(step.tokenOut, (balances.get(step.tokenOut) ?? 0) + gained)
  }
  const ideal = balances.get(tokenOut) ?? 0
  if (!(ideal > 0)) return 0
  const impact = Math.round((1 - Number(amountOut) / ideal) * 10_000)
  return Math.min(Math.max(impact, 0), 10_000)
}

/** Initialised ticks a step crosses, by replaying it on the market it was priced on. */
export function countCrossedTicks(step: RouteStep, pool: PoolRecord, market: Market): number {
  if (familyOf(pool).crossingGas === undefined) return 0
  const enginePool = market.pools[market.poolIndex.get(pool.id) ?? -1]
  const i = enginePool?.tokens.indexOf(step.tokenIn) ?? -1
  const j = enginePool?.tokens.indexOf(step.tokenOut) ?? -1
  const curve = i < 0 || j < 0 ? undefined : enginePool?.curve(i, j)
  if (!curve) return 0
  // Pieces of the curve end at initialised ticks.
  let crossed = 0
  const amountIn = Number(step.amountIn)
  while (crossed + 1 < curve.count && (curve.x[crossed + 1] ?? 0) < amountIn) crossed += 1
  return crossed
}
