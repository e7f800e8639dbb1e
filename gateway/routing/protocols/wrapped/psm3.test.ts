import { assert } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import { createPsm3Pool, type Psm3State, psm3AmountOut, psm3Price } from './psm3.ts'

const [mega, wad, ray] = [10n ** 6n, 10n ** 18n, 10n ** 27n]

/** What the contract answers, to the wei, by its own tests: github:sparkdotfi/spark-psm test/unit/SwapPreviews.t.sol. */
const cases: VectorCases<Psm3State> = {
  'at the rate of its own tests': {
    state: {
      id: 'pool',
      tokens: ['usdc', 'usds', 'susds'],
      units: [mega, wad, wad],
      reserves: [1_000_000n * mega, 1_000_000n * wad, 1_000_000n * wad],
      rate: (5n * ray) / 4n,
    },
    rows: [
      [0, 1, 100n * mega, 100n * wad],
      [0, 2, 100n * mega, 80n * wad],
      [1, 0, 100n * wad, 100n * mega],
      [1, 2, 100n * wad, 80n * wad],
      [2, 0, 100n * wad, 125n * mega],
      [2, 1, 100n * wad, 125n * wad],
      [1, 0, wad - 1n, mega - 1n],
      [1, 0, 10n ** 12n, 1n],
      [1, 2, wad - 1n, (wad * 4n) / 5n - 1n],
      [1, 2, wad + 1n, (wad * 4n) / 5n],
      [0, 2, mega - 1n, 799_999n * 10n ** 12n],
      [0, 2, mega + 1n, (wad * 4n) / 5n],
      [2, 1, 2_000_000n * wad, undefined],
    ],
  },
}

runVectorSuite('psm3', {
  cases,
  create: createPsm3Pool,
  answer: psm3AmountOut,
  inputs: ({ units }, { i }) => [1n, 1_000n, 900_000n].map((whole) => whole * (units[i] ?? 1n)),
  within: 1e-6,
  refusedPairs: [...wrongPairs, [0, 3]],
  more(s) {
    s('takes a single unit, none of nothing, and pays all that it has', () => {
      const { state } = cases['at the rate of its own tests'] ?? {}
      if (!state) throw new Error('there is such a pool')
      const ask = (i: number, j: number, amountIn: bigint) =>
        psm3AmountOut(state, { i, j, amountIn })
      assert.equal([ask(0, 1, 0n), ask(0, 1, 1n), ask(1, 0, 1n)], [undefined, 10n ** 12n, 0n])
      const pool = createPsm3Pool(state)
      const all = pool.swap(0, 1, 1_000_000n * mega)
      assert.is(all?.amountOut, 1_000_000n * wad)
      assert.is(pool.swap(0, 1, 1_000_000n * mega + 1n), undefined)
      // What came in is there to be paid out, and of the other nothing is left.
      assert.is(all?.next.swap(2, 1, wad), undefined)
      assert.is(all?.next.swap(1, 0, 2_000_000n * wad)?.amountOut, 2_000_000n * mega)
      assert.is(all?.next.swap(1, 0, 2_000_001n * wad), undefined)
      assert.is(pool.gas, 110_000)
      for (const [i, j, price] of [
        [0, 1, 1e12],
        [1, 0, 1e-12],
        [2, 0, 1.25e-12],
        [0, 2, 0.8e12],
        [2, 1, 1.25],
      ] as const)
        near(psm3Price(state, i, j), price)
    })
  },
})
