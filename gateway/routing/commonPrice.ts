import { type EdgePoint, pointAtPrice } from './engine/edgeCurve.ts'
import { pairBetween } from './engine/indexPairs.ts'
import { bestRate, type Market } from './engine/market.ts'
import { at } from './engine/pieces.ts'
import { midPrice } from './midPrice.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** Depth is what moves a pool's price by this part. */
const depthPart = 0.01
const known = new WeakMap<Market, Map<number, number | undefined>>()

type Known = { readonly pools: ReadonlyMap<string, PoolRecord>; readonly market: Market }

/**
 * What the pools of two tokens together say that one unit is worth, raw units out per raw unit in: the
 * median of their mid prices, each counting by its depth. Undefined where no pool holds both.
 */
export function commonPrice(state: Known, tokenIn: string, tokenOut: string): number | undefined {
  const { market } = state
  const pair = findPair(market, tokenIn, tokenOut)
  if (pair === undefined) return undefined
  const prices = known.get(market) ?? new Map<number, number | undefined>()
  known.set(market, prices)
  if (!prices.has(pair)) prices.set(pair, medianOf(listPrices(state, pair)))
  return prices.get(pair)
}

function findPair(market: Market, tokenIn: string, tokenOut: string): number | undefined {
  const from = market.tokenIndex.get(tokenIn) ?? -1
  const to = market.tokenIndex.get(tokenOut) ?? -1
  const pair = pairBetween(market, from, to)
  return pair < 0 ? undefined : pair
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
