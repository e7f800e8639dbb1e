import { type EdgePoint, edgeOutput, marginalRate, pointAtPrice } from './edgeCurve.ts'
import type { Effort } from './effort.ts'
import type { Market } from './market.ts'
import type { FlowSolution } from './solveFlow.ts'

/** What stays the same through one search. */
export type SearchFrame = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly maxHops: number
  readonly hopsFromIn: Uint8Array
  readonly hopsToOut: Uint8Array
  /** Price of one unit of gas in tokenOut; 0 when gas is free. */
  readonly gasPrice: number
  readonly effort: Effort
}

/** Edges to add, in order, from a token of the flow to a token of the flow, and the prices on the way. */
type Chain = { readonly edges: readonly number[]; readonly profit: number }

/** Prices of the tokens outside the flow (0: no way back into it), and the edge that earns each. */
export type OutsidePrices = { readonly prices: Float64Array; readonly via: Int32Array }

export type OutsidePricing = {
  readonly probe: number
  /** Chains end in any token of the flow but tokenIn, or in tokenOut only: those never close a cycle. */
  readonly ends: 'flow' | 'tokenOut'
  /** Lets tokens of the flow rise too where a chain outside it pays more. */
  readonly mayRaise?: boolean | undefined
  /** Longest chain; stale pools could raise prices in circles for ever. */
  readonly passes: number
}

/**
 * Values every token outside the flow by what its best chain into the flow brings when `probe` (in
 * tokenOut) goes through it: a probe of 0 means marginal prices, a large one sees past pools of dust.
 * The flow's own tokens keep their prices.
 */
export function priceOutside(
  market: Market,
  frame: SearchFrame,
  flow: FlowSolution,
  { probe, ends, passes, mayRaise = false }: OutsidePricing,
): OutsidePrices {
  const size = market.tokens.length
  const prices = new Float64Array(size)
  const via = new Int32Array(size).fill(-1)
  let frontier: number[] = []
  for (let token = 0; token < size; token++) {
    const log = flow.logPrices[token] as number
    if (Number.isNaN(log)) continue
    prices[token] = Math.exp(log)
    if (ends === 'flow' ? token !== frame.tokenIn : token === frame.tokenOut) frontier.push(token)
  }
  const fixed = mayRaise ? new Float64Array(size).fill(Number.NaN) : flow.logPrices
  for (let pass = 0; pass < passes && frontier.length > 0; pass++)
    frontier = spreadPrices(market, frame, { fixed, prices, via, frontier, probe })
  return { prices, via }
}

type Spread = {
  /** Tokens with a number here keep their price. */
  readonly fixed: Float64Array
  readonly prices: Float64Array
  readonly via: Int32Array
  readonly frontier: readonly number[]
  readonly probe: number
}

/** One pass: the tokens that sell into the frontier; returns those whose price rose. */
function spreadPrices(market: Market, frame: SearchFrame, spread: Spread): number[] {
  const { fixed, prices, via, frontier, probe } = spread
  const risen: number[] = []
  const hasRisen = new Uint8Array(prices.length)
  for (const next of frontier) {
    const price = prices[next] as number
    const rest = frame.maxHops - 1 - (frame.hopsToOut[next] as number)
    const first = market.inPairs[next] as number
    const last = market.inPairs[next + 1] as number
    frame.effort.spent += last - first
    for (let at = first; at < last; at++) {
      const token = market.inPairFrom[at] as number
      if ((market.inPairRate[at] as number) * price <= (prices[token] as number)) continue
      if ((frame.hopsFromIn[token] as number) > rest) continue
      if (!Number.isNaN(fixed[token] as number)) continue
      const pair = market.inPairList[at] as number
      const lastEdge = market.pairEdges[pair + 1] as number
      frame.effort.spent += lastEdge - (market.pairEdges[pair] as number)
      for (let edge = market.pairEdges[pair] as number; edge < lastEdge; edge++) {
        if ((market.a0[edge] as number) * price <= (prices[token] as number)) continue
        const value = price * probedRate(market, frame, edge, price, probe)
        if (value <= (prices[token] as number)) continue
        if (comesFrom(market, via, next, token)) break
        prices[token] = value
        via[token] = edge
        if (hasRisen[token] === 1) continue
        hasRisen[token] = 1
        risen.push(token)
      }
    }
  }
  return risen
}

