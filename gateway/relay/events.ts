import type { Address, Hex } from 'viem'
import type { FillEvent } from '../signing/fillNonces.ts'
import type { RelayLimits } from './limits.ts'

/** Everything worth a log line, a counter or an alert. Holds no secret. */
export type RelayEvent =
  /** `step`: the gate that answered, 11 a pause, 12 a missing nonce, undefined for a new deployment. */
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
  /** This process sends for the chain from now on. */
  | { readonly kind: 'elected'; readonly chainId: number }
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
  /**
   * `lost`: someone else signs with the relayer's key, its caps no longer hold. `retired`: a former key's
   * was not mined in its window, and this key may serve its owner. `mined_unseen`: no node has its receipt
   * any more, its nonce is used and its owner's proxy stands.
   */
  | {
      readonly kind: 'lost' | 'retired' | 'mined_unseen'
      readonly chainId: number
      readonly nonce: number
      readonly hash: Hex
    }
  | (FillEvent & { readonly chainId: number })
  /** Another gateway of this database has lower caps than ours: they hold. */
  | {
      readonly kind: 'limits_differ'
      readonly chainId: number
      readonly maxDeploysPerHour: number
      readonly maxSpendPerHourWei: bigint
    }
  /** One node says that the relayer is ahead of our book, and nothing bears it out: nothing is signed. */
  | {
      readonly kind: 'nonce_unproven'
      readonly chainId: number
      readonly claimed: number
      readonly known: number
    }
  /**
   * The machine's clock was ahead of the chain at the start and is not believed, or the book's clock is
   * ahead of the machine's: see `forkyard relay clock`.
   */
  | {
      readonly kind: 'clock_ahead'
      readonly chainId: number
      readonly who: 'machine' | 'book'
      readonly aheadMs: number
    }
  | {
      readonly kind: 'replacement_blocked'
      readonly chainId: number
      readonly hash: Hex
      readonly code: string
    }
  /** Every half minute, for gauges. */
  | {
      readonly kind: 'funds'
      readonly chainId: number
      readonly balanceWei: bigint
      readonly deploysThisHour: number
      readonly spendThisHourWei: bigint
      readonly pending: number
      readonly limits: RelayLimits
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

/** Events that need a person sooner or later: logged as warnings, each with an alert rule. */
export const alarmKinds = [
  'broadcast_failed',
  'chain_unreachable',
  'clock_ahead',
  'fill_blocked',
  'limits_differ',
  'lost',
  'low_balance',
  'mined_unseen',
  'nonce_gap',
  'nonce_unproven',
  'reconcile_failed',
  'reorged',
  'replacement_blocked',
  'reverted',
  'simulator_bypassed',
  'store_failed',
] as const satisfies readonly RelayEvent['kind'][]

/** Codes of the gates' refusals and of a pause, as `answered` events carry them. */
export const refusalCodes = [
  'insufficient_token_balance',
  'no_native_balance',
  'simulation_reverted',
  'gas_cap_exceeded',
  'fee_ceiling_exceeded',
  'relay_not_funded',
  'deploy_cap_reached',
  'spend_budget_exhausted',
  'relay_paused',
  'nonce_gap',
  'owner_signature_required',
  'owner_signature_invalid',
  'network_cap_reached',
  'unsigned_share_exhausted',
] as const
