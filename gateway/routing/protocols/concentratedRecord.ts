import type { PoolHead } from './poolHead.ts'

/** An initialised tick: `gross` decides when it disappears, even where `net` is zero. */
export type TickRecord = { readonly index: number; readonly gross: bigint; readonly net: bigint }

export type ConcentratedProtocol =
  | 'uniswap_v3'
  | 'pancake_v3'
  | 'slipstream'
  | 'camelot_v3'
  | 'algebra_integral'

export type ConcentratedRecord = PoolHead & {
  readonly protocol: ConcentratedProtocol
  /** Fee of token 1 going in; `feePips` is that of token 0. They differ in directional pools only. */
  readonly feePips1: number
  readonly tickSpacing: number
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Ascending. */
  readonly ticks: readonly TickRecord[]
}
