import { assert, suite } from '../../../fixtures/test.ts'
import {
  type BalancerV3WeightedState,
  balancerV3WeightedAmountOut,
  createBalancerV3WeightedPool,
} from './balancerV3Weighted.ts'
import { curveOutput } from './curve.ts'

type Row = readonly [i: number, j: number, amountIn: bigint, executed: bigint | undefined]
type Case = { readonly state: BalancerV3WeightedState; readonly rows: readonly Row[] }

const s = suite('balancerV3Weighted')
/** Amounts a real vault paid, and refusals. */
const cases: Readonly<Record<string, Case>> = {
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
      [1, 0, 0n, undefined],
      [1, 0, 1n, undefined],
      [1, 1, 1000000000000000000n, undefined],
      [
        1,
        0,
        1809251394333065553493296640760748560207343510400633813116524750123642650624n,
        undefined,
      ],
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
}

for (const [name, { state, rows }] of Object.entries(cases)) {
  s(`pays what the vault pays: ${name}`, () => {
    for (const [i, j, amountIn, executed] of rows)
      assert.is(
        balancerV3WeightedAmountOut(state, { i, j, amountIn }),
        executed,
        `${i} ${j} ${amountIn}`,
      )
  })
  s(`draws a curve that follows the swap: ${name}`, () => {
    const pool = createBalancerV3WeightedPool(state)
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
    const pool = createBalancerV3WeightedPool(state)
    const amountIn = (state.balancesRaw[0] ?? 0n) / 50n
    const there = pool.swap(0, 1, amountIn)
    assert.ok(there)
    const back = there.next.swap(1, 0, there.amountOut)
    assert.ok(back && back.amountOut < amountIn)
  }
})
s.run()
