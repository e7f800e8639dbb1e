import { type EdgePoint, edgeOutput, marginalRate, pointAtPrice } from './edgeCurve.ts'
import { bestRate, gasOf, type Market } from './market.ts'
import type { OutsidePrices } from './priceOutside.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'

/** Edges to add, in order, from a token of the flow to a token of the flow, and the prices on the way. */
type Chain = { readonly edges: readonly number[]; readonly profit: number }

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
  const gas = edges.reduce((sum, edge) => sum + gasOf(market, edge), 0)
  return priceEnd * output - priceStart * input - gas * frame.gasPrice
}

function priceChain(market: Market, { flow }: Growth, chain: Chain, logPrices: Float64Array) {
  for (const edge of chain.edges.toReversed()) {
    const token = market.edgeFrom[edge] as number
    if (!Number.isNaN(flow.logPrices[token] as number) || !Number.isNaN(logPrices[token] as number))
      continue
    const next = logPrices[market.edgeTo[edge] as number] as number
    logPrices[token] = next + Math.log(bestRate(market, edge))
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
        if (bestRate(market, edge) * price <= ownPrice || inFlow.has(edge)) continue
        if (growth.avoided.has(edge)) continue
        pointAtPrice(market, edge, ownPrice / price, point)
        const edges = traceOutside(market, flow, outside, edge)
        if (!edges) continue
        const gas = edges.reduce((sum, step) => sum + gasOf(market, step), 0)
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
    if (edge < 0) return undefined
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
