import type { Market } from './market.ts'
import { spreadAmounts } from './searchPath.ts'

/** Amount sold to find what the native currency is worth: about the gas of a swap, more than dust. */
const probeWei = 1e15
const maxHops = 3
const pricesOf = new WeakMap<Market, Map<string, Float64Array>>()

/** Units of every token per wei of the native currency; 0 where no path of three hops leads to it. */
export function nativePrices(market: Market, nativeToken: string): Float64Array {
  const known = pricesOf.get(market) ?? new Map<string, Float64Array>()
  pricesOf.set(market, known)
  const cached = known.get(nativeToken)
  if (cached) return cached
  const prices = new Float64Array(market.tokens.length)
  const native = market.tokenIndex.get(nativeToken)
  if (native !== undefined) {
    const amounts = spreadAmounts(market, { source: native, amountIn: probeWei, maxHops })
    for (const [token, amount] of amounts.entries()) prices[token] = amount / probeWei
  }
  known.set(nativeToken, prices)
  return prices
}
