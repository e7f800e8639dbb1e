import type { Address } from 'viem'
import type { Protocol } from '../../chain/dex.ts'
import type { Part } from './readParts.ts'

/** What every record of a pool has, whatever its family. */
export type PoolHead = {
  /** The id in the engine: the lower-case address, or the pool's id within a contract of many pools. */
  readonly id: string
  readonly protocol: Protocol
  /** The contract that a swap calls. */
  readonly address: Address
  /** Name of the DEX in `chain/dexes.ts`. */
  readonly dex: string
  /** Lower-case addresses, in the pool's own order; native currency as its wrapped token. */
  readonly tokens: readonly string[]
  /** For show; what a swap costs is in the family's own fields. */
  readonly feePips: number
  /** Block of the last change seen; the block it was loaded at when none was seen. */
  readonly changedBlock: bigint
  /** By token: no swap has paid its fee in it yet, and the first one that does pays for new storage. */
  readonly isFresh: readonly boolean[]
  /** Code that its maker chose and that its swaps ask; none where absent. */
  readonly parts?: readonly Part[] | undefined
  /** Swaps seen since it was loaded. */
  readonly swapsSeen: number
}
