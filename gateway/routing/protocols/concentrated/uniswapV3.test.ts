import { assert } from '../../../../fixtures/test.ts'
import { runVectorSuite, takenAndPaid } from '../../testing/runVectorSuite.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../maths/tickMath.ts'
import { createUniswapV3Pool, type UniswapV3State } from './uniswapV3.ts'

/** A Slipstream pool with quotes taken from the real contract (same code as Uniswap v3 for swaps). */
const state: UniswapV3State = {
  id: 'pool',
  token0: 'a',
  token1: 'b',
  feePips: 100,
  tickSpacing: 1,
  sqrtPriceX96: 79228162514264337593543950336n,
  tick: 0,
  liquidity: 144798017233496807114581205n,
  ticks: [
    [-100, 1755344210915692349889749n],
    [-60, 333850249709699449134759n],
    [-20, -1755344210915692349889749n],
    [-8, 11114166844898495333287008n],
    [-3, 133350000138888612332159438n],
    [1, -133350000138888612332159438n],
    [2, 2144679080374541558636887n],
    [9, -11114166844898495333287008n],
    [30, -2144679080374541558636887n],
    [60, -333850249709699449134759n],
  ],
}

runVectorSuite('uniswapV3', {
  cases: {
    'a Slipstream pool': {
      state,
      rows: [
        [0, 1, 39322760665778n, [39322760665778n, 39318828389700n]],
        [1, 0, 16610702498987637n, [16610702498987637n, 16609041426832599n]],
        // Takes only what there is liquidity for.
        [1, 0, 22617885438465359740928n, [15678959573261539093659n, 15666999986112138866782n]],
      ],
    },
  },
  create: createUniswapV3Pool,
  answer: takenAndPaid(createUniswapV3Pool),
  within: 1e-7,
  inputs: () => Array.from({ length: 24 }, (_, power) => 10n ** 12n * 3n ** BigInt(power)),
  refusedAmounts: [],
  more(s) {
    const pool = createUniswapV3Pool(state)
    s('leaves a pool that goes on where the swap ended', () => {
      const first = pool.swap(0, 1, 10n ** 21n)
      const second = first?.next.swap(0, 1, 10n ** 21n)
      const both = pool.swap(0, 1, 2n * 10n ** 21n)
      const sum = (first?.amountOut ?? 0n) + (second?.amountOut ?? 0n)
      assert.ok(both && both.amountOut - sum < 10n && sum <= both.amountOut + 10n)
    })
    s('takes the gas of a hop, and its tokens in their order', () => {
      assert.equal([pool.id, pool.tokens, pool.gas], ['pool', ['a', 'b'], 110_000])
    })
    s('refuses contradictory state instead of answering', () => {
      assert.is(createUniswapV3Pool({ ...state, sqrtPriceX96: 0n }).swap(0, 1, 1000n), undefined)
      assert.is(createUniswapV3Pool({ ...state, tick: -5000 }).swap(1, 0, 10n ** 20n), undefined)
      assert.is(createUniswapV3Pool({ ...state, liquidity: 1n }).swap(1, 0, 10n ** 18n), undefined)
      assert.is(createUniswapV3Pool({ ...state, tick: Number.NaN }).swap(1, 0, 1n), undefined)
    })
    s('finds the tick of a ratio and back', () => {
      for (const tick of [-887272, -500001, -1, 0, 1, 77777, 887271])
        for (const offset of [-1n, 0n, 1n]) {
          if (tick === -887272 && offset < 0n) continue
          const expected = offset < 0n ? tick - 1 : tick
          assert.is(tickAtSqrtRatio(sqrtRatioAtTick(tick) + offset), expected)
        }
    })
  },
})
