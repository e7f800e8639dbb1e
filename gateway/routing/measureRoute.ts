import { commonPrices } from './commonPrice.ts'
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
  const prices = route.steps.map(({ poolId, tokenIn, tokenOut }) => {
    const pool = impact.pools.get(poolId)
    return pool && midPrice(pool, tokenIn, tokenOut)
  })
  const ideal = idealOutput(route, impact, prices)
  if (!(ideal > 0)) return 0
  return Math.max(lostBps(impact.amountOut, ideal), 0)
}

/**
 * The same against what all pools of each step's pair together say (`commonPrices`): below 0 where the route
 * gives more than that. Undefined where the route has no step.
 */
export function marketImpactBps(
  route: Route,
  { market, ...impact }: Impact & { readonly market: Market },
): number | undefined {
  const state = { market, pools: impact.pools }
  const ideal = idealOutput(route, impact, commonPrices(state, route.steps))
  return route.steps.length > 0 && ideal > 0 ? lostBps(impact.amountOut, ideal) : undefined
}

function lostBps(amountOut: bigint, ideal: number): number {
  const lost = Math.round((1 - Number(amountOut) / ideal) * 10_000)
  return Math.min(Math.max(lost, -10_000), 10_000)
}

/** Steps in numbers: from which token to which each passes what part of a balance on. */
type Flow = {
  readonly tokens: readonly string[]
  readonly passes: readonly { readonly from: number; readonly to: number; readonly part: number }[]
}
const flows = new WeakMap<Route['steps'], Flow>()

function flowOf(steps: Route['steps']): Flow {
  const before = flows.get(steps)
  if (before) return before
  const tokens = [...new Set(steps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))]
  const passes = steps.map(({ tokenIn, tokenOut, share }) => ({
    from: tokens.indexOf(tokenIn),
    to: tokens.indexOf(tokenOut),
    part: Number(share) / 2 ** 64,
  }))
  const flow = { tokens, passes }
  flows.set(steps, flow)
  return flow
}

/** `prices`: of the steps; what has none gives nothing. */
function idealOutput(
  { steps }: Route,
  { tokenIn, tokenOut, amountIn }: Pick<Impact, 'tokenIn' | 'tokenOut' | 'amountIn'>,
  prices: readonly (number | undefined)[],
): number {
  const { tokens, passes } = flowOf(steps)
  const balances = tokens.map((token) => (token === tokenIn ? Number(amountIn) : 0))
  for (const [index, { from, to, part }] of passes.entries()) {
    const held = balances[from] as number
    const used = held * part
    balances[from] = held - used
    balances[to] = (balances[to] as number) + used * (prices[index] ?? 0)
  }
  return balances[tokens.indexOf(tokenOut)] ?? 0
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
