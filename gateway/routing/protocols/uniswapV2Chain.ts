import { decodeAbiParameters, encodeAbiParameters, type Hex, toEventSelector } from 'viem'
import type { PoolLog } from './family.ts'
import type { PairRecord } from './poolRecord.ts'

export const syncTopic = toEventSelector('Sync(uint112,uint112)')
export const pairCreatedTopic = toEventSelector('PairCreated(address,address,address,uint256)')

/** A pair's state after an event. Every change of its reserves ends in a `Sync`. */
export function applyPairLog(record: PairRecord, log: PoolLog): PairRecord {
  if (log.topics[0] !== syncTopic) return record
  const [reserve0, reserve1] = decodeAbiParameters(
    [{ type: 'uint112' }, { type: 'uint112' }],
    log.data,
  )
  return {
    ...record,
    reserve0,
    reserve1,
    isFresh: [false, false],
    changedBlock: log.blockNumber,
    swapsSeen: record.swapsSeen + 1,
  }
}

/** `Step.data` of the executor. */
export function encodePairData(record: PairRecord): Hex {
  return encodeAbiParameters([{ type: 'uint256' }], [BigInt(record.feePips)])
}
