import type { Address, Hex } from 'viem'

/** Everything worth a log line, a counter or an alert. Holds no secret. */
export type RelayEvent =
  /** `step`: the gate that answered, 11 for an operator's pause, undefined for a new deployment. */
  | {
      readonly kind: 'answered'
      readonly chainId: number
      readonly step: number | undefined
      readonly code: string
    }
  | {
      readonly kind: 'chain_unreachable' | 'simulator_bypassed' | 'store_failed'
      readonly chainId: number
      readonly cause: unknown
    }
  | {
      readonly kind: 'signed'
      readonly chainId: number
      readonly owner: Address
      readonly nonce: number
      readonly hash: Hex
      readonly reservedWei: bigint
      readonly isReplacement: boolean
    }
  /** The bytes are kept and sent again whatever the node said. */
  | {
      readonly kind: 'broadcast_failed'
      readonly chainId: number
      readonly hash: Hex
      readonly cause: unknown
    }
  | {
      readonly kind: 'mined' | 'reverted' | 'reorged'
      readonly chainId: number
      readonly hash: Hex
    }
  /** Someone else signs with the relayer's key: its caps no longer hold. */
  | { readonly kind: 'lost'; readonly chainId: number; readonly nonce: number; readonly hash: Hex }
  | {
      readonly kind: 'replacement_blocked'
      readonly chainId: number
      readonly hash: Hex
      readonly code: string
    }
  | {
      readonly kind: 'low_balance'
      readonly chainId: number
      readonly relayer: Address
      readonly balanceWei: bigint
      readonly deploysLeft: number
    }
  | { readonly kind: 'reconcile_failed'; readonly chainId: number; readonly cause: unknown }

export type Observe = (event: RelayEvent) => void
