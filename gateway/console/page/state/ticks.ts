import type { PoolBin, PoolTick } from '../../../client/wire/routing.ts'

type Held = { readonly from: number; readonly to: number; readonly liquidity: bigint }
type Window = { readonly current: number; readonly most: number }

/** Between two ticks that follow one another, or a bin. */
export type Range = Held & {
  /** Of the greatest among those beside it, in thousandths, rounded down. */
  readonly part: number
  /** Whether the pool's price is in it. */
  readonly isCurrent: boolean
}

/** What stands between the ticks, at most so many ranges nearest to the price. */
export function rangesOf(ticks: readonly PoolTick[], window: Window): readonly Range[] {
  let sum = 0n
  const all = ticks.slice(0, -1).map(({ index: from, liquidity_net }, at) => {
    sum += BigInt(liquidity_net)
    return { from, to: ticks[at + 1]?.index ?? from, liquidity: sum }
  })
  return nearest(all, window)
}

/** What the bins hold, at most so many of them nearest to the price. */
export const rangesOfBins = (bins: readonly PoolBin[], window: Window): readonly Range[] =>
  nearest(
    bins.map(({ id, liquidity }) => ({ from: id, to: id + 1, liquidity: BigInt(liquidity) })),
    window,
  )

function nearest(all: readonly Held[], { current, most }: Window): readonly Range[] {
  const here = all.findLastIndex(({ from }) => from <= current)
  const first = Math.max(0, Math.min(here - Math.floor(most / 2), all.length - most))
  const shown = all.slice(first, first + most)
  let greatest = 1n
  for (const { liquidity } of shown) if (liquidity > greatest) greatest = liquidity
  return shown.map((range) => ({
    ...range,
    part: Number((range.liquidity * 1_000n) / greatest),
    isCurrent: range.from <= current && current < range.to,
  }))
}
