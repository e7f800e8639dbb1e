import type { Address } from 'viem'
import type { ForkSettings } from '../../simulator/forkSettings.ts'
import type { Dex } from './dex.ts'

/**
 * Tokens known from the start. Each address and its decimals were found in at least two public lists
 * that agree; tokens met later are read from the chain itself.
 */
export type TokenRow = readonly [symbol: string, decimals: number, address: Address]

/** A Chainlink aggregator of US dollars. Feeds of the very token only: a wrapped coin may leave its coin's price. */
export type FeedRow = readonly [token: Address, feed: Address]

/**
 * Where each DEX's address was found, by lower-case address: public repositories and npm packages.
 * Addresses with one source only are no different from the others: each is verified on first contact.
 */
export type DexSources = Readonly<Record<string, readonly string[]>>

/** Remote providers, by the names they are configured under. */
export type ProviderName =
  | '0x'
  | '1inch'
  | 'bebop'
  | 'cow'
  | 'enso'
  | 'fabric'
  | 'fly'
  | 'kyberswap'
  | 'lifi'
  | 'nordstern'
  | 'okx'
  | 'openocean'
  | 'relay'
  | 'remote-routing'
  | 'sushi'
  | 'uniswap-api'
  | 'velora'

/** A provider on one chain. */
export type ProviderRow = {
  /** Its name of the chain: an id or a slug. */
  readonly slug: string
  /** First values of the allowlist: called, and given allowances; none where they vary or nobody knows them. */
  readonly contracts?: readonly Address[] | undefined
  /** Called and never given an allowance. */
  readonly calledOnly?: readonly Address[] | undefined
}

/** Rate providers, hooks and oracles of pools that somebody reviewed: what they say is believed. */
export type TrustedCode = {
  /** Where it was found. */
  readonly source: string
  /** Of what was read there. */
  readonly date: string
  readonly parts: readonly (readonly [name: string, address: Address])[]
}

/** Everything about one chain. */
export type ChainRow = {
  readonly chainId: number
  /** Prefix of its settings in capitals, e.g. `BASE_RPC_URL`: letters, digits, `_`. */
  readonly name: string
  /** For people. */
  readonly displayName: string
  readonly wrappedNative: Address
  /** `name` and `version` are those of the token's EIP-712 domain. */
  readonly usdc: {
    readonly address: Address
    readonly name: string
    readonly version: string
    readonly decimals: number
  }
  readonly multicall3: Address
  /** How the chain charges for the data that it posts to Ethereum. */
  readonly l1Fee: 'opStack' | 'arbitrum' | 'none'
  readonly blockTimeMs: number
  /** Most gas that a transaction may ask for, where the chain sets less than its blocks have. */
  readonly transactionGasCap?: bigint | undefined
  /** Tokens that most liquidity is paired with, most liquid first. */
  readonly hubTokens: readonly Address[]
  /** Much asked for beside the hubs: their pools with the first of these are quoted while the rest loads. */
  readonly majorTokens?: readonly Address[] | undefined
  readonly tokens: readonly TokenRow[]
  /** None: pools price its tokens. */
  readonly feeds: readonly FeedRow[]
  readonly dexes: readonly Dex[]
  /** Of a dated list: pools of tokens that are none of ours, whose pairs are asked for at the start. */
  readonly deepPools?: readonly Address[] | undefined
  /** Undefined: the provider does not serve the chain. */
  readonly providers: Readonly<Record<ProviderName, ProviderRow | undefined>>
  /**
   * Never the target of a swap: a call of them by the caller pledges or withdraws what the caller has there.
   * Each address was found in at least two public sources that agree.
   */
  readonly lendingMarkets: readonly Address[]
  /** Code of strangers that has a say in swaps; pools with any other are dry-run before they are quoted. */
  readonly trusted: readonly TrustedCode[]
  readonly fork: ForkSettings
  /** Where the lab's chain listens; its door for cheatcodes, where it has one, is ten above. */
  readonly labPort: number
}
