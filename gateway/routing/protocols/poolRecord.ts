import type { Hex } from 'viem'
import type { Dex } from '../../chain/dex.ts'
import type { PoolRef } from '../reads/poolRef.ts'
import type { BalancerV2Record } from './balancer/balancerV2Chain.ts'
import type { BalancerV3Record } from './balancer/balancerV3Chain.ts'
import type { BookRecord } from './book/liquidityBookChain.ts'
import type { ConcentratedRecord } from './concentrated/concentratedRecord.ts'
import type { ManagedRecord } from './concentrated/uniswapV4Chain.ts'
import type { CurvePlainRecord } from './curve/curvePlainChain.ts'
import type { CurveStableNgRecord } from './curve/curveStableNgChain.ts'
import type { CamelotPairRecord } from './pair/camelotV2Chain.ts'
import type { SolidlyRecord } from './pair/solidlyChain.ts'
import type { TridentRecord } from './pair/tridentChain.ts'
import type { PairRecord } from './pair/uniswapV2Chain.ts'
import type { QuotedRecord } from './quoted/quotedChain.ts'
import type { AaveV3Record } from './wrapped/aaveV3Chain.ts'
import type { Psm3Record } from './wrapped/psm3Chain.ts'

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
  | Psm3Record
  | AaveV3Record

/** An id that is no address names a pool within a contract of many. */
export function toPoolId({ id, address }: PoolRecord): Hex | undefined {
  return id === address.toLowerCase() ? undefined : (id as Hex)
}

/** Where the pool is read again. */
export function toRef(record: PoolRecord, dex: Dex): PoolRef {
  const { address } = record
  const id = toPoolId(record)
  return id ? { dex, address, id, ...('key' in record && { key: record.key }) } : { dex, address }
}
