import { isProtocol } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { recordVersion } from './keptRows.ts'

/** Marks a bigint in the text; no field of a record begins with it otherwise. */
const mark = 'n:'

/** JSON with bigints; for what records are made of, not for anybody's texts. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `${mark}${each}` : each,
  )
}

export function fromText(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
}

/** A pool's state as text, for the store. */
export function encodePool(record: PoolRecord): string {
  return toText({ ...record, version: recordVersion })
}

/** The reverse; undefined for a text of another version of the record. */
export function decodePool(text: string): PoolRecord | undefined {
  const record = fromText(text)
  if (!isRecord(record)) return undefined
  const { version: _, ...rest } = record as PoolRecord & { version?: unknown }
  return rest as PoolRecord
}

function isRecord(value: unknown): value is PoolRecord {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Partial<Record<string, unknown>>
  return (
    record['version'] === recordVersion &&
    typeof record['id'] === 'string' &&
    isProtocol(record['protocol']) &&
    Array.isArray(record['tokens']) &&
    Array.isArray(record['isFresh'])
  )
}
