import { sqrtRatioAtTick } from '../maths/tickMath.ts'

/** An initialised tick and the liquidity it adds when crossed upwards. */
export type LiquidityTick = readonly [tick: number, liquidityNet: bigint]

/** What lies between neighbouring ticks, the k-th range above the k-th tick. */
export type TickRanges = {
  readonly liquidity: readonly bigint[]
  /** The same as float64. */
  readonly depth: Float64Array
  /** Square root of the price at the tick. */
  readonly root: Float64Array
  /** Distance to the next tick's. */
  readonly span: Float64Array
}

const scale = 2 ** 96
const known = new WeakMap<readonly LiquidityTick[], TickRanges | 'irregular'>()

/**
 * Ranges of a tick table, worked out once for each: a swap moves the price and leaves the ticks as
 * they are. Undefined for a table that no pool can have.
 */
export function tickRangesOf(ticks: readonly LiquidityTick[]): TickRanges | undefined {
  let ranges = known.get(ticks)
  if (ranges === undefined) {
    ranges = measureRanges(ticks) ?? 'irregular'
    known.set(ticks, ranges)
  }
  return ranges === 'irregular' ? undefined : ranges
}

function measureRanges(ticks: readonly LiquidityTick[]): TickRanges | undefined {
  const count = ticks.length
  const ratios = ticks.map(([tick]) => sqrtRatioAtTick(tick))
  const liquidity: bigint[] = []
  const [depth, root, span] = [0, 1, 2].map(() => new Float64Array(count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  let sum = 0n
  for (let k = 0; k < count; k++) {
    sum += (ticks[k] as LiquidityTick)[1]
    const ratio = ratios[k] as bigint
    const width = (ratios[k + 1] ?? ratio + 1n) - ratio
    if (sum < 0n || width <= 0n) return undefined
    liquidity.push(sum)
    depth[k] = Number(sum)
    root[k] = Number(ratio) / scale
    span[k] = Number(width) / scale
  }
  return sum === 0n ? { liquidity, depth, root, span } : undefined
}
