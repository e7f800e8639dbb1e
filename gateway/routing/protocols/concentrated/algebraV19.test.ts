import { assert } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { runVectorSuite, takenAndPaid } from '../../testing/runVectorSuite.ts'
import { curveOutput } from '../maths/curve.ts'
import { type AlgebraV19State, createAlgebraV19Pool } from './algebraV19.ts'

/** State and quotes of the pool code that Camelot v3 runs. */
const state: AlgebraV19State = {
  id: 'pool',
  token0: 'a',
  token1: 'b',
  feeZtoPips: 500,
  feeOtzPips: 500,
  sqrtPriceX96: 79228162514261291880142680946n,
  tick: -1,
  liquidity: 26000n * 10n ** 18n,
  ticks: [
    [-6000, 7000n * 10n ** 18n],
    [-3600, 1000n * 10n ** 18n],
    [-1200, -7000n * 10n ** 18n],
    [-480, 5000n * 10n ** 18n],
    [-180, 20000n * 10n ** 18n],
    [60, -20000n * 10n ** 18n],
    [120, 3000n * 10n ** 18n],
    [540, -5000n * 10n ** 18n],
    [1800, -3000n * 10n ** 18n],
    [3600, -1000n * 10n ** 18n],
  ],
}

runVectorSuite('algebraV19', {
  cases: {
    'the pool code of Camelot v3': {
      state,
      rows: [
        [0, 1, 39322760665778n, [39322760665778n, 39303099226029n]],
        [1, 0, 103979565904014729n, [103979565904014729n, 103927160701920523n]],
        // Where liquidity runs out, over many words of the tick table.
        [0, 1, 17654198280803347070976n, [2516750162454735290765n, 1869037556050841790989n]],
        [1, 0, 22617885438465359740928n, [658910082755515168071n, 598065486995326755512n]],
      ],
    },
  },
  create: createAlgebraV19Pool,
  answer: takenAndPaid(createAlgebraV19Pool),
  within: 1e-7,
  inputs: () => Array.from({ length: 24 }, (_, power) => 10n ** 12n * 3n ** BigInt(power)),
  refusedAmounts: [],
  more(s) {
    const pool = createAlgebraV19Pool(state)
    s('draws its curves with the fee of their direction, and takes the gas of a hop', () => {
      const dear = createAlgebraV19Pool({ ...state, feeOtzPips: 15_000 })
      assert.equal([dear.id, dear.tokens, dear.gas], ['pool', ['a', 'b'], 150_000])
      for (const i of [0, 1]) {
        const curve = dear.curve(i, 1 - i)
        const amountOut = Number(dear.swap(i, 1 - i, 10n ** 18n)?.amountOut)
        near(curve && curveOutput(curve, 1e18), amountOut)
      }
    })
    s('takes the fee of its direction, in later states too', () => {
      const dear = createAlgebraV19Pool({ ...state, feeOtzPips: 15_000 })
      const amountIn = 10n ** 18n
      assert.is(dear.swap(0, 1, amountIn)?.amountOut, pool.swap(0, 1, amountIn)?.amountOut)
      const plain = pool.swap(0, 1, amountIn)?.next.swap(1, 0, amountIn)
      const paid = dear.swap(0, 1, amountIn)?.next.swap(1, 0, amountIn)
      assert.ok(plain && paid && paid.amountOut < plain.amountOut)
    })
  },
})
