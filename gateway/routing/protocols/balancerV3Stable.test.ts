import { assert, suite } from '../../../fixtures/test.ts'
import {
  type BalancerV3StableState,
  balancerV3StableAmountOut,
  createBalancerV3StablePool,
} from './balancerV3Stable.ts'
import { curveOutput } from './curve.ts'

type Row = readonly [i: number, j: number, amountIn: bigint, executed: bigint | undefined]
type Case = { readonly state: BalancerV3StableState; readonly rows: readonly Row[] }

const s = suite('balancerV3Stable')
/** Amounts a real vault paid, and refusals. */
const cases: Readonly<Record<string, Case>> = {
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
      [1, 0, 0n, undefined],
      [1, 1, 100000000n, undefined],
      [
        1,
        0,
        1809251394333065553493296640760748560207343510400633813116524750123642650624n,
        undefined,
      ],
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
      [0, 2, 0n, undefined],
      [0, 0, 1000000n, undefined],
      [
        0,
        2,
        1809251394333065553493296640760748560207343510400633813116524750123642650624n,
        undefined,
      ],
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
      [1, 0, 0n, undefined],
      [1, 1, 1000000000000000000n, undefined],
      [
        1,
        0,
        1809251394333065553493296640760748560207343510400633813116524750123642650624n,
        undefined,
      ],
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
      [0, 2, 0n, undefined],
      [0, 0, 1000000n, undefined],
      [0, 2, 1361129467683753853853498429727072845824n, undefined],
      [
        0,
        2,
        1809251394333065553493296640760748560207343510400633813116524750123642650624n,
        undefined,
      ],
    ],
  },
}

for (const [name, { state, rows }] of Object.entries(cases)) {
  s(`pays what the vault pays: ${name}`, () => {
    for (const [i, j, amountIn, executed] of rows)
      assert.is(
        balancerV3StableAmountOut(state, { i, j, amountIn }),
        executed,
        `${i} ${j} ${amountIn}`,
      )
  })
  s(`draws a curve that follows the swap: ${name}`, () => {
    const pool = createBalancerV3StablePool(state)
    const curve = pool.curve(0, 1)
    assert.ok(curve)
    const balance = state.balancesRaw[0] ?? 0n
    for (const part of [4n, 10n, 100n, 7000n]) {
      const swap = pool.swap(0, 1, balance / part)
      assert.ok(swap && curve)
      const ratio = curveOutput(curve, Number(balance / part)) / Number(swap.amountOut)
      assert.ok(Math.abs(ratio - 1) < 2e-3, `1/${part}: ${ratio}`)
    }
  })
}
s('never pays a round trip more than went in', () => {
  for (const { state } of Object.values(cases)) {
    const pool = createBalancerV3StablePool(state)
    const amountIn = (state.balancesRaw[0] ?? 0n) / 50n
    const there = pool.swap(0, 1, amountIn)
    assert.ok(there)
    const back = there.next.swap(1, 0, there.amountOut)
    assert.ok(back && back.amountOut < amountIn)
  }
})
s.run()
