import { type EdgePoint, pointAtPrice } from './edgeCurve.ts'
import type { Market } from './market.ts'
import { at } from './pieces.ts'
import { solveFlow } from './solveFlow.ts'
import { waysBetween } from './waysBetween.ts'

/** A step in prices takes the cube of the tokens: with more of them than this, nothing is settled. */
export const mostTokens = 128
/** Work at a time: some milliseconds. Where it does not do, whoever asks next goes on from there. */
const maxWork = 200_000
/** What the pools' trades with each other leave over, as a part of them: nearer no bound gets better. */
const settledPart = 1e-6
/** Nor where all that work took a smaller part of their profit than this. */
const leastGainPart = 1e-3

/** The pairs that lie on circles through the market's two hubs. */
type Core = { readonly hub: number; readonly second: number; readonly pairs: readonly number[] }
/** Natural logs of prices in units of the hub; NaN where none is known. */
type Settling = {
  readonly logs: Float64Array
  /** What the pools' trades with each other bring at these prices. */
  readonly profit: number
  /** The same in the market in which they were found. */
  readonly reached: number
  readonly isSettled: boolean
}

export type SettledPrices = {
  /** In units of a token; NaN where none is known. */
  readonly logs: Float64Array
  /** What the pools' trades with each other bring at these prices, in that token. */
  readonly profit: number
}

/** By the order of a market's pairs, which snapshots share until pools come or go. */
const cores = new WeakMap<Int32Array, Core | 'too big'>()
/** The last that was found: a block moves prices a little. */
const lasts = new WeakMap<Int32Array, Settling>()
const known = new WeakMap<Market, Settling>()

/**
 * Prices that leave the least profit to trades of the pools with each other, whoever asks for what: where
 * a market's pools disagree, bounds at a flow's own prices count that profit many times over. Undefined where
 * the market is too big, or `tokenOut` is not of its core.
 */
export function settledPrices(market: Market, tokenOut: number): SettledPrices | undefined {
  const core = cores.get(market.pairTo) ?? findCore(market)
  cores.set(market.pairTo, core)
  if (core === 'too big') return undefined
  const settling = settle(market, core)
  known.set(market, settling)
  lasts.set(market.pairTo, settling)
  const shift = settling.logs[tokenOut] as number
  if (Number.isNaN(shift)) return undefined
  const logs = settling.logs.map((log) => log - shift)
  return { logs, profit: settling.profit * Math.exp(-shift) }
}

function findCore(market: Market): Core | 'too big' {
  const hub = withMostPairs(market, Array(market.tokens.length).keys())
  const second = withMostPairs(market, neighboursOf(market, hub))
  const ways = waysBetween(market, second, hub)
  const pairs: number[] = []
  const tokens = new Set<number>()
  for (let pair = 0; pair < ways.length; pair++) {
    if (ways[pair] === 0) continue
    pairs.push(pair)
    tokens.add(market.pairFrom[pair] as number)
    if (tokens.size > mostTokens) return 'too big'
  }
  return { hub, second, pairs }
}

function* neighboursOf({ outPairs, pairTo }: Market, token: number): Generator<number> {
  const last = outPairs[token + 1] as number
  for (let pair = outPairs[token] as number; pair < last; pair++) yield pairTo[pair] as number
}

function withMostPairs({ outPairs }: Market, tokens: Iterable<number>): number {
  let [found, most] = [0, -1]
  for (const token of tokens) {
    const count = (outPairs[token + 1] as number) - (outPairs[token] as number)
    if (count > most) [found, most] = [token, count]
  }
  return found
}

function settle(market: Market, { hub, second, pairs }: Core): Settling {
  const before = known.get(market)
  if (before?.isSettled) return before
  const last = lasts.get(market.pairTo)
  const start = before?.logs ?? last?.logs ?? spreadRates(market, hub)
  const left = profitAt(market, pairs, start)
  // Most blocks leave as much to trade at the prices before them.
  if (!before && last?.isSettled && Math.abs(left - last.reached) <= last.reached * leastGainPart)
    return { ...last, profit: left }
  const isPriced = (token: number | undefined) => !Number.isNaN(start[token as number] as number)
  const edges = pairs
    .filter((pair) => isPriced(market.pairFrom[pair]) && isPriced(market.pairTo[pair]))
    .flatMap((pair) => edgesOf(market, pair))
  const ends = { tokenIn: second, tokenOut: hub, amountIn: 0 }
  const problem = { ...ends, edges, effort: { spent: 0 }, maxWork }
  const { logPrices, imbalance, value: profit } = solveFlow(market, problem, start)
  // Where no pool would trade with another, there is nothing to go by.
  if (!(profit < left)) return { logs: start, profit: left, reached: left, isSettled: true }
  const logs = start.map((log, token) => {
    const solved = logPrices[token] as number
    return Number.isNaN(solved) ? log : solved
  })
  const hasGained = !before || profit < before.profit * (1 - leastGainPart)
  return { logs, profit, reached: profit, isSettled: !(imbalance > settledPart && hasGained) }
}

/** What the pools' trades with each other bring at these prices, in the hub. */
function profitAt(market: Market, pairs: readonly number[], logs: Float64Array): number {
  const { pairFrom, pairTo, pairRate, pairEdges } = market
  const point: EdgePoint = { x: 0, y: 0, slope: 0 }
  let profit = 0
  for (const pair of pairs) {
    const priceFrom = Math.exp(logs[pairFrom[pair] as number] as number)
    const priceTo = Math.exp(logs[pairTo[pair] as number] as number)
    if (!((pairRate[pair] as number) * priceTo > priceFrom)) continue
    const last = pairEdges[pair + 1] as number
    for (let edge = pairEdges[pair] as number; edge < last; edge++) {
      pointAtPrice(market, edge, priceFrom / priceTo, point)
      profit += priceTo * point.y - priceFrom * point.x
    }
  }
  return profit
}

function edgesOf({ pairEdges, curves }: Market, pair: number): readonly number[] {
  const edges: number[] = []
  const last = pairEdges[pair + 1] as number
  for (let edge = pairEdges[pair] as number; edge < last; edge++)
    if (at(curves, edge)) edges.push(edge)
  return edges
}

/** What a little of each token sells for by the fewest pools, in the hub. */
function spreadRates({ tokens, inPairs, inPairFrom, inPairRate }: Market, hub: number) {
  const logs = new Float64Array(tokens.length).fill(Number.NaN)
  logs[hub] = 0
  const reached = [hub]
  for (const token of reached) {
    const last = inPairs[token + 1] as number
    for (let pair = inPairs[token] as number; pair < last; pair++) {
      const from = inPairFrom[pair] as number
      const rate = inPairRate[pair] as number
      if (rate === 0 || !Number.isNaN(logs[from] as number)) continue
      logs[from] = (logs[token] as number) + Math.log(rate)
      reached.push(from)
    }
  }
  return logs
}
