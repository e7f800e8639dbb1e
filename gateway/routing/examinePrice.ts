import type { Look } from './dexFinding.ts'
import { midPrice } from './midPrice.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** With fewer others a price cannot say whose is wrong. */
const fewestOthers = 2
const mostOffBps = 100
const wholeBps = 10_000
/** Anybody can make a pool of some cents, at any price: what is so many times less deep says nothing. */
const mostDeeper = 100

type Priced = { readonly price: number; readonly others: readonly number[]; readonly id: string }

/** Whether one of an exchange's deepest pools is priced as those of the others are. */
export function examinePrice({
  own,
  deepest,
  depths,
}: {
  readonly own: readonly PoolRecord[]
  /** Of all exchanges, the deepest first. */
  readonly deepest: readonly PoolRecord[]
  /** In USD, by id. */
  readonly depths: ReadonlyMap<string, number | undefined>
}): Look {
  const depthOf = ({ id }: PoolRecord) => depths.get(id) ?? 0
  const priced = own.flatMap((record) => {
    const least = depthOf(record) / mostDeeper
    return priceAmong(
      record,
      deepest.filter((other) => depthOf(other) >= least),
    )
  })
  const [best] = priced.toSorted((one, other) => other.others.length - one.others.length)
  if (!best || best.others.length < fewestOthers)
    return { verdict: 'unknown', found: 'hardly anybody else trades a pair of its deepest pools' }
  const usual = medianOf(best.others)
  const offBps = Math.round(Math.abs(best.price / usual - 1) * wholeBps)
  return {
    verdict: offBps <= mostOffBps ? 'right' : 'different',
    found: `${best.id} is ${offBps / 100} % off the median of ${best.others.length} others`,
  }
}

/** The prices of each of a pool's pairs at the deepest pools that other exchanges have of it. */
function priceAmong(record: PoolRecord, deepest: readonly PoolRecord[]): readonly Priced[] {
  const { tokens, id } = record
  return tokens.flatMap((one, i) =>
    tokens.slice(i + 1).flatMap((other) => {
      const price = midPrice(record, one, other)
      if (!isPrice(price)) return []
      const same = deepest.filter(
        ({ dex, tokens: held }) => dex !== record.dex && held.includes(one) && held.includes(other),
      )
      const firsts = [...new Map(same.toReversed().map((pool) => [pool.dex, pool])).values()]
      return { price, others: firsts.map((pool) => midPrice(pool, one, other)).filter(isPrice), id }
    }),
  )
}

/** A pool that holds one token alone has none. */
const isPrice = (price: number) => price > 0 && Number.isFinite(price)

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (low + high) / 2
}
