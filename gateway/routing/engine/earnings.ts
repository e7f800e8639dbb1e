/** By which up to `most` goes through a pool, in tokenOut. */
export type Prices = { readonly cost: number; readonly value: number; readonly most: number }

export type Earning = {
  readonly earned: number
  /** None where it would earn nothing were prices off by nothing. */
  readonly prices: readonly Prices[]
}

/** One way through a pool, by the numbers of its tokens: as long as both are there. */
export type Way = { readonly poolId: string; readonly from: number; readonly to: number }

/** Of the ways through many pools. In one row of numbers: threads tell each other of hundreds for each route. */
export type Earnings = {
  /** Where those of each pool begin. */
  readonly places: ReadonlyMap<string, number>
  readonly numbers: Float64Array
}

const nothing: Earning = { earned: 0, prices: [] }
/** From, to, what it earns, and how many prices follow. */
const headWidth = 4
/** Cost, value and most. */
const priceWidth = 3

/** Those of one pool stand beside each other. */
export function keepEarnings(all: Iterable<Way & Earning>): Earnings {
  const places = new Map<string, number>()
  const numbers: number[] = []
  let last: string | undefined
  for (const { poolId, from, to, earned, prices } of all) {
    if (poolId !== last) {
      places.set(poolId, numbers.length)
      numbers.push(0)
      last = poolId
    }
    const place = places.get(poolId) as number
    numbers[place] = (numbers[place] as number) + 1
    numbers.push(from, to, earned, prices.length)
    for (const { cost, value, most } of prices) numbers.push(cost, value, most)
  }
  return { places, numbers: Float64Array.from(numbers) }
}

/** Nothing where none is known of that way. */
export function earningOf({ places, numbers }: Earnings, { poolId, from, to }: Way): Earning {
  const place = places.get(poolId)
  if (place === undefined) return nothing
  let next = place + 1
  for (let way = 0; way < (numbers[place] as number); way++) {
    const count = numbers[next + 3] as number
    const first = next + headWidth
    if (numbers[next] === from && numbers[next + 1] === to)
      return { earned: numbers[next + 2] as number, prices: readPrices(numbers, first, count) }
    next = first + priceWidth * count
  }
  return nothing
}

function readPrices(numbers: Float64Array, first: number, count: number): readonly Prices[] {
  const prices: Prices[] = []
  for (let at = first; prices.length < count; at += priceWidth)
    prices.push({
      cost: numbers[at] as number,
      value: numbers[at + 1] as number,
      most: numbers[at + 2] as number,
    })
  return prices
}
