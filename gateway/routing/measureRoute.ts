import { commonPrice } from './commonPrice.ts'
import { pairBetween } from './engine/indexPairs.ts'
import type { Market } from './engine/market.ts'
import { at } from './engine/pieces.ts'
import type { Route, RouteStep } from './engine/route.ts'
import { midPrice } from './midPrice.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** How much less a hop gives than its pool's mid price, in basis points, never negative. */
export function stepImpactBps(step: RouteStep, pool: PoolRecord): number {
  const ideal = Number(step.amountIn) * midPrice(pool, step.tokenIn, step.tokenOut)
  return ideal > 0 ? Math.max(0, (1 - Number(step.amountOut) / ideal) * 10_000) : 0
}

type Impact = {
  readonly pools: ReadonlyMap<string, PoolRecord>
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/**
 * How much less the route gives than the mid prices along it, in basis points: each step passes its
 * share of the balance on at its pool's mid price. Fees, and so taxes, count.
 */
export function priceImpactBps(route: Route, impact: Impact): number {
  const ideal = idealOutput(route, impact, midPrice)
  if (!(ideal > 0)) return 0
  return Math.max(lostBps(impact.amountOut, ideal), 0)
}

/**
 * The same against what all pools of each step's pair together say (`commonPrice`): below 0 where the route
 * gives more than that. Undefined where the route has no step.
 */
export function marketImpactBps(
  route: Route,
  { market, ...impact }: Impact & { readonly market: Market },
): number | undefined {
  const state = { market, pools: impact.pools }
  const ideal = idealOutput(
    route,
    impact,
    (_, tokenIn, tokenOut) => commonPrice(state, tokenIn, tokenOut) ?? 0,
  )
  return route.steps.length > 0 && ideal > 0 ? lostBps(impact.amountOut, ideal) : undefined
}

function lostBps(amountOut: bigint, ideal: number): number {
  const lost = Math.round((1 - Number(amountOut) / ideal) * 10_000)
  return Math.min(Math.max(lost, -10_000), 10_000)
}

function idealOutput(
  route: Route,
  { pools, tokenIn, tokenOut, amountIn }: Impact,
  priceOf: (pool: PoolRecord, tokenIn: string, tokenOut: string) => number,
): number {
  const balances = new Map<string, number>([[tokenIn, Number(amountIn)]])
  for (const step of route.steps) {
    const pool = pools.get(step.poolId)
    const held = balances.get(step.tokenIn) ?? 0
    const used = held * (Number(step.share) / 2 ** 64)
    balances.set(step.tokenIn, held - used)
    const gained = pool ? used * priceOf(pool, step.tokenIn, step.tokenOut) : 0
    balances.set(step.tokenOut, (balances.get(step.tokenOut) ?? 0) + gained)
  }
  return balances.get(tokenOut) ?? 0
}

/** Initialised ticks a step crosses, by replaying it on the market it was priced on. */
export function countCrossedTicks(step: RouteStep, pool: PoolRecord, market: Market): number {
  if (familyOf(pool).crossingGas === undefined) return 0
  const curve = curveOf(step, market)
  if (!curve) return 0
  // Pieces of the curve end at initialised ticks.
  let crossed = 0
  const amountIn = Number(step.amountIn)
  while (crossed + 1 < curve.count && (curve.x[crossed + 1] ?? 0) < amountIn) crossed += 1
  return crossed
}

/** As the market has it for the step's pool; undefined where it has none. */
function curveOf({ poolId, tokenIn, tokenOut }: RouteStep, market: Market) {
  const { tokenIndex, poolIndex, pairEdges, edgePool, curves } = market
  const pair = pairBetween(market, tokenIndex.get(tokenIn) ?? -1, tokenIndex.get(tokenOut) ?? -1)
  const last = pair < 0 ? -1 : (pairEdges[pair + 1] as number)
  const pool = poolIndex.get(poolId)
  for (let edge = pairEdges[pair] as number; edge < last; edge++)
    if (edgePool[edge] === pool) return at(curves, edge)
  return undefined
}
