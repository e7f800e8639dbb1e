import type { Dex } from '../../chain/dexes.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import type { PoolRef } from './poolFamily.ts'
import type { SolidlyRecord } from './solidlyChain.ts'
import type { PairRecord } from './uniswapV2Chain.ts'

/** What is known of a pool: everything that its swaps depend on, as read from the chain. */
export type PoolRecord = PairRecord | ConcentratedRecord | SolidlyRecord

/** Where the pool is read again. */
export function toRef({ id, address }: PoolRecord, dex: Dex): PoolRef {
  // An id that is no address names a pool within a contract of many.
  return id === address.toLowerCase() ? { dex, address } : { dex, address, id: id as `0x${string}` }
}
