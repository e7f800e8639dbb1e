import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import { createPsm3Pool, type Psm3State, psm3AmountOut } from './psm3.ts'

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
})
