import type { ConcentratedState } from '../protocols/concentrated/concentratedLiquidity.ts'
import type { LiquidityTick } from '../protocols/concentrated/tickRanges.ts'
import { sqrtRatioAtTick } from '../protocols/maths/tickMath.ts'

export const e = (power: number) => 10n ** BigInt(power)
/** At a price of one, of ranges of different depth. */
export const uneven: ConcentratedState = {
  sqrtPriceX96: sqrtRatioAtTick(0),
  tick: 0,
  liquidity: e(24),
  ticks: [
    [-600, e(23)],
    [-120, 9n * e(23)],
    [60, -4n * e(23)],
    [180, -e(23)],
    [900, -5n * e(23)],
  ],
}
/** A position around all of a swap, so that nothing but the table ends its steps. */
export const wide = (
  liquidity: bigint,
  ...between: readonly LiquidityTick[]
): readonly LiquidityTick[] => [[-887_220, liquidity], ...between, [887_220, -liquidity]]
/** At the very price of a tick. */
export const at = (tick: number, liquidity: bigint, ticks: readonly LiquidityTick[]) => ({
  sqrtPriceX96: sqrtRatioAtTick(tick),
  tick,
  liquidity,
  ticks,
})
