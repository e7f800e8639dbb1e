import type { Hex } from 'viem'
import type { Protocol } from '../../chain/dexes.ts'
import type { EnginePool } from './enginePool.ts'
import type { PoolRecord } from './poolRecord.ts'
import { createUniswapV2Pool } from './uniswapV2.ts'
import { applyPairLog, encodePairData, pairCreatedTopic, syncTopic } from './uniswapV2Chain.ts'
import { createUniswapV3Pool } from './uniswapV3.ts'
import {
  applyConcentratedLog,
  burnTopic,
  initializeTopic,
  mintTopic,
  pancakeSwapTopic,
  poolCreatedTopic,
  swapTopic,
} from './uniswapV3Chain.ts'

export type PoolLog = {
  /** Lower case. */
  readonly address: string
  readonly topics: readonly string[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: string
  readonly logIndex: number
}

/** Everything that can change a pool's swaps, and the creation of pools. */
export const followedTopics: readonly Hex[] = [
  syncTopic,
  pairCreatedTopic,
  initializeTopic,
  swapTopic,
  pancakeSwapTopic,
  mintTopic,
  burnTopic,
  poolCreatedTopic,
]

/** `kind` of the executor's steps: constants of `StepKinds.sol`. */
export function stepKindOf(protocol: Protocol): number {
  return protocol === 'uniswap_v2' ? 0 : 1
}

export function applyLog(record: PoolRecord, log: PoolLog): PoolRecord {
  return record.protocol === 'uniswap_v2'
    ? applyPairLog(record, log)
    : applyConcentratedLog(record, log)
}

export function toEnginePool(record: PoolRecord): EnginePool {
  if (record.protocol === 'uniswap_v2') return createUniswapV2Pool(record)
  return createUniswapV3Pool({
    ...record,
    ticks: record.ticks.map(({ index, net }) => [index, net] as const),
  })
}

/** `data` of the executor's step through this pool. */
export function encodeStepData(record: PoolRecord): Hex {
  return record.protocol === 'uniswap_v2' ? encodePairData(record) : '0x'
}
