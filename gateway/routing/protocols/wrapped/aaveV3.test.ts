import { assert } from '../../../../fixtures/test.ts'
import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import { type AaveV3State, aaveV3AmountOut, createAaveV3Pool } from './aaveV3.ts'

const mega = 10n ** 6n

/** What is delivered at least, by the rounding of github:aave-dao/aave-v3-origin TokenMath.sol. */
const cases: VectorCases<AaveV3State> = {
  'with room and tokens': {
    state: {
      id: 'pool',
      tokens: ['usdc', 'aUsdc'],
      mosts: [2_000_000n * mega, 1_000_000n * mega],
      rounding: 2n,
    },
    rows: [
      [0, 1, 100n * mega, 100n * mega - 2n],
      [1, 0, 100n * mega, 100n * mega],
      [0, 1, 3n, 1n],
      [1, 0, 1n, 1n],
      [0, 1, 1_000_000n * mega, 1_000_000n * mega - 2n],
      [0, 1, 1_000_000n * mega + 1n, undefined],
      [1, 0, 2_000_000n * mega, 2_000_000n * mega],
      [1, 0, 2_000_000n * mega + 1n, undefined],
    ],
  },
}

runVectorSuite('aave_v3', {
  cases,
  create: createAaveV3Pool,
  answer: aaveV3AmountOut,
  inputs: () => [10n, 1_000n, 900_000n].map((whole) => whole * mega),
  within: 1e-6,
  refusedPairs: wrongPairs,
  more: (s) =>
    s('a withdrawal opens no reserve that is frozen, or over its cap by more', () => {
      const state = { id: 'pool', tokens: ['usdc', 'aUsdc'], rounding: 2n }
      const pool = createAaveV3Pool({ ...state, mosts: [1_000n * mega, -100n * mega] })
      const [less, more] = [99n, 101n].map((whole) => pool.swap(1, 0, whole * mega)?.next)
      assert.is(less?.swap(0, 1, 10n), undefined)
      assert.is(more?.swap(0, 1, 10n)?.amountOut, 8n)
      assert.is(pool.curve(0, 1), undefined)
      const supplied = (amountIn: bigint) =>
        aaveV3AmountOut({ ...state, mosts: [0n, mega] }, { i: 0, j: 1, amountIn })
      assert.equal([0n, 1n, 2n, 3n].map(supplied), [undefined, 0n, 0n, 1n])
      assert.is(pool.gas, 200_000)
    }),
})
