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
    s('takes and pays a single unit', () => {
      assert.is(pool.swap(1, 0, 1n)?.amountOut, routerFormula(1n))
      assert.is(pool.swap(0, 1, 10n ** 12n)?.amountOut, 1n)
      const [lean, bare] = [1n, 0n].map((reserve1) => createUniswapV2Pool({ ...state, reserve1 }))
      assert.is(lean?.swap(1, 0, 1n)?.amountOut, (997n * state.reserve0) / 1_997n)
      assert.is(bare?.swap(1, 0, 1n), undefined)
      assert.is(pool.swap(1, 0, -2n * state.reserve1), undefined)
    })
    s('holds what 112 bits hold, and no more', () => {
      const most = (1n << 112n) - 1n
      const room = 10n ** 20n
      for (const i of [0, 1]) {
        const [reserve0, reserve1] = i === 0 ? [most - room, 10n ** 30n] : [10n ** 30n, most - room]
        const full = createUniswapV2Pool({ ...state, reserve0, reserve1 })
        assert.ok(full.swap(i, 1 - i, room))
        assert.is(full.swap(i, 1 - i, room + 1n), undefined)
      }
      assert.equal(
        [0, 1].map((i) => pool.curve(i, 1 - i)?.x[1]),
        [state.reserve0, state.reserve1].map((reserve) => Number(most) - Number(reserve)),
      )
    })
    s('draws no curve of half a pair, nor of one that keeps all', () => {
      for (const own of [{ reserve0: 0n }, { reserve1: 0n }, { feePips: 1_000_000 }])
        assert.is(createUniswapV2Pool({ ...state, ...own }).curve(0, 1), undefined)
      assert.is(pool.gas, 80_000)
    })
    s('goes on with what went in and what came out, either way', () => {
      const partOf = (i: number) => (i === 0 ? state.reserve0 : state.reserve1) / 10n
      for (const i of [0, 1]) {
        const amountIn = partOf(i)
        const swap = pool.swap(i, 1 - i, amountIn)
        const [in0, in1] = [amountIn, -(swap?.amountOut ?? 0n)]
        const after = createUniswapV2Pool({
          ...state,
          reserve0: state.reserve0 + (i === 0 ? in0 : in1),
          reserve1: state.reserve1 + (i === 0 ? in1 : in0),
        })
        for (const [from, to] of [
          [0, 1],
          [1, 0],
        ] as const) {
          const expected = after.swap(from, to, partOf(from))?.amountOut
          assert.ok(expected)
          assert.is(swap?.next.swap(from, to, partOf(from))?.amountOut, expected)
        }
      }
    })
    s('keeps the fee in the reserves of the next state', () => {
      const swap = pool.swap(1, 0, 10n ** 18n)
      const back = swap?.next.swap(0, 1, swap.amountOut)
      assert.ok(back && back.amountOut < (10n ** 18n * 995n) / 1000n)
    })
  },
})
