import type { PoolRecord } from '../protocols/poolRecord.ts'

/** Marks a bigint in the text; no field of a record begins with it otherwise. */
const mark = 'n:'

/** A pool's state as text, for the store. */
export function encodePool(record: PoolRecord): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${mark}${value}` : value,
  )
}

/** The reverse; undefined for a text of another version of the record. */
export function decodePool(text: string): PoolRecord | undefined {
  const record: unknown = JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
  return isRecord(record) ? record : undefined
}

function isRecord(value: unknown): value is PoolRecord {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Partial<Record<string, unknown>>
  if (typeof record['id'] !== 'string' || !Array.isArray(record['isFresh'])) return false
  return record['protocol'] === 'uniswap_v2' || record['protocol'] === 'aerodrome_v2'
    ? typeof record['reserve0'] === 'bigint' && typeof record['reserve1'] === 'bigint'
    : typeof record['sqrtPriceX96'] === 'bigint' && Array.isArray(record['ticks'])
}
