import { type Bound, boundOutput } from './boundOutput.ts'
import { type EdgePoint, pointAtPrice } from './edgeCurve.ts'
import { gasOf, type Market } from './market.ts'
import { at } from './pieces.ts'
import type { SearchFrame } from './searchFrame.ts'
import { mostTokens, type SettledPrices, settledPrices } from './settledPrices.ts'
import { solveFlow } from './solveFlow.ts'
import { waysBetween } from './waysBetween.ts'

/** Work for one set of prices, and sets of prices to try at most. */
const maxWork = 100_000
const maxRounds = 3
/** For one set where no bound can come as near as is wanted. */
const maxWorkInVain = 25_000
/** Another round has to come nearer by this part of what is left: most arbitrage goes at no prices. */
const leastGainPart = 0.1

/**
 * A bound at prices that leave the least profit to all pools on a way between the two, not those of one
 * flow alone; then without the pools whose profit there is less than their gas, since they count nothing.
 * It is looked for from the market's own prices, and from the flow's: steps may stall on the way from either.
 */
export function* tightenBound(
  market: Market,
  frame: SearchFrame,
  {
    first,
    amountIn,
    net,
    enough,
    isOver,
  }: {
    /** What the route brings. */
    readonly net: number
    readonly first: Bound
    readonly amountIn: number
    /** A bound this near is not looked for closer. */
    readonly enough: number
    readonly isOver: () => boolean
  },
): Generator<undefined, Bound> {
  const all = listEdges(market, frame, first.prices)
  const settled = boundAtSettled(market, frame, { first, amountIn })
  // What the pools would earn from each other stays in every bound, but for their gas and what is on no way: a guess.
  const isInVain = settled !== undefined && net + settled.profit > enough
  const starts = settled && settled.bound < first.bound ? [settled, first] : [first]
  let [least = first] = starts
  const [rounds, work] = isInVain ? [starts.length, maxWorkInVain] : [maxRounds, maxWork]
  let edges = all
  for (let round = 0; round < rounds && least.bound > enough && !isOver(); round++) {
    const { prices: from } = starts[round] ?? least
    const prices = solvePrices(market, frame, { edges, amountIn, prices: from, maxWork: work })
    if (!prices) break
    yield
    const next = boundOutput(market, frame, { prices, amountIn })
    const hasGained = least.bound - next.bound > leastGainPart * (least.bound - enough)
    if (next.bound < least.bound) least = next
    if (round + 1 < starts.length) continue
    if (!hasGained) break
    const { prices: found } = least
    edges = all.filter((edge) => !isForGas(market, frame, { edge, prices: found }))
    yield
  }
  return least
}

/** At the prices of the market itself, where it has some. */
function boundAtSettled(
  market: Market,
  frame: SearchFrame,
  { first, amountIn }: { readonly first: Bound; readonly amountIn: number },
): (Bound & Pick<SettledPrices, 'profit'>) | undefined {
  const settled = settledPrices(market, frame.tokenOut)
  if (!settled) return undefined
  const { logs, profit } = settled
  const prices = first.prices.map((price, token) => {
    const log = logs[token] as number
    return Number.isNaN(log) ? price : Math.exp(log)
  })
  return { ...boundOutput(market, frame, { prices, amountIn }), profit }
}

/** Every edge on a way whose tokens have a price. */
function listEdges(market: Market, frame: SearchFrame, prices: Float64Array): readonly number[] {
  const ways = waysBetween(market, frame.tokenIn, frame.tokenOut)
  const edges: number[] = []
  for (let pair = 0; pair < ways.length; pair++) {
    const from = market.pairFrom[pair] as number
    const to = market.pairTo[pair] as number
    if (ways[pair] === 0 || from === frame.tokenOut || to === frame.tokenIn) continue
    if (prices[from] === 0 || prices[to] === 0) continue
    const last = market.pairEdges[pair + 1] as number
    for (let edge = market.pairEdges[pair] as number; edge < last; edge++)
      if (at(market.curves, edge)) edges.push(edge)
  }
  return edges
}

function solvePrices(
  market: Market,
  frame: SearchFrame,
  {
    edges,
    amountIn,
    prices,
    maxWork,
  }: {
    readonly maxWork: number
    readonly edges: readonly number[]
    readonly amountIn: number
    readonly prices: Float64Array
  },
): Float64Array | undefined {
  const { tokenIn, tokenOut, effort } = frame
  if (new Set(edges.map((edge) => market.edgeFrom[edge])).size > mostTokens) return undefined
  const problem = { tokenIn, tokenOut, amountIn, edges, effort, maxWork }
  const { logPrices } = solveFlow(market, problem, prices.map(Math.log))
  return prices.map((price, token) => {
    const log = logPrices[token] as number
    return Number.isNaN(log) ? price : Math.exp(log)
  })
}

/** Whether an edge earns something, but less than its gas. */
function isForGas(
  market: Market,
  frame: SearchFrame,
  { edge, prices }: { readonly edge: number; readonly prices: Float64Array },
): boolean {
  const point: EdgePoint = { x: 0, y: 0, slope: 0 }
  const from = prices[market.edgeFrom[edge] as number] as number
  const to = prices[market.edgeTo[edge] as number] as number
  pointAtPrice(market, edge, from / to, point)
  const profit = to * point.y - from * point.x
  return profit > 0 && profit < gasOf(market, edge) * frame.gasPrice
}
