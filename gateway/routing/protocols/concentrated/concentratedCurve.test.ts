import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { at, e, uneven as state, wide } from '../../testing/rangeStates.ts'
import { type Curve, curveOutput } from '../maths/curve.ts'
import { maxSqrtRatioX96, minSqrtRatioX96, sqrtRatioAtTick } from '../maths/tickMath.ts'
import {
  type ConcentratedState,
  concentratedCurve,
  swapConcentrated,
} from './concentratedLiquidity.ts'
import type { LiquidityTick } from './tickRanges.ts'

const s = suite('curves of ranges')
const ask = { feePips: 3_000, tableSpacing: 60 }
const both = [true, false] as const

/** That its ticks do not add up to makes its curve go tick by tick. */
for (const [name, extra] of [
  ['its own ticks', 0n],
  ['more liquidity than its ticks know', e(20)],
] as const)
  for (const zeroForOne of [true, false])
    s(
      `a curve over ${name} gives what swaps give, ${zeroForOne ? 'down' : 'up'} [teeth/tick-curves]`,
      () => {
        const whole = { ...state, liquidity: state.liquidity + extra }
        const curve = concentratedCurve(whole, { zeroForOne, feePips: ask.feePips })
        if (!curve) throw new Error('there is no curve')
        for (let power = 15; power <= 22; power += 1)
          for (const amountIn of [e(power), 3n * e(power)]) {
            const swap = swapConcentrated(whole, { ...ask, zeroForOne, amountIn })
            if (!swap || swap.amountIn < amountIn) continue
            const off = curveOutput(curve, Number(amountIn)) / Number(swap.amountOut) - 1
            assert.ok(Math.abs(off) < 1e-7, `${amountIn}: ${off}`)
          }
        const drained = swapConcentrated(whole, { ...ask, zeroForOne, amountIn: e(26) })
        const most = Number(drained?.amountIn ?? 0n)
        if (extra === 0n) assert.ok(Math.abs((curve.x[curve.count] ?? 0) / most - 1) < 1e-7)
        assert.ok(curve.count >= (zeroForOne ? 2 : 3))
      },
    )
s('has no curve outside the prices that there are, or where all is fee [teeth/tick-curves]', () => {
  const curve = (own: Partial<ConcentratedState>, feePips = 3_000) =>
    concentratedCurve({ ...state, ...own }, { zeroForOne: true, feePips })
  assert.equal(
    [
      curve({ sqrtPriceX96: minSqrtRatioX96 - 1n }),
      curve({ sqrtPriceX96: maxSqrtRatioX96 + 1n }),
      curve({}, 1_000_000),
    ],
    [undefined, undefined, undefined],
  )
  assert.ok(curve({}, 999_999))
})

type Range = readonly [lower: number, upper: number, liquidity: number]
/** Whitepaper of Uniswap v3, 6.29 and 6.30: what each range takes, with the fee, and gives. */
function checkPieces(
  curve: Curve | undefined,
  ranges: readonly Range[],
  zeroForOne: boolean,
): void {
  assert.is(curve?.count, ranges.length)
  let [x, y] = [0, 0]
  for (const [k, [lower, upper, liquidity]] of ranges.entries()) {
    const amount0 = liquidity * (1 / lower - 1 / upper)
    const amount1 = liquidity * (upper - lower)
    x += (zeroForOne ? amount0 : amount1) / 0.997
    y += zeroForOne ? amount1 : amount0
    near(curve?.x[k + 1], x, 1e-10)
    near(curve?.y[k + 1], y, 1e-7)
  }
}
const root = (tick: number) => Number(sqrtRatioAtTick(tick)) / 2 ** 96
const toRanges = (ranges: readonly Range[], extra = 0) =>
  ranges.map(([lower, upper, liquidity]) => [root(lower), root(upper), liquidity + extra] as const)
const curveOf = (pool: ConcentratedState, zeroForOne: boolean) =>
  concentratedCurve(pool, { zeroForOne, feePips: 3_000 })

s('draw a piece for each range between ticks', () => {
  const down: readonly Range[] = [
    [-120, 0, 1e24],
    [-600, -120, 1e23],
  ]
  const up: readonly Range[] = [
    [0, 60, 1e24],
    [60, 180, 6e23],
    [180, 900, 5e23],
  ]
  checkPieces(curveOf(state, true), toRanges(down), true)
  checkPieces(curveOf(state, false), toRanges(up), false)
  // With more than its ticks know of, which never ends, tick by tick.
  const more = { ...state, liquidity: state.liquidity + e(20) }
  const [lowest, highest] = [minSqrtRatioX96 + 1n, maxSqrtRatioX96 - 1n].map(
    (limit) => Number(limit) / 2 ** 96,
  ) as [number, number]
  checkPieces(curveOf(more, true), [...toRanges(down, 1e20), [lowest, root(-600), 1e20]], true)
  checkPieces(curveOf(more, false), [...toRanges(up, 1e20), [root(900), highest, 1e20]], false)
})
s('draw nothing where there is no liquidity, and go on behind it', () => {
  const ticks: readonly LiquidityTick[] = [
    [-600, e(20)],
    [-300, -e(20)],
    [-120, e(21)],
    [0, 0n],
    [120, -e(21)],
    [300, 2n],
    [600, -2n],
  ]
  const down: readonly Range[] = [
    [-120, 0, 1e21],
    [-600, -300, 1e20],
  ]
  const up: readonly Range[] = [
    [0, 120, 1e21],
    [300, 600, 2],
  ]
  const odd: readonly LiquidityTick[] = [[-900, e(19)], [-840, -e(19)], ...ticks, [1_200, 5n]]
  for (const own of [ticks, odd]) {
    const ranges = own === odd ? [...down, [-900, -840, 1e19] as const] : down
    checkPieces(curveOf(at(0, e(21), own), true), toRanges(ranges), true)
  }
  checkPieces(curveOf(at(0, e(21), ticks), false), toRanges(up), false)
  const thin = at(0, 1n, wide(1n))
  for (const zeroForOne of both) assert.is(curveOf(thin, zeroForOne)?.count, 1)
})
s('end a curve where the ticks take away more than there is', () => {
  const ticks: readonly LiquidityTick[] = [
    [-300, -e(25)],
    [-120, e(24) + 1n],
    [120, -e(24) - 1n],
    [300, e(25)],
  ]
  for (const zeroForOne of both) assert.is(curveOf({ ...state, ticks }, zeroForOne)?.count, 1)
})
s('draw curves from a tick that was crossed the other way, and of a price off its tick', () => {
  const sqrtPriceX96 = sqrtRatioAtTick(-120)
  const crossed = { ...state, sqrtPriceX96, tick: -121, liquidity: e(23) }
  assert.equal([curveOf(crossed, false)?.count, curveOf(crossed, true)?.count], [3, 1])
  assert.is(curveOf({ ...state, sqrtPriceX96: sqrtRatioAtTick(-200) }, true)?.count, 1)
})
s('draw curves from the first price and from the last', () => {
  const ticks = wide(e(20))
  const first = { ...at(-887_272, 0n, ticks), sqrtPriceX96: minSqrtRatioX96 }
  const last = { ...at(887_272, 0n, ticks), sqrtPriceX96: maxSqrtRatioX96 }
  assert.equal([curveOf(first, false)?.count, curveOf(last, true)?.count], [1, 1])
  assert.equal([curveOf(first, true), curveOf(last, false)], [undefined, undefined])
})
s.run()
