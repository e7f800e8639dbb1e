import type { Hex } from 'viem'
import type { Protocol } from '../../chain/dexes.ts'
import { createAerodromeV2Pool } from './aerodromeV2.ts'
import type { EnginePool } from './enginePool.ts'
import type { PoolRecord } from './poolRecord.ts'
import { applySolidlyLog, solidlyCreatedTopic, solidlySyncTopic } from './solidlyChain.ts'
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
  slipstreamCreatedTopic,
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
  slipstreamCreatedTopic,
  solidlySyncTopic,
  solidlyCreatedTopic,
]

/** `kind` of the executor's steps: constants of `StepKinds.sol`. */
export function stepKindOf(protocol: Protocol): number {
  if (protocol === 'uniswap_v2') return 0
  return protocol === 'aerodrome_v2' ? 2 : 1
}

export function applyLog(record: PoolRecord, log: PoolLog): PoolRecord {
  if (record.protocol === 'uniswap_v2') return applyPairLog(record, log)
  if (record.protocol === 'aerodrome_v2') return applySolidlyLog(record, log)
  return applyConcentratedLog(record, log)
}

export function toEnginePool(record: PoolRecord): EnginePool {
  if (record.protocol === 'uniswap_v2') return createUniswapV2Pool(record)
  if (record.protocol === 'aerodrome_v2')
    return createAerodromeV2Pool({ ...record, feeBps: BigInt(record.feePips / 100) })
  return createUniswapV3Pool({
    ...record,
    ticks: record.ticks.map(({ index, net }) => [index, net] as const),
  })
}

/** `data` of the executor's step through this pool. */
export function encodeStepData(record: PoolRecord): Hex {
  return record.protocol === 'uniswap_v2' ? encodePairData(record) : '0x'
}
