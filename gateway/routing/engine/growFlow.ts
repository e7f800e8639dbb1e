import { type EdgePoint, edgeOutput, marginalRate, pointAtPrice } from './edgeCurve.ts'
import { bestRate, gasOf, type Market } from './market.ts'
import { at } from './pieces.ts'
import type { OutsidePrices } from './priceOutside.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'
import { connectedEdges } from './trimFlow.ts'

/** Edges to add, in order, from a token of the flow to a token of the flow, and the prices on the way. */
export type Chain = { readonly edges: readonly number[]; readonly profit: number }

export type Growth = {
  readonly frame: SearchFrame
  readonly flow: FlowSolution
  /** Chains that promise less than this (in tokenOut) are left. */
  readonly leastProfit: number
  readonly maxChains: number
  /** Edges no chain begins with: what they began could not be balanced. */
  readonly avoided: ReadonlySet<number>
}

/** Edges to solve next, and prices to begin with. */
type Grown = { readonly edges: readonly number[]; readonly logPrices: Float64Array }

export type Growing =
  | ({ readonly status: 'grown' } & Grown)
  /** What would pay closes a cycle or takes a pool twice; the best first. */
  | { readonly status: 'blocked'; readonly chains: readonly Chain[] }
  | { readonly status: 'complete' }

/**
 * Looks for chains of edges outside the flow that would pay at its prices, and adds the best of them
 * that close no cycle and use no pool twice.
 */
export function* growFlow(
  market: Market,
  growth: Growth,
  outside: OutsidePrices,
): Generator<undefined, Growing> {
  const found = findChains(market, growth, outside)
  yield
  const chains = bestChains(market, growth, found)
  const grown = addChains(market, growth, growth.flow.edges, chains)
  if (grown.edges.length > growth.flow.edges.length) return { status: 'grown', ...grown }
  return chains.length > 0 ? { status: 'blocked', chains } : { status: 'complete' }
}

/** The edges with the chains that close no cycle and use no pool twice, the first first. */
function addChains(
  market: Market,
  growth: Growth,
  start: readonly number[],
  chains: readonly Chain[],
): Grown {
  const edges = [...start]
  const logPrices = growth.flow.logPrices.slice()
  let added = 0
  for (const chain of chains) {
    if (added >= growth.maxChains) break
    if (!canAdd(market, edges, chain.edges)) continue
    edges.push(...chain.edges)
    priceChain(market, chain, logPrices)
    added++
  }
  return { edges, logPrices }
}

/**
 * The flow turned round for a blocked chain: without the edges that use its pools or lead from its end
 * back to its start, with it and with the other chains that this lets in. Undefined when nothing of the
 * flow would be left.
 */
export function turnFlow(
  market: Market,
  growth: Growth,
  chain: Chain,
  others: readonly Chain[],
): Grown | undefined {
  const { frame, flow } = growth
  const start = market.edgeFrom[chain.edges[0] as number] as number
  const end = market.edgeTo[chain.edges.at(-1) as number] as number
  const pools = new Set(chain.edges.map((edge) => market.edgePool[edge]))
  const goesBack = (edge: number) => {
    if (market.edgeFrom[edge] !== end) return false
    const next = market.edgeTo[edge] as number
    return next === start || leadsTo(market, flow.edges, next, new Set([start]))
  }
  const left = flow.edges.filter((edge) => !pools.has(market.edgePool[edge]) && !goesBack(edge))
  const kept = connectedEdges(market, frame, left)
  if (kept.length === 0) return undefined
  return addChains(market, growth, kept, [chain, ...others])
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
  const curve = at(market.curves, first)
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

function priceChain(market: Market, chain: Chain, logPrices: Float64Array) {
  for (const edge of chain.edges.toReversed()) {
    const token = market.edgeFrom[edge] as number
    if (!Number.isNaN(logPrices[token] as number)) continue
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

/** A token and all that the flow leads from to it: a chain from it into one of them closes a cycle. */
export function tokensBefore(
  market: Market,
  edges: readonly number[],
  token: number,
): ReadonlySet<number> {
  const before = new Set([token])
  for (const reached of before)
    for (const edge of edges)
      if (market.edgeTo[edge] === reached) before.add(market.edgeFrom[edge] as number)
  return before
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
