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
  return {
    ...ends,
    hopsFromIn: hopsFrom(market, ends.tokenIn, ends.maxHops),
    hopsToOut: hopsTo(market, ends.tokenOut, ends.maxHops),
    effort,
  }
}
