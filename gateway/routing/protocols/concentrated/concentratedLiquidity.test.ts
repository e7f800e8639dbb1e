import { assert, suite } from '../../../../fixtures/test.ts'
import { at, e, uneven as state, wide } from '../../testing/rangeStates.ts'
import {
  maxSqrtRatioX96,
  minSqrtRatioX96,
  sqrtRatioAtTick,
  tickAtSqrtRatio,
} from '../maths/tickMath.ts'
import { type ConcentratedState, swapConcentrated } from './concentratedLiquidity.ts'
import type { LiquidityTick } from './tickRanges.ts'

const s = suite('concentrated liquidity')
const ask = { feePips: 3_000, tableSpacing: 60 }

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

const q96 = 1n << 96n
const both = [true, false] as const
s('end with the liquidity and at the tick of where they got to', () => {
  for (const [zeroForOne, amountIn, liquidity] of [
    [true, 7n * e(21), e(23)],
    [false, 5n * e(21), 6n * e(23)],
  ] as const) {
    const swap = swapConcentrated(state, { ...ask, zeroForOne, amountIn })
    assert.is(swap?.amountIn, amountIn)
    assert.is(swap?.liquidity, liquidity)
    assert.is(swap?.tick, tickAtSqrtRatio(swap?.sqrtPriceX96 ?? 0n))
  }
})
s('drain a pool to the last price that there is', () => {
  const ends = both.map((zeroForOne) => {
    const { sqrtPriceX96, tick, liquidity } =
      swapConcentrated(state, { ...ask, zeroForOne, amountIn: e(30) }) ?? {}
    return [sqrtPriceX96, tick, liquidity]
  })
  assert.equal(ends, [
    [minSqrtRatioX96 + 1n, -887_272, 0n],
    [maxSqrtRatioX96 - 1n, 887_271, 0n],
  ])
  // So do pools that have more than their ticks know of.
  const more = { ...state, liquidity: state.liquidity + e(20) }
  for (const zeroForOne of both) {
    const swap = swapConcentrated(more, { ...ask, zeroForOne, amountIn: e(60) })
    const last = zeroForOne ? minSqrtRatioX96 + 1n : maxSqrtRatioX96 - 1n
    assert.equal([swap?.sqrtPriceX96, swap?.liquidity], [last, e(20)])
  }
})
s('cross a tick with the unit that reaches it, and go back over it', () => {
  const ticks: readonly LiquidityTick[] = [
    [-60, e(6)],
    [60, -e(6)],
  ]
  for (const zeroForOne of both) {
    const swap = (amountIn: bigint) =>
      swapConcentrated(at(0, e(6), ticks), { ...ask, zeroForOne, amountIn })
    const full = swap(e(30))?.amountIn ?? 0n
    const [reached, before] = [swap(full), swap(full - 1n)]
    const end = zeroForOne ? -60 : 60
    assert.equal(
      [reached?.sqrtPriceX96, reached?.tick, reached?.liquidity, reached?.amountIn],
      [sqrtRatioAtTick(end), zeroForOne ? -61 : 60, 0n, full],
    )
    assert.equal([before?.liquidity, before?.amountIn], [e(6), full - 1n])
    const back =
      reached &&
      swapConcentrated({ ...reached, ticks }, { ...ask, zeroForOne: !zeroForOne, amountIn: 900n })
    assert.equal(
      [back?.amountIn, back?.liquidity, (back?.amountOut ?? 0n) > 890n],
      [900n, e(6), true],
    )
  }
})
const free = { feePips: 0, tableSpacing: undefined }
s('take whole units for parts of one, and not one more', () => {
  const little: readonly LiquidityTick[] = [
    [0, 1n],
    [60, -1n],
  ]
  const [low, high] = [sqrtRatioAtTick(0), sqrtRatioAtTick(60)]
  const part = at(0, 1n, little)
  assert.equal(
    swapConcentrated(
      { ...part, sqrtPriceX96: low + 1n },
      { ...free, zeroForOne: true, amountIn: 1n },
    ),
    { amountIn: 1n, amountOut: 0n, sqrtPriceX96: low, tick: -1, liquidity: 0n },
  )
  assert.equal(
    swapConcentrated(
      { ...part, sqrtPriceX96: high - 1n, tick: 59 },
      { ...free, zeroForOne: false, amountIn: 1n },
    ),
    { amountIn: 1n, amountOut: 0n, sqrtPriceX96: high, tick: 60, liquidity: 0n },
  )
  assert.is(
    swapConcentrated(
      { ...part, sqrtPriceX96: low + 1n },
      { feePips: 1, tableSpacing: undefined, zeroForOne: true, amountIn: 3n },
    )?.amountIn,
    2n,
    'a unit, and one of fee',
  )
  // From a price of four to one of one: half the liquidity goes in, all of it comes out.
  const exact = { tick: 13_863, sqrtPriceX96: 2n * q96, liquidity: 1_000n }
  const ticks: readonly LiquidityTick[] = [
    [0, 1_000n],
    [20_000, -1_000n],
  ]
  assert.equal(
    swapConcentrated({ ...exact, ticks }, { ...free, zeroForOne: true, amountIn: 500n }),
    { amountIn: 500n, amountOut: 1_000n, sqrtPriceX96: q96, tick: -1, liquidity: 0n },
  )
  const amountIn = high - low
  const whole = at(0, q96, [
    [0, q96],
    [60, -q96],
  ])
  assert.equal(swapConcentrated(whole, { ...free, zeroForOne: false, amountIn }), {
    amountIn,
    amountOut: (q96 * q96 * amountIn) / high / low,
    sqrtPriceX96: high,
    tick: 60,
    liquidity: 0n,
  })
})
s('come to a price to the unit where it is one, by either formula', () => {
  const ticks = wide(1_000n)
  const even = { sqrtPriceX96: 2n * q96, tick: 13_863, liquidity: 1_000n, ticks }
  const swap = swapConcentrated(even, { ...free, zeroForOne: true, amountIn: 500n })
  assert.is(swap?.sqrtPriceX96, q96)
  const [price, liquidity, amountIn] = [1n << 150n, 1n << 120n, (1n << 107n) - (1n << 66n)]
  const far = { sqrtPriceX96: price, tick: tickAtSqrtRatio(price), liquidity, ticks: [] }
  const large = swapConcentrated(far, { ...free, zeroForOne: true, amountIn })
  assert.is(large?.sqrtPriceX96, 1n << 109n)
})
s('round a price as the contract does where its product overflows', () => {
  const [price, liquidity] = [3n << 149n, 1n << 120n]
  const numerator = liquidity << 96n
  const up = (value: bigint, by: bigint) => (value + by - 1n) / by
  const precise = (amount: bigint) => up(numerator * price, numerator + amount * price)
  const rough = (amount: bigint) => up(numerator, numerator / price + amount)
  const last = ((1n << 256n) - 1n) / price
  for (const [amountIn, expected, other] of [
    [1n << 105n, precise, rough],
    [1n << 106n, rough, precise],
    // The product fits, the sum does not.
    [last, rough, precise],
  ] as const) {
    const far = { sqrtPriceX96: price, tick: tickAtSqrtRatio(price), liquidity, ticks: [] }
    const swap = swapConcentrated(far, { ...free, zeroForOne: true, amountIn })
    assert.is(swap?.sqrtPriceX96, expected(amountIn))
    assert.is.not(expected(amountIn), other(amountIn))
  }
})
s('step from word to word of the table, whatever stands at its borders', () => {
  for (const [tick, zeroForOne, ...borders] of [
    [115_215, true, 92_160, 107_520],
    [-115_215, false, -107_580, -92_220],
    [-107_630, false, -107_580, -92_220],
  ] as const) {
    const outputs = (...between: readonly LiquidityTick[]) =>
      Array.from({ length: 40 }, (_, k) => {
        const amountIn = BigInt(k + 1) * 370_000_000_000_007n
        const pool = at(tick, e(18), wide(e(18), ...between))
        return swapConcentrated(pool, { ...ask, zeroForOne, amountIn })?.amountOut
      })
    assert.equal(outputs(...borders.map((border) => [border, 0n] as const)), outputs())
    // Elsewhere a step more is a rounding more.
    const between = zeroForOne ? 100_020 : -100_020
    assert.not.equal(outputs([between, 0n]), outputs())
  }
})
s('count words to a part of one, and only where there is a table', () => {
  const far = at(0, e(24), [
    [-153_600, e(24)],
    [153_600, -e(24)],
  ])
  const go = (pool: ConcentratedState, own: Partial<typeof ask> | typeof free, amountIn: bigint) =>
    swapConcentrated(pool, { ...ask, ...own, zeroForOne: pool.tick === 0, amountIn }) !== undefined
  // Ten words but a tick each, and what is left below without liquidity.
  const words = (10 * 15_359 + 887_272 - 153_601) / 15_360
  for (const [more, isDone] of [
    [0.001, true],
    [-0.001, false],
  ] as const)
    assert.is(go({ ...far, mostWords: words + more }, {}, e(30)), isDone)
  assert.ok(go({ ...far, mostWords: 0 }, free, e(18)))
  // One word and a half upwards, to the tick.
  const gap = at(-15_360, 0n, [
    [0, e(18)],
    [7_680, -e(18)],
  ])
  assert.ok(go({ ...gap, mostWords: 1.5 }, {}, e(15)))
  assert.not.ok(go({ ...gap, mostWords: 1.499 }, {}, e(15)))
})
s('begin where there is no liquidity, at either end of all prices, and with a unit', () => {
  const parted: readonly LiquidityTick[] = [
    [-600, e(20)],
    [-120, -e(20)],
    [120, e(20)],
    [600, -e(20)],
  ]
  const swap = (pool: ConcentratedState, zeroForOne: boolean, amountIn = e(16)) =>
    swapConcentrated(pool, { ...ask, zeroForOne, amountIn })
  for (const zeroForOne of both) assert.is(swap(at(0, 0n, parted), zeroForOne)?.liquidity, e(20))
  assert.is(swap(at(-900, 0n, parted), false)?.liquidity, e(20))
  assert.is(swap(at(-900, 0n, parted), true)?.amountIn, 0n)
  assert.is(swap(at(900, 0n, parted), true)?.liquidity, e(20))
  const all: readonly LiquidityTick[] = [
    [-887_272, e(18)],
    [887_272, -e(18)],
  ]
  assert.is(swap(at(-887_272, e(18), all), false)?.amountIn, e(16))
  assert.is(swap(state, true, 1n)?.amountIn, 1n)
  const lowest = { ...at(-887_272, e(18), all), sqrtPriceX96: minSqrtRatioX96 + 2n }
  assert.is(swap(lowest, true, e(30))?.sqrtPriceX96, minSqrtRatioX96 + 1n)
})
s('hold liquidity of 128 bits, and none below nothing', () => {
  const most = (1n << 128n) - 1n
  const after = (liquidity: bigint) =>
    swapConcentrated(
      { ...state, ticks: [[-60, state.liquidity - liquidity]] },
      { ...ask, zeroForOne: true, amountIn: 4n * e(21) },
    )?.liquidity
  assert.equal([most, most + 1n, 0n, -1n].map(after), [most, undefined, 0n, undefined])
})

s.run()
