import type { Hex } from 'viem'
import { familyOf, isSampled, poolIdOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { Bloom } from '../reads/bloom.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import type { Fullness } from './judgeFullness.ts'

/**
 * How many pools a bloom may name by mere chance in the middle, where it is to be believed. Some nine
 * logs a block, as on Arbitrum, fill a bloom so little that a thousand pools are named falsely in one
 * block of twelve; the thousand logs of a block of Base fill it so much that every other pool is.
 */
const mostByChance = 0.25

/**
 * Pools without a log in what was returned of a block whose bloom says that they may have one. None
 * where the bloom is too full to tell, unless a chain has hardly any as full, or it is odd enough that
 * nothing was returned at all.
 */
export function findSilent({
  bloom,
  logs,
  pools,
  isBusy,
  isRare,
}: Fullness & {
  readonly bloom: Bloom
  readonly logs: readonly PoolLog[]
  readonly pools: Iterable<PoolRecord>
}): readonly PoolRecord[] {
  const heard = new Set(logs.map(poolIdOf))
  const quiet = [...pools].filter((record) => !heard.has(record.id) && !isSampled(record))
  if (!isTelling(bloom, quiet.length) && !isRare && !(isBusy && logs.length === 0)) return []
  return listNamed(bloom, quiet)
}

/** Whether few enough of so many pools are named by mere chance. */
export const isTelling = ({ falseShare }: Bloom, pools: number) =>
  pools * falseShare <= mostByChance

/** Those that may have an event in the block. */
export function listNamed(
  bloom: Pick<Bloom, 'has'>,
  pools: readonly PoolRecord[],
): readonly PoolRecord[] {
  const has = (value: Hex) => bloom.has(value.toLowerCase() as Hex)
  return [...Map.groupBy(pools, ({ protocol }) => protocol)].flatMap(([protocol, records]) => {
    const { topics, nameInLogs } = familyOf({ protocol })
    if (!topics.some(bloom.has)) return []
    return records.filter((record) => {
      const named = nameInLogs?.(record)
      // Whom others speak of may have events of its own, too.
      const isEmitter = !named || record.id === record.address.toLowerCase()
      return (isEmitter && has(record.address)) || (named && has(named.name) && named.by.some(has))
    })
  })
}

/** Some of them, others in each block: whoever has many doubted keeps none from being read for long. */
export function takeTurn(
  ids: readonly string[],
  { blockNumber, most }: { readonly blockNumber: bigint; readonly most: number },
): readonly string[] {
  const sorted = [...new Set(ids)].toSorted()
  if (sorted.length <= most) return sorted
  const parts = Math.ceil(sorted.length / most)
  const from = most * Number(blockNumber % BigInt(parts))
  return sorted.slice(from, from + most)
}
