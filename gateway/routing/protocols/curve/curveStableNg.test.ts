import { assert } from '../../../../fixtures/test.ts'
import { assertAdminPart } from '../../testing/assertAdminPart.ts'
import { runVectorSuite, type VectorCases, wrongPairs } from '../../testing/runVectorSuite.ts'
import {
  type CurveStableNgState,
  createCurveStableNgPool,
  curveStableNgAmountOut,
} from './curveStableNg.ts'

/** Amounts a real contract paid, and refusals. */
const cases: VectorCases<CurveStableNgState> = {
  balanced: {
    state: {
      id: 'pool',
      tokens: ['a', 'b'],
      balances: [1000000000000000000000186n, 1000000000558n],
      rates: [1000000000000000000n, 1000000000000000000000000000000n],
      aPrecise: 20000n,
      fee: 4000000n,
      offpegFeeMultiplier: 20000000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 1000000000000000000000186000n, 999203170261n],
      [1, 0, 1000000000558000n, 999203169704004136885295n],
      [1, 0, 9697707326n, 9693360475443021725455n],
      [1, 0, 2672n, 2670931199957080n],
      [1, 0, 726262849n, 725969720748370339104n],
    ],
  },
  'two rates': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c'],
      balances: [90000000000795n, 800000000000000000000796n, 1000000000499n],
      rates: [
        10000000000000000010000000000n,
        1234567890123456789n,
        1000000000000000000000000000000n,
      ],
      aPrecise: 30000n,
      fee: 3000000n,
      offpegFeeMultiplier: 20000000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 1n, 8100129502n],
      [2, 0, 1000000000499000n, 89946192689287n],
      [0, 2, 1226039755n, 12261083n],
      [2, 1, 14n, 11336143362817n],
      [1, 2, 677221253422045318n, 835858n],
    ],
  },
  '1:100:10000': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c'],
      balances: [1000000828n, 100000000000000000000395n, 10000000000755n],
      rates: [
        1000000000000000000000000000000n,
        1000000000000000000n,
        1000000000000000000000000000000n,
      ],
      aPrecise: 10000n,
      fee: 4000000n,
      offpegFeeMultiplier: 20000000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 1n, 98592245683971n],
      [2, 0, 10000000000755000n, 999200096n],
      [0, 2, 97989593n, 385945487357n],
      [2, 1, 1128n, 26281513063347n],
      [1, 2, 1953887777549n, 83n],
    ],
  },
  'ramp + rate + swaps': {
    state: {
      id: 'pool',
      tokens: ['a', 'b', 'c'],
      balances: [59110974477648092874339n, 28016278384625438347131n, 35024307688n],
      rates: [1000000000000000000n, 1999999999999999999n, 1000000000000000000000000000000n],
      aPrecise: 2537n,
      fee: 10000000n,
      offpegFeeMultiplier: 30000000000n,
      adminFee: 5_000_000_000n,
    },
    rows: [
      [0, 1, 59110974477648092874339000n, 27932858687780784502726n],
      [2, 1, 1n, 510425851270n],
      [1, 0, 10400805096316153n, 20820407478137668n],
      [0, 1, 107950816458694197249n, 53815223945439055968n],
      [2, 0, 845508876n, 863885801167704285182n],
    ],
  },
}

runVectorSuite('curveStableNg', {
  cases,
  create: createCurveStableNgPool,
  answer: curveStableNgAmountOut,
  inputs: ({ balances }, { i }) => [3n, 10n, 100n, 7000n].map((part) => (balances[i] ?? 0n) / part),
  within: 2e-3,
  refusedPairs: wrongPairs,
  more(s) {
    // Its second coin counts half: what is scaled is half of what is paid without a fee.
    const state: CurveStableNgState = {
      id: 'pool',
      tokens: ['a', 'b'],
      balances: [10n ** 24n, 2n * 10n ** 24n],
      rates: [10n ** 18n, 5n * 10n ** 17n],
      aPrecise: 20_000n,
      fee: 4_000_000n,
      offpegFeeMultiplier: 10n ** 10n,
      adminFee: 3_333_333_333n,
    }
    const scaledOut = (amountIn: bigint) =>
      (curveStableNgAmountOut({ ...state, fee: 0n }, { i: 0, j: 1, amountIn }) ?? 0n) / 2n
    s('is rounded as the loops of the contract, to the last unit', () => {
      for (const [balances, aPrecise, amountIn, amountOut] of [
        [[239500n, 4552n], 102n, 0n, undefined],
        [[1053n, 1002n], 2970n, 1n, 1n],
        [[1002n, 1111n], 160n, 884n, 666n],
        // Its oracle has no price of what is left.
        [[1136n, 1001n], 104n, 37358n, undefined],
        [[243066024127530796008n, 71075157n], 154422n, 40753856n, 0n],
        [
          [210642529665n, 45442612196800607668928513n],
          226n,
          18216987306123540848818312445952n,
          undefined,
        ],
        [
          [
            703662360398194077757784195073n,
            268066979127590507190545922654208001n,
            25365708936577518532723566975123457n,
          ],
          160n,
          47906093853024935628314914371842080768n,
          267959752313160327174443354777560817n,
        ],
        [[1734193093633n, 3n, 7n], 41n, 715196n, 0n],
      ] as const) {
        const small = {
          ...state,
          offpegFeeMultiplier: 0n,
          balances,
          aPrecise,
          rates: balances.map(() => 10n ** 18n),
        }
        assert.is(curveStableNgAmountOut(small, { i: 0, j: 1, amountIn }), amountOut, `${balances}`)
      }
    })
    s('has a dynamic fee of three coins to the unit', () => {
      const balances = [5372829466810647528n, 8259345498244072n, 498814715869853123560n]
      const three = {
        ...state,
        tokens: ['a', 'b', 'c'],
        balances,
        rates: balances.map(() => 10n ** 18n),
        aPrecise: 200_100n,
        offpegFeeMultiplier: 20_000_000_000n,
      }
      const asked = { i: 0, j: 1, amountIn: 299096735752388608n }
      assert.is(curveStableNgAmountOut(three, asked), 442478529661931n)
    })
    s('leaves the admin its part of the fee, both rounded down', () => {
      assertAdminPart(createCurveStableNgPool, { state, scaledOut, gas: 190_000 })
    })
    s('takes a fee that grows with how uneven a trade makes both coins, on average', () => {
      const amountIn = 8n * 10n ** 23n
      const scaled = scaledOut(amountIn)
      const averages = [10n ** 24n + amountIn / 2n, (2n * 10n ** 24n - scaled - 1n) / 2n] as const
      for (const offpegFeeMultiplier of [10n ** 10n + 1n, 2n * 10n ** 10n, 5n * 10n ** 10n]) {
        const dear = { ...state, offpegFeeMultiplier }
        const [one, other] = averages
        const bent = ((offpegFeeMultiplier - 10n ** 10n) * 4n * one * other) / (one + other) ** 2n
        const rate = (offpegFeeMultiplier * state.fee) / (bent + 10n ** 10n)
        const out = 2n * (scaled - (scaled * rate) / 10n ** 10n)
        assert.is(curveStableNgAmountOut(dear, { i: 0, j: 1, amountIn }), out, `${rate}`)
      }
    })
  },
})
