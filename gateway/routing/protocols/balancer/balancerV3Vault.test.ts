import { assert, suite } from '../../../../fixtures/test.ts'
import { orRefused } from '../maths/checkedUint.ts'
import {
  type BalancerV3VaultState,
  divUpRaw,
  type PoolTrade,
  swapThroughVault,
} from './balancerV3Vault.ts'

const s = suite('the third vault')
const one = 10n ** 18n
const million = 10n ** 6n
/** Tokens of 6 and of 18 decimals, the second worth one and a quarter. */
const state: BalancerV3VaultState = {
  id: 'p',
  tokens: ['a', 'b', 'c'],
  balancesRaw: [1_000n * million, 800n * one, 0n],
  scalingFactors: [10n ** 12n, 1n, 1n],
  rates: [one, (5n * one) / 4n, one],
  lastBalancesLiveScaled18: [1_000n * one, 1_000n * one, 0n],
  paysYieldFees: [false, false, false],
  swapFeePercentage: one / 400n,
  aggregateSwapFeePercentage: one / 2n,
  aggregateYieldFeePercentage: one / 10n,
}
const trade = { i: 0, j: 1, amountIn: 400n }
/** What a pool is asked, and what comes of its answer. */
function ask(paid: bigint, own: Partial<BalancerV3VaultState> = {}, swap = trade) {
  const asked: PoolTrade[] = []
  const outcome = orRefused(() =>
    swapThroughVault({ ...state, ...own }, swap, (poolTrade) => {
      asked.push(poolTrade)
      return paid
    }),
  )
  return { asked, outcome }
}

s('tells a pool live balances, and what is given without the fee', () => {
  assert.equal(ask(one).asked, [
    { i: 0, j: 1, balances: [1_000n * one, 1_000n * one, 0n], amountIn: 399n * 10n ** 12n },
  ])
  // Of an amount whose fee is no whole the fee is rounded up: 1,250,001 less 3,126.
  const odd = ask(one, {}, { i: 1, j: 0, amountIn: million + 1n })
  assert.is(odd.asked[0]?.amountIn, 1_246_875n)
})
s('pays by a rate a wei up unless it is whole, rounded down', () => {
  const rate = (5n * one) / 4n
  const out = (paid: bigint, own: Partial<BalancerV3VaultState> = {}) =>
    ask(paid, own).outcome?.amountOut
  assert.is(out(rate), one - 1n)
  assert.is(out(100n * one), (100n * one * one) / (rate + 1n))
  const whole = { rates: [one, 2n * one, one] }
  assert.equal([out(2n * one, whole), out(2n * one + 3n, whole)], [one, one + 1n])
  const raw = ask(million * million, {}, { i: 1, j: 0, amountIn: one })
  assert.is(raw.outcome?.amountOut, 1n, 'and by the decimals')
})
s('keeps half of the fee apart, in whole units of the token', () => {
  // A fee of a million units of 400 million: half is the protocol's.
  const { outcome } = ask(one, {}, { ...trade, amountIn: 400n * million })
  const out = outcome?.amountOut ?? 0n
  assert.equal(outcome?.balancesRaw, [1_400n * million - 500_000n, 800n * one - out, 0n])
  assert.equal(outcome?.lastBalancesLiveScaled18, [
    1_400n * one - one / 2n,
    ((800n * one - out) * 5n) / 4n,
    0n,
  ])
  const small = ask(one, {}, { ...trade, amountIn: 1_200n }).outcome?.balancesRaw[0]
  assert.is(small, 1_000n * million + 1_199n, 'of three units one')
  const rated = ask(one, {}, { i: 1, j: 0, amountIn: 80n * one })
  // A quarter of a percent of 80, half of it.
  assert.is(rated.outcome?.balancesRaw[1], 880n * one - one / 10n)
})
s('refuses less than a million of 18 decimals, given or paid', () => {
  const given = (amountIn: bigint) =>
    ask(one, { swapFeePercentage: 0n }, { i: 1, j: 0, amountIn }).outcome !== undefined
  assert.equal([given(800_000n), given(799_999n)], [true, false])
  assert.equal([ask(million).outcome !== undefined, ask(million - 1n).outcome], [true, undefined])
  assert.is(ask(-million).outcome, undefined)
  for (const swap of [
    { ...trade, amountIn: 0n },
    { ...trade, amountIn: -5n },
    { ...trade, j: 0 },
  ]) {
    const { asked, outcome } = ask(one, {}, swap)
    assert.equal([asked, outcome], [[], undefined])
  }
  assert.ok(ask(one, {}, { ...trade, amountIn: 1n }).outcome)
})
s('takes the yield fee of what rose off a balance, rounded up, before a swap', () => {
  const paysYieldFees = [false, true, false]
  const balanceAfter = (last: bigint, own: Partial<BalancerV3VaultState> = {}) =>
    ask(one, { paysYieldFees, lastBalancesLiveScaled18: [1_000n * one, last, 0n], ...own }).asked[0]
      ?.balances[1]
  // A hundred have risen: ten are due, eight of the token.
  assert.is(balanceAfter(900n * one), 990n * one)
  assert.is(balanceAfter(1_000n * one), 1_000n * one)
  assert.is(balanceAfter(1_001n * one), 1_000n * one, 'what fell pays nothing')
  assert.is(balanceAfter(900n * one, { paysYieldFees: [true, false, false] }), 1_000n * one)
  // Of a wei that rose a wei is due.
  const plain = { rates: [one, one, one] }
  assert.is(balanceAfter(800n * one - 1n, plain), 800n * one - 1n)
  assert.is(balanceAfter(800n * one - 10n, plain), 800n * one - 1n)
  assert.is(balanceAfter(800n * one - 11n, plain), 800n * one - 2n)
})
s('keeps balances of 128 bits, in tokens and alive, and leaves none below nothing', () => {
  const most = (1n << 128n) - 1n
  const free = { swapFeePercentage: 0n, scalingFactors: [1n, 1n, 1n], rates: [one, one, one] }
  const full = (balance: bigint, own: Partial<BalancerV3VaultState> = {}) =>
    ask(
      million,
      { ...free, ...own, balancesRaw: [balance, 800n * one, 0n] },
      { ...trade, amountIn: million },
    ).outcome !== undefined
  assert.equal([full(most - million), full(most - million + 1n)], [true, false])
  // Alive a quarter more: that is the first to be too much.
  const rates = [(5n * one) / 4n, one, one]
  const fits = ((most + 1n) * 4n - 1n) / 5n
  assert.equal(
    [full(fits - million, { rates }), full(fits - million + 1n, { rates })],
    [true, false],
  )
  const drained = (paid: bigint) => ask(paid, free, { ...trade, amountIn: million }).outcome
  assert.is(drained(800n * one)?.balancesRaw[1], 0n)
  assert.is(drained(800n * one + 1n), undefined)
})
s('divides by nothing as the pools do: not at all', () => {
  assert.equal([divUpRaw(7n, 2n), divUpRaw(8n, 2n), divUpRaw(0n, 2n)], [4n, 4n, 0n])
  assert.throws(() => divUpRaw(0n, 0n), /zero division/)
})
s.run()
