import type { Address } from 'viem'

export type PoolHead = {
  /** Lower-case address: the id in the engine. */
  readonly id: string
  readonly address: Address
  /** Name of the DEX in `chain/dexes.ts`. */
  readonly dex: string
  readonly token0: string
  readonly token1: string
  readonly feePips: number
  /** Block of the last change seen; the block it was loaded at when none was seen. */
  readonly changedBlock: bigint
  /** By token: no swap has paid its fee in it yet, and the first one that does pays for new storage. */
  readonly isFresh: readonly [boolean, boolean]
  /** Swaps seen since it was loaded. */
  readonly swapsSeen: number
}

export type PairRecord = PoolHead & {
  readonly protocol: 'uniswap_v2'
  readonly reserve0: bigint
  readonly reserve1: bigint
}

/** An initialised tick: `gross` decides when it disappears, even where `net` is zero. */
export type TickRecord = { readonly index: number; readonly gross: bigint; readonly net: bigint }

export type ConcentratedRecord = PoolHead & {
  readonly protocol: 'uniswap_v3' | 'pancake_v3' | 'slipstream'
  readonly tickSpacing: number
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Ascending. */
  readonly ticks: readonly TickRecord[]
}

/** Aerodrome v2 and its kin: constant product, or the stable invariant. */
export type SolidlyRecord = PoolHead & {
  readonly protocol: 'aerodrome_v2'
  readonly stable: boolean
  /** 10 ^ decimals of each token, as the pool keeps them. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly reserve0: bigint
  readonly reserve1: bigint
}

/** What is known of a pool: everything that its swaps depend on, as read from the chain. */
export type PoolRecord = PairRecord | ConcentratedRecord | SolidlyRecord
