import { assert } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import {
  type BalancerV3StableState,
  balancerV3StableAmountOut,
  createBalancerV3StablePool,
} from './balancerV3Stable.ts'

/** Amounts a real vault paid, and refusals. */
const cases: VectorCases<BalancerV3StableState> = {
  '1:66, 1 %': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balancesRaw: [30000000699n, 200000000000482n],
      scalingFactors: [1000000000000n, 10000000000n],
      rates: [1000000000000000000n, 1000000000000000000n],
      lastBalancesLiveScaled18: [30000000699000000000000n, 2000000000004820000000000n],
      paysYieldFees: [false, false],
      swapFeePercentage: 10000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      amp: 50000n,
      limitsImbalance: true,
    },
    rows: [
      [0, 1, 1n, 807n],
      [0, 1, 59060309058n, 21028936945888n],
      [0, 1, 62n, 50037n],
      [0, 1, 10697915026n, 6801317538240n],
      [0, 1, 89586n, 72300522n],
      [1, 0, 4000000000009640n, undefined],
    ],
  },
  '3 tokens, amp 5000': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c'],
      balancesRaw: [1100000000721n, 1000000000000000000000780n, 900000000000000000000736n],
      scalingFactors: [1000000000000n, 1n, 1n],
      rates: [1000000000000000000n, 1000000000000000000n, 1000000000000000000n],
      lastBalancesLiveScaled18: [
        1100000000721000000000000n,
        1000000000000000000000780n,
        900000000000000000000736n,
      ],
      paysYieldFees: [false, false, false],
      swapFeePercentage: 100000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      amp: 5000000n,
      limitsImbalance: true,
    },
    rows: [
      [0, 1, 1n, 999881640120n],
      [2, 1, 2000000n, 1999843n],
      [0, 2, 1306304566n, 1306120277569778951583n],
      [1, 2, 27016059008881994498060n, 27012584478562925731054n],
      [2, 1, 11089026426927n, 11088166360380n],
      [2, 1, 1000000n, undefined],
      [0, 2, 22000000014420n, undefined],
    ],
  },
  'rate rose since the last write: yield fee comes off the balance first': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balancesRaw: [50000000000000000000763n, 60000000000000000000682n],
      scalingFactors: [1n, 1n],
      rates: [1123456789012345678n, 1000000000000000000n],
      lastBalancesLiveScaled18: [55000000000000000000839n, 60000000000000000000682n],
      paysYieldFees: [true, false],
      swapFeePercentage: 1000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      amp: 200000n,
      limitsImbalance: true,
    },
    rows: [
      [0, 1, 1000000n, 1122711n],
      [1, 0, 2000000n, 1777836n],
      [1, 0, 1942206458655723n, 1726463099780658n],
      [1, 0, 54881556863844931n, 48785226683370918n],
      [1, 0, 2785939181564336135n, 2476472065647747721n],
      [1, 0, 1000000n, undefined],
      [1, 0, 1200000000000000000013640n, undefined],
    ],
  },
  '3 tokens with a rate (2024 factory)': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c'],
      balancesRaw: [500000704n, 3000000000000000000096n, 4000000000037n],
      scalingFactors: [1000000000000n, 1n, 10000000000n],
      rates: [1000000000000000000n, 1111111111111111111n, 1000000000000000000n],
      lastBalancesLiveScaled18: [
        500000704000000000000n,
        3333333333333333333106n,
        40000000000370000000000n,
      ],
      paysYieldFees: [false, false, false],
      swapFeePercentage: 1000000000000000n,
      aggregateSwapFeePercentage: 500000000000000000n,
      aggregateYieldFeePercentage: 100000000000000000n,
      amp: 5000000n,
      limitsImbalance: false,
    },
    rows: [
      [0, 1, 1n, 1097531689252n],
      [2, 1, 2n, 17340014055n],
      [1, 0, 41485139139774212n, 37722n],
      [2, 1, 15692072197n, 135819376752360469283n],
      [1, 0, 653264860178249990n, 593895n],
      [0, 2, 1361129467683753853853498429727072845824n, undefined],
    ],
  },
}

runVectorSuite('balancerV3Stable', {
  cases,
  create: createBalancerV3StablePool,
  answer: balancerV3StableAmountOut,
  inputs: ({ balancesRaw }, { i }) =>
    [4n, 10n, 100n, 7000n].map((part) => (balancesRaw[i] ?? 0n) / part),
  within: 2e-3,
  refusedPairs: wrongPairs,
  more(s) {
    const held = 10n ** 24n
    const even: BalancerV3StableState = {
      id: 'pool',
      tokens: ['a', 'b'],
      balancesRaw: [held, held],
      scalingFactors: [1n, 1n],
      rates: [10n ** 18n, 10n ** 18n],
      lastBalancesLiveScaled18: [held, held],
      paysYieldFees: [false, false],
      swapFeePercentage: 0n,
      aggregateSwapFeePercentage: 0n,
      aggregateYieldFeePercentage: 0n,
      amp: 5_000_000n,
      limitsImbalance: false,
    }
    s('is rounded as the contract is, to the last unit', () => {
      for (const [balancesRaw, amp, amountIn, amountOut] of [
        [[100_001_014n, 100_307_488n, 100_001_012n], 105_194n, 32_131_448n, 32_025_074n],
        [
          [100_584_257n, 3_396_740_162_792n, 1_087_230_221_544n],
          1_343n,
          1_603_580n,
          28_962_995_446n,
        ],
      ] as const) {
        const three = { tokens: ['a', 'b', 'c'], scalingFactors: [1n, 1n, 1n], balancesRaw, amp }
        const rates = balancesRaw.map(() => 10n ** 18n)
        const state = { ...even, ...three, rates, lastBalancesLiveScaled18: balancesRaw }
        assert.is(balancerV3StableAmountOut(state, { i: 0, j: 1, amountIn }), amountOut)
      }
    })
    s('leaves less than ten thousand times as much of one token as of the other', () => {
      const out = (limitsImbalance: boolean, amountIn: bigint) =>
        balancerV3StableAmountOut({ ...even, limitsImbalance }, { i: 0, j: 1, amountIn })
      let [low, high] = [held, 4n * held]
      assert.ok(out(true, low) !== undefined && out(true, high) === undefined)
      while (high - low > 1n) {
        const middle = (low + high) / 2n
        if (out(true, middle) === undefined) high = middle
        else low = middle
      }
      const ratios = [low, high].map(
        (amountIn) => (held + amountIn) / (held - (out(false, amountIn) ?? 0n)),
      )
      assert.equal(ratios, [9_999n, 10_000n])
      assert.is(createBalancerV3StablePool(even).gas, 200_000)
      near(createBalancerV3StablePool(even).curve(0, 1)?.x.at(-1), 4e24)
    })
  },
})
