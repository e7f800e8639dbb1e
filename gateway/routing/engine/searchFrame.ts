import type { Effort } from './effort.ts'
import type { Market } from './market.ts'
import { hopsFrom, hopsTo } from './searchPath.ts'

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

/** What of a frame follows from its ends and the market; its work is counted by itself where nobody counts it. */
export function frameBetween(
  market: Market,
  ends: Pick<SearchFrame, 'tokenIn' | 'tokenOut' | 'maxHops' | 'gasPrice'>,
  effort: Effort = { spent: 0 },
): SearchFrame {
  return { ...ends, ...hopsBetween(market, ends), effort }
}

type Hops = Pick<SearchFrame, 'hopsFromIn' | 'hopsToOut'>

/** By the order of a market's pairs: snapshots share it until pools come or go. */
const known = new WeakMap<Int32Array, Map<string, Hops>>()
/** Each has a byte for every token, twice. */
const mostKnown = 1_024

function hopsBetween(
  market: Market,
  { tokenIn, tokenOut, maxHops }: Pick<SearchFrame, 'tokenIn' | 'tokenOut' | 'maxHops'>,
): Hops {
  const all = known.get(market.pairTo) ?? new Map<string, Hops>()
  known.set(market.pairTo, all)
  const name = `${tokenIn} ${tokenOut} ${maxHops}`
  const before = all.get(name)
  if (before) return before
  const hops = {
    hopsFromIn: hopsFrom(market, tokenIn, maxHops),
    hopsToOut: hopsTo(market, tokenOut, maxHops),
  }
  if (all.size >= mostKnown) all.clear()
  all.set(name, hops)
  return hops
}
