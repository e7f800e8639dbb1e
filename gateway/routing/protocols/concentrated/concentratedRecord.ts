import type { Address } from 'viem'
import type { PoolHead } from '../../reads/poolHead.ts'

/** An initialised tick: `gross` decides when it disappears, even where `net` is zero. */
export type TickRecord = { readonly index: number; readonly gross: bigint; readonly net: bigint }

export type ConcentratedProtocol =
  | 'uniswap_v3'
  | 'pancake_v3'
  | 'slipstream'
  | 'camelot_v3'
  | 'ramses_v2'
  | 'algebra_integral'

export type ConcentratedRecord = PoolHead & {
  readonly protocol: ConcentratedProtocol
  /** Fee of token 1 going in; `feePips` is that of token 0. They differ in directional pools only. */
  readonly feePips1: number
  /** Who sets the fees anew in the first swap of a block; Camelot v3 only. */
  readonly feeOracle?: Address | undefined
  /** Who is asked what a swap gives, where the next fee is not known. */
  readonly quoter?: Address | undefined
  readonly tickSpacing: number
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Ascending. */
  readonly ticks: readonly TickRecord[]
  /** Of a reading that ended before the last tick: good to be compared, not to be traded on. */
  readonly isPart?: true | undefined
}
