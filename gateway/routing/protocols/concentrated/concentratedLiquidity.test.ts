import { assert, suite } from '../../../../fixtures/test.ts'
import { curveOutput } from '../maths/curve.ts'
import { maxSqrtRatioX96, minSqrtRatioX96, sqrtRatioAtTick } from '../maths/tickMath.ts'
import {
  type ConcentratedState,
  concentratedCurve,
  swapConcentrated,
} from './concentratedLiquidity.ts'

const s = suite('concentrated liquidity')
const e = (power: number) => 10n ** BigInt(power)
const state: ConcentratedState = {
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
const ask = { feePips: 3_000, tableSpacing: 60 }

/** That its ticks do not add up to makes its curve go tick by tick. */
for (const [name, extra] of [
  ['its own ticks', 0n],
  ['more liquidity than its ticks know', e(20)],
] as const)
  for (const zeroForOne of [true, false])
    s(
      `a curve over ${name} gives what swaps give, ${zeroForOne ? 'down' : 'up'} [teeth/ticks]`,
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
s(
  'swaps nothing of nothing, for all of it, or in a state that no pool can be in [teeth/ticks]',
  () => {
    const swap = (own: Partial<ConcentratedState>, asked: object = {}) =>
      swapConcentrated(
        { ...state, ...own },
        { ...ask, zeroForOne: true, amountIn: e(18), ...asked },
      )
    const none = [
      swap({}, { amountIn: 0n }),
      swap({}, { feePips: 1_000_000 }),
      swap({}, { feePips: -1 }),
      swap({ liquidity: -1n }),
      swap({ tick: -887_273 }),
      swap({ tick: 887_273 }),
      swap({ sqrtPriceX96: minSqrtRatioX96 + 1n }),
      swap({ sqrtPriceX96: maxSqrtRatioX96 - 1n }, { zeroForOne: false }),
      // More than a contract's 128 bits, once a tick is crossed.
      swap({ ticks: [[-60, -((1n << 128n) - 1n)]] }, { amountIn: e(23) }),
    ]
    assert.equal(
      none,
      none.map(() => undefined),
    )
    assert.ok(swap({}, { feePips: 999_999 }) && swap({}, { feePips: 0 }))
  },
)
s('walks through as many empty words as it may, and no further [teeth/ticks]', () => {
  const far: ConcentratedState = {
    ...state,
    ticks: [
      [-153_600, e(24)],
      [153_600, -e(24)],
    ],
  }
  const go = (mostWords: number | undefined, zeroForOne = true) =>
    swapConcentrated({ ...far, mostWords }, { ...ask, zeroForOne, amountIn: e(30) }) !== undefined
  // 153,600 ticks are ten words of 256 bits, 60 ticks each.
  assert.equal([go(undefined), go(1_000), go(9)], [true, true, false])
  const { amountOut = 0n } =
    swapConcentrated(far, { ...ask, zeroForOne: false, amountIn: e(18) }) ?? {}
  assert.ok(amountOut > 0n)
})
s('has no curve outside the prices that there are, or where all is fee [teeth/ticks]', () => {
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
s.run()
