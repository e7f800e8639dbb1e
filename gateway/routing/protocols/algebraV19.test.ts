import { assert, suite } from '../../../fixtures/test.ts'
import { type AlgebraV19State, createAlgebraV19Pool } from './algebraV19.ts'
import { curveOutput } from './curve.ts'

const s = suite('algebraV19')

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
const pool = createAlgebraV19Pool(state)

s('equals the contract within a range', () => {
  assert.is(pool.swap(0, 1, 39322760665778n)?.amountOut, 39303099226029n)
  assert.is(pool.swap(1, 0, 103979565904014729n)?.amountOut, 103927160701920523n)
})
s('equals the contract where liquidity runs out, over many words of the tick table', () => {
  const down = pool.swap(0, 1, 17654198280803347070976n)
  assert.is(down?.amountIn, 2516750162454735290765n)
  assert.is(down?.amountOut, 1869037556050841790989n)
  const up = pool.swap(1, 0, 22617885438465359740928n)
  assert.is(up?.amountIn, 658910082755515168071n)
  assert.is(up?.amountOut, 598065486995326755512n)
})
s('takes the fee of its direction, in later states too', () => {
  const dear = createAlgebraV19Pool({ ...state, feeOtzPips: 15_000 })
  const amountIn = 10n ** 18n
  assert.is(dear.swap(0, 1, amountIn)?.amountOut, pool.swap(0, 1, amountIn)?.amountOut)
  const plain = pool.swap(0, 1, amountIn)?.next.swap(1, 0, amountIn)
  const paid = dear.swap(0, 1, amountIn)?.next.swap(1, 0, amountIn)
  assert.ok(plain && paid && paid.amountOut < plain.amountOut)
})
s('draws curves that follow the swap across ticks', () => {
  for (const [i, j] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const curve = pool.curve(i, j)
    for (let amount = 10n ** 12n; amount < 10n ** 23n; amount *= 3n) {
      const swap = pool.swap(i, j, amount)
      assert.ok(swap && curve)
      const error = curveOutput(curve, Number(amount)) / Number(swap.amountOut) - 1
      assert.ok(Math.abs(error) < 1e-7, `${amount}: ${error}`)
    }
  }
})
s.run()
