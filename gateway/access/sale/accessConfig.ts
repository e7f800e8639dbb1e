import type { Address, Chain, Client, Hex, Transport } from 'viem'
import type { Log } from '../../http/serviceOptions.ts'
import type { FillSigner } from '../../signing/fillSigner.ts'
import type { CallPrices } from '../../signing/signCall.ts'
import type { Turns } from '../../signing/turns.ts'
import type { Store } from '../../store/openStore.ts'
import type { RateLimit } from '../limits/rateLimit.ts'
import type { SharedBuckets } from '../limits/sharedBuckets.ts'

export type SettlementOrder = CallPrices & { readonly calldata: Hex; readonly nonce: number }

/**
 * Signs `transferWithAuthorization` of one token to one contract on one chain, with value 0 and under a
 * ceiling for its gas, and refuses everything else: the key may do nothing for x402 but settle.
 */
export type SettlementSigner = {
  readonly address: Address
  readonly chainId: number
  readonly token: Address
  readonly turns: Turns
  sign(order: SettlementOrder): Promise<{ readonly rawTx: Hex; readonly txHash: Hex }>
}

export type Settlement = { readonly signer: SettlementSigner; readonly limits: SettlementLimits }

export type SettlementLimits = {
  /** USD that a whole native coin is taken to cost: a settlement may not cost more than its pack earns. */
  readonly usdPerNative?: number | undefined
  /** Worst case of one settlement's bytes. */
  readonly maxFeeWei: bigint
  /**
   * Worst case of one that others wait behind, where it may be more: a deployment may cost more, and cannot be
   * mined before it.
   */
  readonly maxStuckFeeWei?: bigint | undefined
  /** Both in any 3600 s, apart from the relay's own caps. */
  readonly maxPerHour: number
  readonly maxSpendPerHourWei: bigint
}

/** Where quota is sold on one chain, and when a payment there counts. */
export type QuotaContract = {
  readonly chainId: number
  readonly address: Address
  readonly token: { readonly address: Address; readonly name: string; readonly version: string }
  /** Blocks including the payment's own. */
  readonly confirmations: number
  /** From this raw amount on, a payment counts only once its block is final. */
  readonly finalizedFrom: bigint
  /** Settles x402 payments here; without it nothing is offered that needs settling. */
  readonly settlement?: Settlement | undefined
  /** Carries on with what was signed before, also where nothing is settled any more. */
  readonly upkeep?: Settlement | undefined
  /** Fills missing nonces; where the relay serves the chain, it does that. */
  readonly filler?: FillSigner | undefined
}

export type AccessConfig = {
  readonly keyPrefix: string
  readonly pepper: string
  /** What keys were hashed under before, and counts until then. */
  readonly formerPepper?: { readonly pepper: string; readonly untilMs: number } | undefined
  /** Base URL of the routing service as callers see it; never taken from a Host header. */
  readonly publicUrl: string
  readonly serviceName: string
  /** Quotes given at registration. */
  readonly freeQuota: number
  /** Raw payment token units per quote. */
  readonly amountPerQuote: bigint
  /** Quotes in one x402 top-up; at most 1 USD, beyond which official clients refuse to pay. */
  readonly packQuotes: number
  readonly keyLimit: RateLimit
  /** Endpoints without a key, failed keys, claims and payments; undefined: no limit. */
  readonly ipLimit: RateLimit | undefined
  readonly isLoopbackLimited: boolean
  readonly contracts: readonly QuotaContract[]
}

/** The part of a chain client that access uses. */
export type AccessChain = {
  readonly chainId: number
  readonly client: Client<Transport, Chain>
  /** For what anybody may have asked without a key: its calls wait behind others. Default: as the others. */
  readonly keyless?: Client<Transport, Chain> | undefined
  /** Each upstream for itself, where there are several. */
  readonly witnesses?: readonly Client<Transport, Chain>[] | undefined
}

export type AccessDeps = {
  readonly store: Store
  readonly chains: readonly AccessChain[]
  readonly config: AccessConfig
  /** Where several gateways share their rate limits; absent: each has its own. */
  readonly buckets?: SharedBuckets | undefined
  /** Whether the database took the last charge. */
  readonly observeCharge?: ((outcome: 'taken' | 'refused') => void) | undefined
  /** Wall clock, for records and expiries. Rate limits use a monotonic one. */
  readonly now: () => number
  /** Of caps of settlements and of kept answers, where it is not `now`: nothing sets it while the process runs. */
  readonly bookNow?: (() => number) | undefined
  readonly log: Log
}
