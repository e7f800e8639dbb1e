import type { Effort } from './effort.ts'

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
