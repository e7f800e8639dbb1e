import type { Address, Hex } from 'viem'
import type { KnownHooks } from './uniswapV4Hooks.ts'

/** Families of pools; the last eight have no local maths, their quoters are asked. A fork of a known family is a row of its chain. */
export type Protocol =
  | 'uniswap_v2'
  | 'uniswap_v3'
  | 'pancake_v3'
  | 'slipstream'
  | 'aerodrome_v2'
  | 'uniswap_v4'
  | 'camelot_v2'
  | 'camelot_v3'
  | 'algebra_integral'
  | 'curve_stable_ng'
  | 'curve_plain'
  | 'balancer_v2_weighted'
  | 'balancer_v2_stable'
  | 'balancer_v3_weighted'
  | 'balancer_v3_stable'
  | 'liquidity_book'
  | 'ramses_v2'
  | 'trident'
  | 'psm3'
  | 'aave_v3'
  | 'curve_crypto'
  | 'fluid'
  | 'maverick_v2'
  | 'dodo_v2'
  | 'woofi'
  | 'ramses_v1'
  | 'balancer_v3_quoted'
  | 'erc4626'

export type Dex = {
  readonly name: string
  /** Short name in `route_path`, e.g. `UniV3`. */
  readonly label: string
  readonly protocol: Protocol
  readonly factory: Address
  /** Factories of the same kind before it, whose pools trade on. */
  readonly earlierFactories?: readonly Address[] | undefined
  readonly router?: Address | undefined
  readonly quoter?: Address | undefined
  /** Who holds the tokens of its pools, where that is another contract. */
  readonly holder?: Address | undefined
  /** Who tells of pools, where that is another contract than the factory. */
  readonly announcer?: Address | undefined
  /** Pool fees in pips (1e-6): one for constant product, all known tiers for concentrated liquidity. */
  readonly feesPips: readonly number[]
  /** Where the factory finds pools by something else than the fee, or besides it: tick spacings. */
  readonly poolKeys?: readonly number[] | undefined
  /** Stands in the offline world only: nothing is amiss where it is missing. */
  readonly isOptional?: boolean | undefined
  readonly initCodeHash?: Hex | undefined
  /** Pools that events alone would name, from a dated list: the factories are asked whose they are. */
  readonly knownPools?: readonly Address[] | undefined
  /** Of a lending market, from a dated list: what is supplied, and the token that is had for it. */
  readonly reserves?: readonly (readonly [asset: Address, aToken: Address])[] | undefined
  /** Of a dated list: pools with other hooks that act on swaps are quoted after a dry run only. */
  readonly knownHooks?: readonly KnownHooks[] | undefined
  /** First block worth scanning for pools. */
  readonly deployBlock: number
}

/** The oldest first. */
export const factoriesOf = ({ factory, earlierFactories = [] }: Dex): readonly Address[] => [
  ...earlierFactories,
  factory,
]

/** A chain of the lab has fewer blocks than the chain that the row was written for. */
export const firstBlockOf = ({ deployBlock }: Dex, blockNumber: bigint): bigint =>
  BigInt(deployBlock) <= blockNumber ? BigInt(deployBlock) : 0n
