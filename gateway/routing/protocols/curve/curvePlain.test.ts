import { assert } from '../../../../fixtures/test.ts'
import { assertAdminPart } from '../../testing/assertAdminPart.ts'
import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import { type CurvePlainState, createCurvePlainPool, curvePlainAmountOut } from './curvePlain.ts'

/** Amounts a real contract paid, and refusals. */
const cases: VectorCases<CurvePlainState> = {
  '78:1': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balances: [700000000987n, 90000010n],
      rates: [10000000000000000000000000000n, 1000000000000000000000000000000n],
      aPrecise: 200000n,
      fee: 4000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 700000000987000n, 89964009n],
      [1, 0, 9266n, 1278628n],
      [1, 0, 4667n, 644015n],
      [1, 0, 1695671n, 232807447n],
      [1, 0, 26n, 3587n],
    ],
  },
  'A ramping': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balances: [1000000000000000000000466n, 1500000000246n],
      rates: [1000000000000000000n, 1000000000000000000000000000000n],
      aPrecise: 20037n,
      fee: 4000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 1000000000000000000000466000n, 1499399990500n],
      [1, 0, 187917470546n, 187235193819112255877396n],
      [1, 0, 52873440n, 52738565859339931454n],
      [1, 0, 85219063n, 85001665066043592947n],
      [1, 0, 15379982n, 15340752295761425975n],
    ],
  },
  'balanced 4': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c', 'd'],
      balances: [
        1000000000000000000000658n,
        1000000000952n,
        100000000000714n,
        1000000000000000000000125n,
      ],
      rates: [
        1000000000000000000n,
        1000000000000000000000000000000n,
        10000000000000000000000000000n,
        1000000000000000000n,
      ],
      aPrecise: 20000n,
      fee: 4000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 1000000000000000000000658000n, 999599995953n],
      [0, 2, 60264201972390158341n, 6024007823n],
      [2, 0, 365765n, 3656186939933337n],
      [3, 2, 513548941197780n, 51334n],
      [1, 2, 256864615n, 25676154102n],
    ],
  },
  'where the n^n division sits changes the result (2)': {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balances: [14714000000000297793196n, 10584945945946043733308n],
      rates: [1000000000000000000n, 1000000000000000000n],
      aPrecise: 200n,
      fee: 4000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 1n, 1n],
      [0, 1, 8674884332341691n, 7753585312364358n],
      [0, 1, 868506588514197n, 776268718054937n],
      [0, 1, 13810622188482957n, 12343890533403397n],
      [0, 1, 10049309278003535882n, 8979620681495481444n],
    ],
  },
}

runVectorSuite('curvePlain', {
  cases,
  create: createCurvePlainPool,
  answer: curvePlainAmountOut,
  inputs: ({ balances }, { i }) => [3n, 10n, 100n, 7000n].map((part) => (balances[i] ?? 0n) / part),
  within: 2e-3,
  refusedPairs: wrongPairs,
  more(s) {
    // Its second coin counts half: what is scaled is half of what is paid without a fee.
    const state: CurvePlainState = {
      id: 'pool',
      tokens: ['a', 'b'],
      balances: [10n ** 24n, 2n * 10n ** 24n],
      rates: [10n ** 18n, 5n * 10n ** 17n],
      aPrecise: 20_000n,
      fee: 4_000_000n,
      adminFee: 3_333_333_333n,
    }
    s('is rounded as the loops of the contract, to the last unit', () => {
      for (const [balances, aPrecise, amountIn, amountOut] of [
        [[862037n, 14040308n], 8389n, 3411n, 4791n],
        [[22041n, 9317n, 1075n], 139n, 78n, 50n],
        [[1007n, 1063n], 107n, 1n, 1n],
      ] as const) {
        const small = { ...state, balances, aPrecise, rates: balances.map(() => 10n ** 18n) }
        assert.is(curvePlainAmountOut(small, { i: 0, j: 1, amountIn }), amountOut, `${balances}`)
      }
      const same = {
        ...state,
        balances: [1015n, 1085n],
        rates: [10n ** 18n, 10n ** 18n],
        aPrecise: 102n,
      }
      assert.is(curvePlainAmountOut(same, { i: 0, j: 0, amountIn: 63n }), undefined)
    })
    s('leaves the admin its part of the fee, both rounded down', () => {
      const scaledOut = (amountIn: bigint) =>
        (curvePlainAmountOut({ ...state, fee: 0n }, { i: 0, j: 1, amountIn }) ?? 0n) / 2n
      assertAdminPart(createCurvePlainPool, { state, scaledOut, gas: 130_000 })
    })
  },
})