/** True when the chain that prices `token` runs through `other`: stale pools would raise each other. */
function comesFrom(market: Market, via: Int32Array, token: number, other: number): boolean {
  for (let edge = via[token] as number; edge >= 0; ) {
    const next = market.edgeTo[edge] as number
    if (next === other) return true
    edge = via[next] as number
  }
  return false
}

/** Rate of an edge when `probe` worth of tokenOut goes through it, less its gas. */
function probedRate(
  market: Market,
  frame: SearchFrame,
  edge: number,
  price: number,
  probe: number,
) {
  const a0 = market.a0[edge] as number
  if (probe === 0 || a0 === 0) return a0
  const x = probe / (a0 * price)
  const gas = ((market.gas[edge] as number) * frame.gasPrice) / probe
  return (edgeOutput(market, edge, x) / x) * Math.max(0, 1 - gas)
}

export type Growth = {
  readonly frame: SearchFrame
  readonly flow: FlowSolution
  /** Chains that promise less than this (in tokenOut) are left. */
  readonly leastProfit: number
  readonly maxChains: number
  /** Edges no chain begins with: what they began could not be balanced. */
  readonly avoided: ReadonlySet<number>
}

export type Growing =
  | {
      readonly status: 'grown'
      readonly edges: readonly number[]
      readonly logPrices: Float64Array
    }
  /** What would pay closes a cycle or takes a pool twice. */
  | { readonly status: 'blocked' }
  | { readonly status: 'complete' }

/**
 * Looks for chains of edges outside the flow that would pay at its prices, and adds the best of them
 * that close no cycle and use no pool twice.
 */
export function growFlow(market: Market, growth: Growth, outside: OutsidePrices): Growing {
  const chains = bestChains(market, growth, findChains(market, growth, outside))
  const edges = [...growth.flow.edges]
  const logPrices = growth.flow.logPrices.slice()
  let added = 0
  for (const chain of chains) {
    if (added >= growth.maxChains) break
    if (!canAdd(market, edges, chain.edges)) continue
    edges.push(...chain.edges)
    priceChain(market, growth, chain, logPrices)
    added++
  }
  if (added > 0) return { status: 'grown', edges, logPrices }
  return { status: chains.length > 0 ? 'blocked' : 'complete' }
}

/**
 * The promise of a chain takes its later edges at marginal prices; the most promising are weighed
 * again with what really goes through them.
 */
function bestChains(market: Market, growth: Growth, chains: readonly Chain[]): Chain[] {
  const promising = chains.toSorted((one, other) => other.profit - one.profit)
  return promising
    .slice(0, weighedPerChain * growth.maxChains)
    .map((chain) => ({ edges: chain.edges, profit: weighChain(market, growth, chain) }))
    .filter(({ profit }) => profit > growth.leastProfit)
    .sort((one, other) => other.profit - one.profit)
}

const weighedPerChain = 4
const weighingTries = 18

/** Greatest profit of a chain at the flow's prices, by halving the (log) range of its input. */
function weighChain(market: Market, { frame, flow }: Growth, { edges, profit }: Chain): number {
  if (edges.length === 1) return profit
  const first = edges[0] as number
  const priceStart = Math.exp(flow.logPrices[market.edgeFrom[first] as number] as number)
  const priceEnd = Math.exp(
    flow.logPrices[market.edgeTo[edges.at(-1) as number] as number] as number,
  )
  const curve = market.curves[first]
  let high = Math.log(curve ? Math.min(curve.x[curve.count] as number, 1e60) : 1)
  let low = 0
  frame.effort.spent += weighingTries * edges.length
  for (let tries = 0; tries < weighingTries; tries++) {
    const middle = (low + high) / 2
    let amount = Math.exp(middle)
    let rate = priceEnd / priceStart
    for (const edge of edges) {
      rate *= marginalRate(market, edge, amount)
      amount = edgeOutput(market, edge, amount)
    }
    if (rate > 1) low = middle
    else high = middle
  }
  const input = Math.exp(low)
  const output = edges.reduce((amount, edge) => edgeOutput(market, edge, amount), input)
  const gas = edges.reduce((sum, edge) => sum + (market.gas[edge] as number), 0)
  return priceEnd * output - priceStart * input - gas * frame.gasPrice
}

