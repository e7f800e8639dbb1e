import { assert } from '../../../../fixtures/test.ts'
import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import { one18 } from '../maths/fixedPoint18.ts'
import {
  type BalancerV3WeightedState,
  balancerV3WeightedAmountOut,
  createBalancerV3WeightedPool,
} from './balancerV3Weighted.ts'

/** Amounts a real vault paid, and refusals. */
const cases: VectorCases<BalancerV3WeightedState> = {
  '20/80 1 %': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balancesRaw: [9000000869n, 300000069n],
      scalingFactors: [1000000000000n, 10000000000n],
      rates: [1000000000000000000n, 1000000000000000000n],
      lastBalancesLiveScaled18: [9000000869000000000000n, 3000000690000000000n],
      paysYieldFees: [false, false],
      swapFeePercentage: 10000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      weights: [200000000000000000n, 800000000000000000n],
      minBalances: [1000000000000n, 10000000000n],
    },
    rows: [
      [1, 0, 1n, 118n],
      [1, 0, 722n, 85773n],
      [0, 1, 3492467n, 28805n],
      [1, 0, 152n, 18057n],
      [1, 0, 90909109n, 5848850304n],
      [1, 0, 90909113n, undefined],
    ],
  },
  'near thirds, 10 %': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c'],
      balancesRaw: [100000962n, 100000000000000000838n, 10000000930n],
      scalingFactors: [1000000000000n, 1n, 10000000000n],
      rates: [1000000000000000000n, 1000000000000000000n, 1000000000000000000n],
      lastBalancesLiveScaled18: [
        100000962000000000000n,
        100000000000000000838n,
        100000009300000000000n,
      ],
      paysYieldFees: [false, false, false],
      swapFeePercentage: 100000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      weights: [333300000000000000n, 333300000000000000n, 333400000000000000n],
      minBalances: [1000000000000n, 1000000n, 10000000000n],
    },
    rows: [
      [0, 1, 1n, 899991333900n],
      [0, 1, 1116083n, 994475874584283608n],
      [2, 0, 1248171099n, 10102026n],
      [1, 0, 70059282053293n, 63n],
      [0, 2, 30000290n, 2125420013n],
      [0, 2, 33333655n, undefined],
    ],
  },
  'rate rose since the last write: yield fee comes off the balance first': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balancesRaw: [1000000000594n, 800000000000000000076n],
      scalingFactors: [1000000000000n, 1n],
      rates: [1000000000000000000n, 1083456789012345678n],
      lastBalancesLiveScaled18: [1000000000594000000000000n, 840000000000000000079n],
      paysYieldFees: [false, true],
      swapFeePercentage: 3000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      weights: [500000000000000000n, 500000000000000000n],
      minBalances: [1000000000000n, 1000000n],
    },
    rows: [
      [0, 1, 1n, 795136239n],
      [0, 1, 1577007788n, 1251968858302465540n],
      [0, 1, 9844085693n, 7751321371966175601n],
      [0, 1, 11n, 8746506613n],
      [0, 1, 283308n, 225268620043706n],
      [1, 0, 240722166499498495506n, undefined],
      [1, 0, 1n, undefined],
    ],
  },
  '80/20 1 % (2024 factory)': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balancesRaw: [1000000000000000000511n, 60000000783n],
      scalingFactors: [1n, 10000000000n],
      rates: [1000000000000000000n, 1000000000000000000n],
      lastBalancesLiveScaled18: [1000000000000000000511n, 600000007830000000000n],
      paysYieldFees: [false, false],
      swapFeePercentage: 10000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      weights: [800000000000000000n, 200000000000000000n],
    },
    rows: [
      [1, 0, 1n, 4114998000n],
      [1, 0, 1089366548n, 4443825772283484002n],
      [0, 1, 26364146006311580n, 6263712n],
      [1, 0, 31890n, 131546195021000n],
      [1, 0, 18181818416n, 63486241785925180032n],
      [0, 1, 1000000n, undefined],
      [1, 0, 18181818420n, undefined],
    ],
  },
}

const wei = [1n, 1n]
/** Without a fee, and with so much of the token sold. */
const plain = (held: bigint, minBalances?: readonly bigint[]): BalancerV3WeightedState => ({
  id: 'pool',
  tokens: ['a', 'b'],
  balancesRaw: [held, 10n ** 24n],
  scalingFactors: wei,
  rates: [one18, one18],
  lastBalancesLiveScaled18: [held, 10n ** 24n],
  paysYieldFees: [false, false],
  swapFeePercentage: 0n,
  aggregateSwapFeePercentage: 0n,
  aggregateYieldFeePercentage: 0n,
  weights: [one18 / 2n, one18 / 2n],
  minBalances,
})
const paid = (state: BalancerV3WeightedState, amountIn: bigint) =>
  balancerV3WeightedAmountOut(state, { i: 0, j: 1, amountIn })

runVectorSuite('balancerV3Weighted', {
  cases,
  create: createBalancerV3WeightedPool,
  answer: balancerV3WeightedAmountOut,
  inputs: ({ balancesRaw }, { i }) =>
    [4n, 10n, 100n, 7000n].map((part) => (balancesRaw[i] ?? 0n) / part),
  within: 2e-3,
  refusedPairs: wrongPairs,
  more(s) {
    s('takes the gas of one hop [teeth/weighted]', () => {
      assert.is(createBalancerV3WeightedPool(plain(1n)).gas, 190_000)
    })
    s(
      'takes 30 % of what it holds, and of one unit more where it keeps a least [teeth/weighted]',
      () => {
        const kinds = [
          [0n, undefined],
          [1n, [0n, 0n]],
        ] as const
        for (let rest = 0n; rest < 10n; rest += 1n)
          for (const [more, least] of kinds) {
            const state = plain(10n ** 7n + rest, least)
            const most = (3n * (10n ** 7n + rest + more)) / 10n
            assert.ok(paid(state, most), `${rest} ${more}`)
            assert.is(paid(state, most + 1n), undefined, `${rest} ${more}`)
          }
      },
    )
    s(
      'leaves the least of each token, with one unit more of the one that is sold [teeth/weighted]',
      () => {
        const [held, amountIn] = [10n ** 7n, 2n * 10n ** 6n]
        const leaving = (...least: readonly bigint[]) => paid(plain(held, least), amountIn)
        const out = leaving(0n, 0n)
        assert.ok(out)
        assert.equal([leaving(held + 1n, 0n), leaving(held + 2n, 0n)], [out, undefined])
        const left = 10n ** 24n - out
        assert.equal([leaving(0n, left), leaving(0n, left + 1n)], [out, undefined])
      },
    )
  },
})
