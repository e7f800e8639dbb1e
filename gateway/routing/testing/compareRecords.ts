import type { PoolRecord } from '../protocols/poolRecord.ts'

/** The part of a record that swaps depend on. */
function essence({ changedBlock: _, swapsSeen: __, isFresh: ___, ...record }: PoolRecord) {
  const write = (value: unknown) =>
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))
  return new Map(Object.entries(record).map(([field, value]) => [field, write(value)]))
}

/** What of a pool is not as it was read anew; undefined where all of it is. */
export function compareRecords(followed: PoolRecord, fresh: PoolRecord): string | undefined {
  const [own, read] = [essence(followed), essence(fresh)]
  const wrong = [...new Set([...own.keys(), ...read.keys()])].flatMap((field) =>
    own.get(field) === read.get(field) ? [] : `${field} ${own.get(field)} / ${read.get(field)}`,
  )
  if (wrong.length === 0) return undefined
  return `${followed.dex} ${followed.id}: ${wrong.join('; ').slice(0, 2_000)}`
}
