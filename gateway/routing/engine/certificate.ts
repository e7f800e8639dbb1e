import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { boundOutput } from './boundOutput.ts'
import { type EdgePoint, edgeOutput, pointAtPrice } from './edgeCurve.ts'
import { bestRate, edgesOfPool, type Market } from './market.ts'
import { at } from './pieces.ts'
import { type Margins, priceMargins } from './priceOutside.ts'
import type { Route } from './route.ts'
import type { SearchFrame } from './searchFrame.ts'
import { hopsTo } from './searchPath.ts'
import type { FlowSolution } from './solveFlow.ts'

/** Prices may be off by what is unproven of the route. More than this changes little, and has more routes fall. */
const mostSlackBps = 1

/** What a search knows of its route beside its steps: by this it can be held against later markets. */
export type Certificate = {
  readonly route: Route
  readonly frame: SearchFrame
  /** What the route brings, net of gas. */
  readonly net: number
  readonly margins: Margins
  /** By this part prices may be off. */
  readonly slack: number
  /** What all of the input is worth, in tokenOut. */
  readonly worth: number
  readonly pools: ReadonlySet<string>
  /** What pools could earn, gas apart, each way by itself (`gainsOf` finds it); the others earn nothing. */
  readonly gains: ReadonlyMap<string, number>
  /** Prices at which the bound was found. */
  readonly boundPrices: Float64Array
}

export function certify(
  market: Market,
  frame: SearchFrame,
  {
    route,
    flow,
    boundPrices,
  }: {
    readonly route: Route
    /** What the route was made of. */
    readonly flow: FlowSolution
    readonly boundPrices: Float64Array
  },
): Certificate {
  const margins = priceMargins(market, frame, flow)
  const net = Number(route.amountOut) - route.gas * frame.gasPrice
  const worth = Number(route.amountIn) * Math.exp(flow.logPrices[frame.tokenIn] as number)
  const slack = Math.min(route.gapBps ?? mostSlackBps, mostSlackBps) / 1e4
  const pools = new Set(route.steps.map(({ poolId }) => poolId))
  const gains = new Map<string, number>()
  const certificate = { route, frame, net, margins, slack, worth, pools, gains, boundPrices }
  for (let edge = 0; edge < market.edgeCount; edge++) {
    const gain = gainThrough(market, certificate, edge)
    if (gain > 0) gains.set(nameOf(market, edge), gain)
  }
  return certificate
}

/** One way through a pool, as long as both are there. */
function nameOf(market: Market, edge: number): string {
  const { id } = at(market.pools, market.edgePool[edge] as number) as EnginePool
  return `${id}:${market.edgeFrom[edge]}:${market.edgeTo[edge]}`
}

/** What a swap one way through a pool earns at most, in tokenOut: when the route was found, and in this market. */
export type Gain = { readonly first: number; readonly now: number }

/** Each way through a pool by itself: what gains one way loses the other. */
export function gainsOf(market: Market, certificate: Certificate, id: string): readonly Gain[] {
  const index = market.poolIndex.get(id) ?? -1
  const { tokens = [] } = at(market.pools, index) ?? {}
  return edgesOfPool(market, { index, tokens }).map((edge) => ({
    first: certificate.gains.get(nameOf(market, edge)) ?? 0,
    now: gainThrough(market, certificate, edge),
  }))
}

const point: EdgePoint = { x: 0, y: 0, slope: 0 }

/**
 * Where what it sells is bought by the best chain, for less by what prices may be off, and what it buys sold by
 * the best one. Through a pool outside the route goes no more than all of the input.
 */
function gainThrough(market: Market, certificate: Certificate, edge: number): number {
  const { frame, margins, slack, worth, pools } = certificate
  const from = market.edgeFrom[edge] as number
  const to = market.edgeTo[edge] as number
  if (from === frame.tokenOut || to === frame.tokenIn) return 0
  const cost = (margins.costs[from] || leastCost(market, margins, from)) * (1 - slack)
  const value = margins.values[to] || bestValue(market, margins, to)
  if (!(bestRate(market, edge) * value > cost) || cost === 0) return 0
  pointAtPrice(market, edge, cost / value, point)
  const isOnRoute = pools.has(at(market.pools, market.edgePool[edge] as number)?.id ?? '')
  const x = Math.min(point.x, isOnRoute ? point.x : worth / cost)
  const y = x < point.x ? edgeOutput(market, edge, x) : point.y
  return Math.max(0, value * y - cost * x)
}

/** Of a token that could not be bought then, or was not there. */
function leastCost(market: Market, { costs }: Margins, token: number): number {
  let least = Number.POSITIVE_INFINITY
  const last = market.inPairs[token + 1] as number
  for (let at = market.inPairs[token] as number; at < last; at++) {
    const cost = costs[market.inPairFrom[at] as number] ?? 0
    if (cost > 0) least = Math.min(least, cost / (market.inPairRate[at] as number))
  }
  return least
}

/** Of a token that could not be sold then, or was not there. */
function bestValue(market: Market, { values }: Margins, token: number): number {
  let best = 0
  const last = market.outPairs[token + 1] as number
  for (let pair = market.outPairs[token] as number; pair < last; pair++) {
    const value = values[market.pairTo[pair] as number] ?? 0
    best = Math.max(best, (market.pairRate[pair] as number) * value)
  }
  return best
}

/** How far, at most, the best possible route lies above this one in a later market; undefined where new tokens came. */
export function laterGapBps(
  market: Market,
  { frame, boundPrices }: Certificate,
  route: Route,
): number | undefined {
  if (market.tokens.length !== boundPrices.length) return undefined
  // A pool that came may have shortened a way.
  const hopsToOut = hopsTo(market, frame.tokenOut, frame.maxHops)
  const { bound } = boundOutput(
    market,
    { ...frame, hopsToOut, effort: { spent: 0 } },
    { prices: boundPrices, amountIn: Number(route.amountIn) },
  )
  const net = Number(route.amountOut) - route.gas * frame.gasPrice
  return Math.max(0, (1 - net / bound) * 1e4)
}
