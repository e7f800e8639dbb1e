import type { EnginePool } from '../protocols/maths/enginePool.ts'
import type { Market } from './market.ts'
import { at } from './pieces.ts'
import type { Route, RouteStep } from './route.ts'

const fullShare = 1n << 64n

/** Edges in execution order with the float amounts they were planned to take. */
export type Plan = ReadonlyArray<{ readonly edge: number; readonly flow: number }>

export type Replay = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: bigint
  readonly plan: Plan
}

export type ReplayResult =
  | { readonly status: 'ok'; readonly route: Route }
  | { readonly status: 'refused'; readonly edge: number }
  | { readonly status: 'incomplete' }

/**
 * Runs a plan in exact integers as the executor does: a step takes `balance * share >> 64` of the
 * balance of its token, the last seller of a token all that is left. `refused` names the edge whose
 * pool reverts, gives nothing or cannot take all it is given.
 */
export function replayRoute(
  market: Market,
  { tokenIn, tokenOut, amountIn, plan }: Replay,
): ReplayResult {
  const shares = sharesOf(market, plan)
  const balances = new Map<number, bigint>([[tokenIn, amountIn]])
  const parts = new Map<number, number>([[tokenIn, 1]])
  const steps: RouteStep[] = []
  const labelPath = createPathLabels()
  let gas = 0
  for (const [index, { edge }] of plan.entries()) {
    const from = market.edgeFrom[edge] as number
    const to = market.edgeTo[edge] as number
    const { share, part } = shares[index] as Share
    const balance = balances.get(from) ?? 0n
    const taken = (balance * share) >> 64n
    if (taken === 0n) continue
    const pool = at(market.pools, market.edgePool[edge] as number) as EnginePool
    const swap = pool.swap(market.edgeI[edge] as number, market.edgeJ[edge] as number, taken)
    if (!swap || swap.amountIn !== taken || swap.amountOut <= 0n) return { status: 'refused', edge }
    balances.set(from, balance - taken)
    balances.set(to, (balances.get(to) ?? 0n) + swap.amountOut)
    const flow = (parts.get(from) ?? 0) * part
    parts.set(to, (parts.get(to) ?? 0) + flow)
    gas += pool.gas
    steps.push({
      poolId: pool.id,
      tokenIn: at(market.tokens, from) as string,
      tokenOut: at(market.tokens, to) as string,
      amountIn: taken,
      amountOut: swap.amountOut,
      share,
      path: labelPath(from, to, flow, share === fullShare),
      shareBps: Math.round(flow * 10_000),
    })
  }
  for (const [token, balance] of balances)
    if (token !== tokenOut && balance > 0n) return { status: 'incomplete' }
  const amountOut = balances.get(tokenOut) ?? 0n
  if (amountOut <= 0n) return { status: 'incomplete' }
  return { status: 'ok', route: { amountIn, amountOut, gas, steps } }
}

/**
 * Numbers the parallel paths a route is shown as: the last (greatest) seller of a token goes on with
 * the path that brought most of it, every other seller opens a path.
 */
function createPathLabels() {
  const open = new Map<number, { path: number; flow: number }>()
  let count = 0
  return (from: number, to: number, flow: number, isLast: boolean): number => {
    const path = (isLast ? open.get(from)?.path : undefined) ?? count++
    if (flow > (open.get(to)?.flow ?? 0)) open.set(to, { path, flow })
    return path
  }
}

type Share = { readonly share: bigint; readonly part: number }

/** `share` is of what is left when the step runs, `part` of all the token there is. */
function sharesOf(market: Market, plan: Plan): Share[] {
  const left = new Map<number, number>()
  const sellers = new Map<number, number>()
  for (const { edge, flow } of plan) {
    const from = market.edgeFrom[edge] as number
    left.set(from, (left.get(from) ?? 0) + flow)
    sellers.set(from, (sellers.get(from) ?? 0) + 1)
  }
  const total = new Map(left)
  return plan.map(({ edge, flow }) => {
    const from = market.edgeFrom[edge] as number
    const rest = left.get(from) ?? 0
    const others = (sellers.get(from) ?? 1) - 1
    left.set(from, rest - flow)
    sellers.set(from, others)
    const fraction = flow / rest
    const isAll = others === 0 || !(fraction < 1)
    const share = isAll ? fullShare : BigInt(Math.floor(fraction * 2 ** 53)) << 11n
    return { share, part: flow / (total.get(from) ?? flow) }
  })
}
