import { mostProfit } from './edgeCurve.ts'
import { gasOf, type Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import { waysBetween } from './waysBetween.ts'

/** Covers the rounding of the sums below; the pools themselves only round downwards. */
const floatError = 1e-11

/** A bound and the prices it holds by, one for each token. */
export type Bound = { readonly bound: number; readonly prices: Float64Array }

/**
 * What no route of whatever length can exceed that visits no token twice, net of gas, by weak duality:
 * at any prices with price_out = 1, output <= price_in * amountIn + sum over the edges of their greatest
 * profit. Edges on no way between the two count nothing: most arbitrage of a market lies there. An edge
 * that is not worth its gas counts 0; but every route crosses each distance to tokenOut once, so the
 * cheapest edge of each crossing counts with its loss. The better the prices, the tighter; every
 * choice is valid.
 */
export function boundOutput(
  market: Market,
  frame: SearchFrame,
  {
    prices: known,
    amountIn,
  }: {
    /** Of each token; 0 where none is known. */
    readonly prices: Float64Array
    readonly amountIn: number
  },
): Bound {
  const ways = waysBetween(market, frame.tokenIn, frame.tokenOut)
  const prices = pricesOf(market, known)
  const { tokenIn, tokenOut, hopsToOut, maxHops, gasPrice, effort } = frame
  const { outPairs, pairTo, pairRate, pairGas, pairEdges } = market
  const distance = hopsToOut[tokenIn] as number
  const leastLoss = new Float64Array(maxHops + 2).fill(Number.POSITIVE_INFINITY)
  let bound = (prices[tokenIn] as number) * amountIn
  effort.spent += pairTo.length
  for (let from = 0; from < prices.length; from++) {
    if (from === tokenOut) continue
    const priceFrom = prices[from] as number
    const fromOut = hopsToOut[from] as number
    const last = outPairs[from + 1] as number
    for (let pair = outPairs[from] as number; pair < last; pair++) {
      const to = pairTo[pair] as number
      const priceTo = prices[to] as number
      if (ways[pair] === 0 || to === tokenIn) continue
      const isOnTheWay = fromOut === (hopsToOut[to] as number) + 1
      if (!((pairRate[pair] as number) * priceTo > priceFrom)) {
        if (isOnTheWay)
          leastLoss[fromOut] = Math.min(
            leastLoss[fromOut] as number,
            (pairGas[pair] as number) * gasPrice,
          )
        continue
      }
      const lastEdge = pairEdges[pair + 1] as number
      effort.spent += lastEdge - (pairEdges[pair] as number)
      for (let edge = pairEdges[pair] as number; edge < lastEdge; edge++) {
        const gas = gasOf(market, edge) * gasPrice
        const profit = mostProfit(market, edge, { priceFrom, priceTo }) - gas
        bound += Math.max(0, profit)
        if (isOnTheWay)
          leastLoss[fromOut] = Math.min(leastLoss[fromOut] as number, Math.max(0, -profit))
      }
    }
  }
  if (gasPrice > 0) for (let hops = 1; hops <= distance; hops++) bound -= leastLoss[hops] as number
  return { bound: bound * (1 + floatError), prices }
}

/** Tokens no chain was found for get the price at which none of their edges pays. */
function pricesOf(market: Market, known: Float64Array): Float64Array {
  const prices = known.slice()
  // One may sell through another: a token that sells for something must not be left free.
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false
    for (let token = 0; token < prices.length; token++) {
      if (prices[token] !== 0) continue
      prices[token] = bestValue(market, prices, token)
      if (prices[token] !== 0) hasChanged = true
    }
  }
  return prices
}

function bestValue(market: Market, prices: Float64Array, token: number): number {
  let best = 0
  const last = market.outPairs[token + 1] as number
  for (let pair = market.outPairs[token] as number; pair < last; pair++) {
    const price = prices[market.pairTo[pair] as number] as number
    best = Math.max(best, (market.pairRate[pair] as number) * price)
  }
  return best
}
