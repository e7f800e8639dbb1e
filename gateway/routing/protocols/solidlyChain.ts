import { decodeAbiParameters, toEventSelector } from 'viem'
import type { PoolLog } from './family.ts'
import type { SolidlyRecord } from './poolRecord.ts'

export const solidlySyncTopic = toEventSelector('Sync(uint256,uint256)')
export const solidlyCreatedTopic = toEventSelector(
  'PoolCreated(address,address,bool,address,uint256)',
)

/** A pool's state after an event. Every change of its reserves ends in a `Sync`. */
export function applySolidlyLog(record: SolidlyRecord, log: PoolLog): SolidlyRecord {
  if (log.topics[0] !== solidlySyncTopic) return record
  const [reserve0, reserve1] = decodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }],
    log.data,
  )
  return {
    ...{ ...record, reserve0, reserve1, changedBlock: log.blockNumber },
    isFresh: [false, false],
    swapsSeen: record.swapsSeen + 1,
  }
}
