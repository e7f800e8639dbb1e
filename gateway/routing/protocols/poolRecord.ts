import type { Hex } from 'viem'
import type { Dex } from '../../chain/dexes.ts'
import type { BalancerV2Record } from './balancerV2Chain.ts'
import type { BalancerV3Record } from './balancerV3Chain.ts'
import type { CamelotPairRecord } from './camelotV2Chain.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import type { CurvePlainRecord } from './curvePlainChain.ts'
import type { CurveStableNgRecord } from './curveStableNgChain.ts'
import type { BookRecord } from './liquidityBookChain.ts'
import type { PoolRef } from './poolFamily.ts'
import type { QuotedRecord } from './quotedChain.ts'
import type { SolidlyRecord } from './solidlyChain.ts'
import type { TridentRecord } from './tridentChain.ts'
import type { PairRecord } from './uniswapV2Chain.ts'
import type { ManagedRecord } from './uniswapV4Chain.ts'

/** What is known of a pool: everything that its swaps depend on, as read from the chain. */
export type PoolRecord =
  | PairRecord
  | ConcentratedRecord
  | SolidlyRecord
  | ManagedRecord
  | BalancerV2Record
  | CamelotPairRecord
  | CurveStableNgRecord
  | CurvePlainRecord
  | BalancerV3Record
  | BookRecord
  | QuotedRecord
  | TridentRecord

/** Where the pool is read again. */
export function toRef(record: PoolRecord, dex: Dex): PoolRef {
  const { id, address } = record
  if (id === address.toLowerCase()) return { dex, address }
  // An id that is no address names a pool within a contract of many.
  return { dex, address, id: id as Hex, ...('key' in record && { key: record.key }) }
}
