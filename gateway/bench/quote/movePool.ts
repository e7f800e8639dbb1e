import { tickAtSqrtRatio } from '../../routing/protocols/maths/tickMath.ts'
import type { PoolRecord } from '../../routing/protocols/poolRecord.ts'

const whole = 1_000_000n

/**
 * The pool after a trade that moved its price by so many millionths. Where an initialised tick lies in
 * between, the price stays: its liquidity would not.
 */
export function movePool(record: PoolRecord, millionths: bigint): PoolRecord {
  const half = millionths / 2n
  if (record.protocol === 'uniswap_v2') {
    const reserve0 = record.reserve0 - (record.reserve0 * half) / whole
    const reserve1 = record.reserve1 + (record.reserve1 * half) / whole
    return { ...record, reserve0, reserve1 }
  }
  if (record.protocol !== 'uniswap_v3') return record
  const sqrtPriceX96 = record.sqrtPriceX96 + (record.sqrtPriceX96 * half) / whole
  const tick = tickAtSqrtRatio(sqrtPriceX96)
  const [low, high] = tick < record.tick ? [tick, record.tick] : [record.tick, tick]
  const isCrossed = record.ticks.some(({ index }) => low < index && index <= high)
  return isCrossed ? record : { ...record, sqrtPriceX96, tick }
}