function priceChain(market: Market, { flow }: Growth, chain: Chain, logPrices: Float64Array) {
  for (const edge of chain.edges.toReversed()) {
    const token = market.edgeFrom[edge] as number
    if (!Number.isNaN(flow.logPrices[token] as number) || !Number.isNaN(logPrices[token] as number))
      continue
    const next = logPrices[market.edgeTo[edge] as number] as number
    logPrices[token] = next + Math.log(market.a0[edge] as number)
  }
}

function findChains(market: Market, growth: Growth, outside: OutsidePrices): Chain[] {
  const { frame, flow } = growth
  const inFlow = new Set(flow.edges)
  const chains: Chain[] = []
  const point: EdgePoint = { x: 0, y: 0, slope: 0 }
  for (let token = 0; token < market.tokens.length; token++) {
    const log = flow.logPrices[token] as number
    if (token === frame.tokenOut || Number.isNaN(log)) continue
    const rest = frame.maxHops - 1 - (frame.hopsFromIn[token] as number)
    const ownPrice = Math.exp(log)
    const firstPair = market.outPairs[token] as number
    const lastPair = market.outPairs[token + 1] as number
    frame.effort.spent += lastPair - firstPair
    for (let pair = firstPair; pair < lastPair; pair++) {
      const next = market.pairTo[pair] as number
      const price = outside.prices[next] as number
      if ((market.pairRate[pair] as number) * price <= ownPrice || next === frame.tokenIn) continue
      if ((frame.hopsToOut[next] as number) > rest) continue
      const lastEdge = market.pairEdges[pair + 1] as number
      for (let edge = market.pairEdges[pair] as number; edge < lastEdge; edge++) {
        if ((market.a0[edge] as number) * price <= ownPrice || inFlow.has(edge)) continue
        if (growth.avoided.has(edge)) continue
        pointAtPrice(market, edge, ownPrice / price, point)
        const edges = traceOutside(market, flow, outside, edge)
        if (!edges) continue
        const gas = edges.reduce((sum, step) => sum + (market.gas[step] as number), 0)
        const profit = price * point.y - ownPrice * point.x - gas * frame.gasPrice
        if (profit > growth.leastProfit) chains.push({ edges, profit })
      }
    }
  }
  return chains
}

/** The edge and the best chain from its end into the flow; undefined when that goes in circles. */
function traceOutside(market: Market, flow: FlowSolution, { via }: OutsidePrices, start: number) {
  const edges = [start]
  for (let edge = start; edges.length < longestChain; edges.push(edge)) {
    const token = market.edgeTo[edge] as number
    if (!Number.isNaN(flow.logPrices[token] as number)) return edges
    edge = via[token] as number
  }
  return undefined
}

/** Prices that rise in a circle (stale pools) would make endless chains. */
const longestChain = 6

/** True when the chain closes no cycle of tokens and shares no pool with the flow or itself. */
function canAdd(market: Market, edges: readonly number[], chain: readonly number[]): boolean {
  const pools = new Set(edges.map((edge) => market.edgePool[edge]))
  for (const edge of chain) {
    if (pools.has(market.edgePool[edge])) return false
    pools.add(market.edgePool[edge])
  }
  const start = market.edgeFrom[chain[0] as number] as number
  const visited = new Set<number>([start])
  for (const edge of chain) {
    const token = market.edgeTo[edge] as number
    if (visited.has(token)) return false
    visited.add(token)
  }
  const end = market.edgeTo[chain.at(-1) as number] as number
  return !leadsTo(market, edges, end, visited)
}

/** True when the flow leads from `origin` to a token of `targets` other than itself. */
function leadsTo(
  market: Market,
  edges: readonly number[],
  origin: number,
  targets: ReadonlySet<number>,
): boolean {
  const seen = new Set<number>([origin])
  const frontier = [origin]
  for (let token = frontier.pop(); token !== undefined; token = frontier.pop())
    for (const edge of edges) {
      if (market.edgeFrom[edge] !== token) continue
      const next = market.edgeTo[edge] as number
      if (targets.has(next)) return true
      if (seen.has(next)) continue
      seen.add(next)
      frontier.push(next)
    }
  return false
}
