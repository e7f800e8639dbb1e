import type { Address, Hex } from 'viem'

export type RelayStatus = 'pending' | 'mined' | 'failed' | 'final' | 'final_failed' | 'lost'

export type RelayAttempt = {
  readonly hash: Hex
  readonly raw: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}

export type RelayTransaction = {
  readonly id: number
  readonly chainId: number
  readonly owner: Address
  readonly signer: Address
  readonly nonce: number
  readonly proxy: Address
  readonly status: RelayStatus
  readonly createdAtMs: number
  /** Start of its pending window: the reservation, or the latest replacement. */
  readonly markedAtMs: number
  /** Worst case of the signed bytes. */
  readonly reservedWei: bigint
  readonly actualWei: bigint | undefined
  readonly blockNumber: bigint | undefined
  readonly blockHash: Hex | undefined
  readonly minedHash: Hex | undefined
  /** Oldest first; all share the nonce, so at most one can be mined. */
  readonly attempts: readonly [RelayAttempt, ...RelayAttempt[]]
}
