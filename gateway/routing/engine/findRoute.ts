import { boundOutput } from './boundOutput.ts'
import { edgeOutput, marginalRate } from './edgeCurve.ts'
import { growFlow, priceOutside, type SearchFrame } from './growFlow.ts'
import type { Market } from './market.ts'
import { planFlow } from './planFlow.ts'
import { type Plan, replayRoute } from './replayRoute.ts'
import type { Route } from './route.ts'
import { hopsFrom, hopsTo, searchPath } from './searchPath.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'

export type FindRouteParameters = {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly maxHops: number
  /** Most swaps in one route. */
  readonly maxSteps: number
  readonly gasPriceWei: bigint
  /** Token whose unit pays gas (the wrapped native currency). */
  readonly nativeToken: string
  /** Time to search; the best found so far is returned when it is over. */
  readonly deadlineMs: number
  readonly now: () => number
}

/** The best route found for an exact input, in exact integers; undefined when there is none. */
export function findRoute(market: Market, parameters: FindRouteParameters): Route | undefined {
  const tokenIn = market.tokenIndex.get(parameters.tokenIn)
  const tokenOut = market.tokenIndex.get(parameters.tokenOut)
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined
  if (parameters.amountIn <= 0n || parameters.maxHops < 1) return undefined
  const amountIn = Number(parameters.amountIn)
  const { maxHops } = parameters
  const frame: SearchFrame = {
    tokenIn,
    tokenOut,
    maxHops,
    hopsFromIn: hopsFrom(market, tokenIn, maxHops),
    hopsToOut: hopsTo(market, tokenOut, maxHops),
    gasPrice: 0,
  }
  const search = { tokenIn, tokenOut, amountIn, maxHops, gasCost: undefined }
  const path = searchPath(market, search, frame.hopsToOut)
  if (!path) return undefined
  const plan = planPath(market, path, amountIn)
  const replay = (edges: readonly number[], inputs: ArrayLike<number>) => {
    const planned = planFlow(market, { tokenIn, tokenOut, amountIn, edges, inputs })
    if (!planned) return undefined
    stats.output = planned.output
    const sold = planned.unsold > 0 ? BigInt(Math.floor(amountIn * (1 - planned.unsold))) : parameters.amountIn
    return replayRoute(market, { tokenIn, tokenOut, amountIn: sold, plan: planned.plan })
  }
  const single = replay(path, path.map(() => 1))
  let flow = solveFlow(
    market,
    { tokenIn, tokenOut, amountIn, edges: path },
    pathPrices(market, plan, tokenOut),
  )
  const probes = [0.05, 0.005, 0.0005, 0]
  let level = 0
  let rounds = 0
  while (level < probes.length && rounds < 40) {
    rounds++
    const outside = priceOutside(market, frame, flow, flow.value * (probes[level] as number))
    const growth = { frame, flow, leastProfit: flow.value * 1e-7, maxChains: 8 }
    const grown = growFlow(market, growth, outside)
    if (!grown) {
      level++
      continue
    }
    const solved = solveFlow(market, { tokenIn, tokenOut, amountIn, edges: grown.edges }, grown.logPrices)
    const trimmed = trimFlow(market, frame, solved)
    if (!trimmed) break
    flow = trimmed
  }
  stats.rounds = rounds
  stats.edges = flow.edges.length
  const outside = priceOutside(market, frame, flow, 0)
  const bound = boundOutput(market, frame, { outside, amountIn })
  stats.bound = bound
  stats.value = flow.value
  const split = replay(flow.edges, flow.inputs)
  const best = split && split.amountOut > (single?.amountOut ?? 0n) ? split : single
  return best && { ...best, gapBps: (1 - Number(best.amountOut) / bound) * 1e4 }
}
export const stats = { rounds: 0, edges: 0, bound: 0, value: 0, output: 0 }

/** Leaves out the edges that take nothing or lead nowhere, and with them their tokens' prices. */
function trimFlow(
  market: Market,
  { tokenIn, tokenOut }: SearchFrame,
  flow: FlowSolution,
): FlowSolution | undefined {
  const all = [...flow.edges.keys()].filter((k) => (flow.inputs[k] as number) > 0)
  let kept = all
  for (let before = -1; before !== kept.length; ) {
    before = kept.length
    const sold = new Set(kept.map((k) => market.edgeFrom[flow.edges[k] as number]))
    const bought = new Set(kept.map((k) => market.edgeTo[flow.edges[k] as number]))
    kept = kept.filter((k) => {
      const from = market.edgeFrom[flow.edges[k] as number]
      const to = market.edgeTo[flow.edges[k] as number]
      return (from === tokenIn || bought.has(from)) && (to === tokenOut || sold.has(to))
    })
  }
  if (kept.length === 0 || !Number.isFinite(flow.value)) return undefined
  if (kept.length === flow.edges.length) return flow
  const edges = kept.map((k) => flow.edges[k] as number)
  const logPrices = new Float64Array(flow.logPrices.length).fill(Number.NaN)
  logPrices[tokenOut] = 0
  for (const edge of edges) {
    const token = market.edgeFrom[edge] as number
    logPrices[token] = flow.logPrices[token] as number
  }
  return {
    edges,
    logPrices,
    value: flow.value,
    inputs: Float64Array.from(kept, (k) => flow.inputs[k] as number),
    outputs: Float64Array.from(kept, (k) => flow.outputs[k] as number),
  }
}

/** Prices at which a path sells exactly what runs through it. */
function pathPrices(market: Market, plan: Plan, tokenOut: number): Float64Array {
  const logPrices = new Float64Array(market.tokens.length).fill(Number.NaN)
  logPrices[tokenOut] = 0
  let log = 0
  for (const { edge, flow } of plan.toReversed()) {
    log += Math.log(marginalRate(market, edge, flow))
    logPrices[market.edgeFrom[edge] as number] = log
  }
  return logPrices
}

function planPath(market: Market, path: readonly number[], amountIn: number): Plan {
  let flow = amountIn
  return path.map((edge) => {
    const taken = flow
    flow = edgeOutput(market, edge, flow)
    return { edge, flow: taken }
  })
}
