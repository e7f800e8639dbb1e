import type { Hex } from 'viem'

export type PoolLog = {
  /** Lower case. */
  readonly address: string
  readonly topics: readonly string[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: string
  readonly logIndex: number
}
