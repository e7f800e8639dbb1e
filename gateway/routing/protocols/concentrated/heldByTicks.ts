import type { TickRecord } from './concentratedRecord.ts'
import { type LiquidityTick, tickRangesOf } from './tickRanges.ts'

/** One table for all states of a pool between two changes of its ticks. */
const tables = new WeakMap<readonly TickRecord[], readonly LiquidityTick[]>()

export function toLiquidityTicks(ticks: readonly TickRecord[]): readonly LiquidityTick[] {
  const known = tables.get(ticks)
  if (known) return known
  const table = ticks.map(({ index, net }) => [index, net] as const)
  tables.set(ticks, table)
  return table
}

/**
 * Raw amount of token i in all positions of a pool. The liquidity at the price says nothing of it: a
 * dollar within one tick looks there like a thousand.
 */
export function heldByTicks(
  { sqrtPriceX96, ticks }: { readonly sqrtPriceX96: bigint; readonly ticks: readonly TickRecord[] },
  i: number,
): number {
  const ranges = tickRangesOf(toLiquidityTicks(ticks))
  if (!ranges) return 0
  const price = Number(sqrtPriceX96) / 2 ** 96
  let sum = 0
  for (let k = 0; k < ranges.liquidity.length; k++) {
    const [depth, low] = [ranges.depth[k] as number, ranges.root[k] as number]
    const high = low + (ranges.span[k] as number)
    const from = i === 0 ? Math.max(low, price) : low
    const to = i === 0 ? high : Math.min(high, price)
    if (to > from) sum += depth * (i === 0 ? 1 / from - 1 / to : to - from)
  }
  return sum
}
