import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { orRefused } from '../maths/checkedUint.ts'
import { type BalancerV2State, type ScaledTrade, swapThroughV2Vault } from './balancerV2Pool.ts'
import { createBalancerV2StablePool } from './balancerV2Stable.ts'
import { balancerV2WeightedAmountOut, createBalancerV2WeightedPool } from './balancerV2Weighted.ts'

const s = suite('the second vault')
const one = 10n ** 18n
/** Tokens of 6 and of 18 decimals, the second at a rate of a half; the vault holds less than the pool has. */
const state: BalancerV2State = {
  id: 'p',
  tokens: ['a', 'b', 'c'],
  balances: [1_000_000n, 5_000n * one, 0n],
  cash: [600_000n, 2_000n * one, 0n],
  scalingFactors: [10n ** 12n * one, one / 2n, one],
  swapFeePercentage: one / 400n,
  isPaused: false,
}
const trade = { i: 0, j: 1, amountIn: 101n }
/** What a pool is asked, and what comes of its answer. */
function ask(paid: bigint, own: Partial<BalancerV2State> = {}, swap = trade) {
  const asked: ScaledTrade[] = []
  const outcome = orRefused(() =>
    swapThroughV2Vault({ ...state, ...own }, swap, (scaled) => {
      asked.push(scaled)
      return paid
    }),
  )
  return { asked, outcome }
}

s('takes its fee, rounded up, and scales what it tells a pool down', () => {
  // A fourhundredth of 101 is a whole unit.
  const { asked } = ask(one)
  assert.equal(asked, [
    { i: 0, j: 1, balances: [one, 2_500n * one, 0n], amountIn: 100n * 10n ** 12n },
  ])
  const halves = ask(one, {}, { i: 1, j: 0, amountIn: 401n })
  // Two units of fee, and half of 399 without the rest.
  assert.equal(halves.asked[0]?.amountIn, 199n)
  const odd = ask(one, { balances: [1n, 3n, 0n] }).asked[0]?.balances
  assert.equal(odd, [10n ** 12n, 1n, 0n])
})
s('pays what a pool says, scaled down, and counts it in balance and cash', () => {
  assert.equal(ask(7n).outcome, {
    amountOut: 14n,
    balances: [1_000_101n, 5_000n * one - 14n, 0n],
    cash: [600_101n, 2_000n * one - 14n, 0n],
  })
  const down = ask(2n * 10n ** 12n - 1n, {}, { i: 1, j: 0, amountIn: 401n })
  assert.is(down.outcome?.amountOut, 1n)
})
s('pays all that it holds, and no more', () => {
  const all = ask(1_000n * one)
  assert.equal([all.outcome?.amountOut, all.outcome?.cash[1]], [2_000n * one, 0n])
  assert.is(ask(1_000n * one + 1n).outcome, undefined)
  const cash = [600_000n, 9_000n * one, 0n]
  assert.ok(ask(2_500n * one, { cash }).outcome)
  assert.is(ask(2_500n * one + 1n, { cash }).outcome, undefined, 'nor than the pool has')
  assert.is(ask(-1n).outcome, undefined)
})
s('keeps balances of 112 bits', () => {
  const most = (1n << 112n) - 1n
  const full = (balance: bigint) => ask(1n, { balances: [balance, one, 0n] }).outcome
  assert.ok(full(most - 101n))
  assert.is(full(most - 100n), undefined)
})
s('swaps nothing of nothing, for the same token, or while it is paused', () => {
  const refused = [
    ask(one, {}, { ...trade, amountIn: 0n }),
    ask(one, {}, { ...trade, amountIn: -5n }),
    ask(one, {}, { ...trade, j: 0 }),
    ask(one, { isPaused: true }),
  ]
  for (const { asked, outcome } of refused) assert.equal([asked, outcome], [[], undefined])
  assert.ok(ask(one, { swapFeePercentage: 0n }, { ...trade, amountIn: 1n }).outcome)
})

const pair = {
  ...state,
  tokens: ['a', 'b'],
  balances: [1_000n * one, 4_000n * 10n ** 6n],
  cash: [1_000n * one, 4_000n * 10n ** 6n],
  scalingFactors: [one, 10n ** 12n * one],
}
s('weights that are equal keep the product, rounded against who asks', () => {
  const even = { ...pair, weights: [one / 2n, one / 2n] }
  for (const [i, j, amountIn] of [
    [0, 1, 3n * one + 7n],
    [0, 1, 123_456_789_012_345_678_901n],
    [1, 0, 1_000_003n],
    [1, 0, 777_777_777n],
  ] as const) {
    const [own, other] = [even.balances[i] ?? 0n, even.balances[j] ?? 0n]
    const [factorIn, factorOut] = i === 0 ? [1n, 10n ** 12n] : [10n ** 12n, 1n]
    const given = (amountIn - (amountIn + 399n) / 400n) * factorIn
    const held = own * factorIn
    const left = (held * one + held + given - 1n) / (held + given)
    const out = (other * factorOut * (one - left)) / one / factorOut
    assert.is(balancerV2WeightedAmountOut(even, { i, j, amountIn }), out, `${i} ${amountIn}`)
  }
})
s('each kind takes the gas of its hop, and is looked at as far as it sells', () => {
  const weighted = createBalancerV2WeightedPool({ ...pair, weights: [one / 5n, (4n * one) / 5n] })
  const stable = createBalancerV2StablePool({ ...pair, amp: 200_000n })
  assert.equal([weighted.gas, stable.gas], [110_000, 150_000])
  near(weighted.curve(0, 1)?.x.at(-1), 300e18)
  near(stable.curve(0, 1)?.x.at(-1), 4_000e18)
  assert.ok((stable.curve(0, 1)?.y.at(-1) ?? 0) > 3_850e6)
})
s.run()
