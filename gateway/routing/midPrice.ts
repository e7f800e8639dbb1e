import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** Mid price of a pool: raw units of its token out per raw unit in, without fees. */
export function midPrice(pool: PoolRecord, tokenIn: string, tokenOut: string): number {
  const { tokens } = pool
  return familyOf(pool).midPrice(pool, tokens.indexOf(tokenIn), tokens.indexOf(tokenOut))
}
