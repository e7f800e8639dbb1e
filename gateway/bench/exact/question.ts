import type { Market } from '../../routing/engine/market.ts'

/** What a route is asked for: amounts and prices are float64, tokens their places in the market. */
export type Question = {
  readonly market: Market
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: number
  /** Price of a unit of gas in tokenOut: each step that is used costs its gas, however little it takes. */
  readonly gasPrice: number
}
