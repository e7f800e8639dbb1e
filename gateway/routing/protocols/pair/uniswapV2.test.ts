import { assert } from '../../../../fixtures/test.ts'
import { runVectorSuite } from '../../testing/runVectorSuite.ts'
import { createUniswapV2Pool, uniswapV2AmountOut } from './uniswapV2.ts'

const state = {
  id: 'pair',
  token0: 'a',
  token1: 'b',
  reserve0: 32395617847817845372109077782151n,
  reserve1: 53278841057231056811n,
  feePips: 3000,
}
/** 1,000 raw units to 10^30, each seven times the one before. */
const amounts = Array.from({ length: 32 }, (_, power) => 1000n * 7n ** BigInt(power) + 3n)
const routerFormula = (amountIn: bigint) =>
  (amountIn * 997n * state.reserve0) / (state.reserve1 * 1000n + amountIn * 997n)

runVectorSuite('uniswapV2', {
  cases: {
    'as the router with 997/1000': {
      state,
      rows: amounts.map((amountIn) => [1, 0, amountIn, routerFormula(amountIn)]),
    },
  },
  create: createUniswapV2Pool,
  answer: (_, { i, amountIn }) => uniswapV2AmountOut(state, { zeroForOne: i === 0, amountIn }),
  inputs: ({ reserve0, reserve1 }, { i }) =>
    [1n, 100n, 10n ** 4n, 10n ** 6n].map((part) => (i === 0 ? reserve0 : reserve1) / part),
  within: 1e-9,
  refusedAmounts: [2n ** 112n, 2n ** 250n],
  more(s) {
    const pool = createUniswapV2Pool(state)
    s('refuses what pays nothing, and an empty pair', () => {
      assert.is(pool.swap(0, 1, 1n), undefined)
      const empty = createUniswapV2Pool({ ...state, reserve1: 0n })
      assert.is(empty.swap(0, 1, 10n ** 20n), undefined)
      assert.is(empty.curve(0, 1), undefined)
    })
    s('keeps the fee in the reserves of the next state', () => {
      const swap = pool.swap(1, 0, 10n ** 18n)
      const back = swap?.next.swap(0, 1, swap.amountOut)
      assert.ok(back && back.amountOut < (10n ** 18n * 995n) / 1000n)
    })
  },
})
