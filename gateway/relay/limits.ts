import type { SharedCaps } from '../store/sharedCaps.ts'

/** What the relay may spend on one chain. Amounts in wei; hours are sliding windows. */
export type RelayLimits = {
  /** Gate 5; also the highest gas limit that is ever signed. */
  readonly gasCap: number
  /** Gate 6: the worst case of one deployment. */
  readonly maxRelayFeeWei: bigint
  /** Gate 7. */
  readonly minRelayerBalanceWei: bigint
  /** Gate 8: how long a recorded transaction answers for its owner before it is replaced. */
  readonly pendingWindowMs: number
  /** Gate 9. */
  readonly maxDeploysPerHour: number
  /** Gate 10. */
  readonly maxSpendPerHourWei: bigint
}

export const MAX_RELAY_FEE_WEI = 200_000_000_000_000n
export const MIN_RELAYER_BALANCE_WEI = 1_000_000_000_000_000n
export const MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR = 60
export const MAX_CHAIN_SPEND_PER_HOUR_WEI = 20_000_000_000_000_000n
export const SPONSORED_GAS_CAP = 200_000
export const PENDING_WINDOW_SECS = 120

/** The document's values, used wherever a chain's configuration says nothing else. */
export const defaultLimits: RelayLimits = {
  gasCap: SPONSORED_GAS_CAP,
  maxRelayFeeWei: MAX_RELAY_FEE_WEI,
  minRelayerBalanceWei: MIN_RELAYER_BALANCE_WEI,
  pendingWindowMs: PENDING_WINDOW_SECS * 1000,
  maxDeploysPerHour: MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR,
  maxSpendPerHourWei: MAX_CHAIN_SPEND_PER_HOUR_WEI,
}

export const toCaps = ({ maxDeploysPerHour, maxSpendPerHourWei }: RelayLimits): SharedCaps => ({
  maxPerHour: maxDeploysPerHour,
  maxSpendPerHourWei,
})

/** Window of gates 9 and 10, counted back from now: never a calendar hour. */
export const capWindowMs = 3_600_000
