import type { Fork } from './fork.ts'
import type { StateOverrides } from './rpc/callShapes.ts'
import type { BlockId } from './upstream.ts'

/** A fork and the one block that everything it answers belongs to. */
export type Generation = BlockId & {
  readonly fork: Fork
  /** Stand-ins for precompiles of the chain that anvil lacks; part of every simulation. */
  readonly overrides: StateOverrides
  /** Something in it does not come to an end: it is to be replaced, and killed with what runs in it. */
  readonly condemn: () => void
  /** A second fork of the same block for what may be hostile, behind everybody else on the machine. */
  readonly slowFork: () => Promise<Fork>
}

export type GenerationEvent = {
  readonly event:
    | 'fork_ready'
    | 'fork_lost'
    | 'fork_wedged'
    | 'fork_stuck'
    | 'fork_refused'
    | 'reorg'
    | 'slot_cache_failed'
  readonly chainId: number
  readonly blockNumber?: bigint | undefined
  readonly elapsedMs?: number
  readonly reason?: string
}
