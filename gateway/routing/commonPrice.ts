import { type EdgePoint, pointAtPrice } from './engine/edgeCurve.ts'
import { pairBetween, pairOf } from './engine/indexPairs.ts'
import { bestRate, edgesOfPool, type Market } from './engine/market.ts'
import { at, listOthers } from './engine/pieces.ts'
import type { RouteStep } from './engine/route.ts'
import { midPrice } from './midPrice.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** Depth is what moves a pool's price by this part. */
const depthPart = 0.01

type Known = { readonly pools: ReadonlyMap<string, PoolRecord>; readonly market: Market }
type Steps = readonly Pick<RouteStep, 'tokenIn' | 'tokenOut'>[]

type Layout = {
  /** The one that was asked about last. */
  market: Market
  /** Of its pairs. */
  readonly prices: Map<number, number | undefined>
  /** -1 where no pool has both. Steps outlive many layouts, and keep none. */
  readonly pairsOf: WeakMap<Steps, Int32Array>
}
/** By the order of a market's pairs: snapshots share it until pools come or go. */
const known = new WeakMap<Int32Array, Layout>()

/**
 * What the pools of each step's tokens together say that one unit is worth, raw units out per raw unit in: the
 * median of their mid prices, each counting by its depth. Undefined where no pool holds both.
 */
export function commonPrices(state: Known, steps: Steps): readonly (number | undefined)[] {
  const { prices, pairsOf } = layoutOf(state.market)
  const pairs = pairsOf.get(steps) ?? findPairs(state.market, steps)
  pairsOf.set(steps, pairs)
  return Array.from(pairs, (pair) => {
    if (pair >= 0 && !prices.has(pair)) prices.set(pair, medianOf(listPrices(state, pair)))
    return prices.get(pair)
  })
}

/** Less the prices of what has changed since another market was asked about. */
function layoutOf(market: Market): Layout {
  const layout = known.get(market.pairTo) ?? { market, prices: new Map(), pairsOf: new WeakMap() }
  known.set(market.pairTo, layout)
  if (layout.market === market) return layout
  for (const index of listOthers(market.pools, layout.market.pools)) {
    const { tokens = [] } = at(market.pools, index) ?? {}
    for (const edge of edgesOfPool(market, { index, tokens }))
      layout.prices.delete(pairOf(market, edge))
  }
  layout.market = market
  return layout
}

function findPairs(market: Market, steps: Steps): Int32Array {
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  return Int32Array.from(steps, ({ tokenIn, tokenOut }) =>
    pairBetween(market, numberOf(tokenIn), numberOf(tokenOut)),
  )
}

type Priced = { readonly price: number; readonly depth: number }

function listPrices({ pools, market }: Known, pair: number): readonly Priced[] {
  const priced: Priced[] = []
  const point: EdgePoint = { x: 0, y: 0, slope: 0 }
  const last = market.pairEdges[pair + 1] as number
  for (let edge = market.pairEdges[pair] as number; edge < last; edge++) {
    const pool = at(market.pools, market.edgePool[edge] as number)
    const record = pool && pools.get(pool.id)
    const rate = bestRate(market, edge)
    if (!record || rate === 0) continue
    pointAtPrice(market, edge, rate * (1 - depthPart), point)
    const tokenIn = at(market.tokens, market.edgeFrom[edge] as number) ?? ''
    const tokenOut = at(market.tokens, market.edgeTo[edge] as number) ?? ''
    const price = midPrice(record, tokenIn, tokenOut)
    if (price > 0 && Number.isFinite(price)) priced.push({ price, depth: point.x })
  }
  return priced
}

/** The price at which half of the depth is reached. */
function medianOf(priced: readonly Priced[]): number | undefined {
  const sorted = priced.toSorted((one, other) => one.price - other.price)
  const half = sorted.reduce((sum, { depth }) => sum + depth, 0) / 2
  let below = 0
  return sorted.find(({ depth }) => {
    below += depth
    return below >= half
  })?.price
}
