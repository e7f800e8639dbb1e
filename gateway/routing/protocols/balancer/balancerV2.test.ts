import { assert, suite } from '../../../../fixtures/test.ts'
import { balancerV2StableAmountOut, createBalancerV2StablePool } from './balancerV2Stable.ts'
import { balancerV2WeightedAmountOut, createBalancerV2WeightedPool } from './balancerV2Weighted.ts'
import { computeInvariant } from './balancerV3Stable.ts'

const s = suite('balancerV2')
const one = 10n ** 18n
const base = {
  id: 'p',
  tokens: ['a', 'b'],
  balances: [1_000n * one, 4_000n * 10n ** 6n],
  cash: [1_000n * one, 4_000n * 10n ** 6n],
  scalingFactors: [one, 10n ** 12n * one],
  swapFeePercentage: one / 1_000n,
  isPaused: false,
}
const weighted = { ...base, weights: [one / 5n, (4n * one) / 5n] }
const stable = { ...base, amp: 200_000n }
const all = [createBalancerV2WeightedPool(weighted), createBalancerV2StablePool(stable)]

s('refuses nothing, dust that pays nothing, and what overflows', () => {
  for (const pool of all)
    for (const amountIn of [0n, -1n, 1n, 1n << 112n, 1n << 255n, 1n << 300n])
      assert.is(pool.swap(0, 1, amountIn), undefined, `${amountIn}`)
})
s('refuses more than 30 % of a weighted balance, to the wei', () => {
  const most = (300n * one * 1_000n) / 999n
  const trade = { i: 0, j: 1, amountIn: most }
  assert.ok((balancerV2WeightedAmountOut(weighted, trade) ?? 0n) > 0n)
  assert.is(balancerV2WeightedAmountOut(weighted, { ...trade, amountIn: most + 2_000n }), undefined)
  const free = { ...weighted, swapFeePercentage: 0n }
  const outputOf = (amountIn: bigint) =>
    balancerV2WeightedAmountOut(free, { ...trade, amountIn }) !== undefined
  assert.equal([300n * one, 300n * one + 1n].map(outputOf), [true, false])
})
s('gives a power of the first version its error margin, whatever the exponent', () => {
  const even = { ...weighted, weights: [one / 2n, one / 2n] }
  const trade = { i: 1, j: 0, amountIn: 10n ** 6n }
  const whole = balancerV2WeightedAmountOut(even, trade) ?? 0n
  const plain = balancerV2WeightedAmountOut({ ...even, hasPlainPowers: true }, trade) ?? 0n
  const margin = (1_000n * one) / 10n ** 14n
  assert.ok(plain < whole && whole - plain < 2n * margin, `${plain} ${whole}`)
})
s('refuses everything while paused, empty or drained', () => {
  const drained = { balances: [1_000n * one, 0n], cash: [1_000n * one, 0n] }
  const none = { balances: [0n, 0n], cash: [0n, 0n] }
  for (const change of [{ isPaused: true }, drained, none]) {
    assert.is(createBalancerV2WeightedPool({ ...weighted, ...change }).swap(0, 1, one), undefined)
    assert.is(createBalancerV2StablePool({ ...stable, ...change }).swap(0, 1, one), undefined)
    assert.is(createBalancerV2StablePool({ ...stable, ...change }).curve(0, 1)?.count ?? 0, 0)
  }
})
s('pays no more than the vault itself holds', () => {
  const cash = [1_000n * one, 10n ** 6n]
  assert.is(
    balancerV2StableAmountOut({ ...stable, cash }, { i: 0, j: 1, amountIn: one }),
    undefined,
  )
})
s('gives more for less after a swap the other way', () => {
  for (const pool of all) {
    const there = pool.swap(0, 1, one)
    const back = there?.next.swap(1, 0, there.amountOut)
    assert.ok(there && back && back.amountOut < one && back.amountOut > (one * 99n) / 100n)
  }
})
s('rounds the second stable maths up at each step, to the last unit', () => {
  for (const [balances, amp, amountIn, amountOut] of [
    [[4_429n, 454_138n], 17_672n, 32n, 163n],
    [[1_007n, 1_063n], 1_013n, 112n, 55n],
  ] as const) {
    const scalingFactors = [one, one]
    const small = {
      ...stable,
      balances,
      cash: balances,
      scalingFactors,
      swapFeePercentage: 0n,
      amp,
    }
    assert.is(balancerV2StableAmountOut(small, { i: 0, j: 1, amountIn }), amountOut)
  }
})
s('leaves the balance that the second stable maths asks for, its quotients cut early', () => {
  const balances = [1_000n * one + 1n, 3_000n * one + 7n, 500n * one + 3n]
  const amp = 200_003n
  const three = {
    ...stable,
    tokens: ['a', 'b', 'c'],
    balances,
    cash: balances,
    scalingFactors: [one, one, one],
    swapFeePercentage: 0n,
    amp,
  }
  const invariant = computeInvariant(amp, balances)
  for (const [i, j, amountIn] of [
    [0, 1, 77n * one + 5n],
    [1, 2, 1_234n * one],
    [2, 0, 3n * one + 1n],
  ] as const) {
    const grown = balances.map((balance, k) => (k === i ? balance + amountIn : balance))
    const [first = 0n, second = 0n, third = 0n] = grown
    const product = (((first * 3n * second * 3n) / invariant) * third * 3n) / invariant
    const ann = 3n * amp
    const own = balances[j] ?? 0n
    const quotient = (invariant * invariant + ann * product - 1n) / (ann * product)
    const c = quotient * 1_000n * own
    const b = first + second + third - own + (invariant / ann) * 1_000n
    const missing = (y: bigint) => y * y + b * y - invariant * y - c
    const left = own - (balancerV2StableAmountOut(three, { i, j, amountIn }) ?? 0n) - 1n
    assert.ok(missing(left) >= 0n && missing(left - 2n) < 0n, `${i} ${j}`)
  }
})
s.run()
