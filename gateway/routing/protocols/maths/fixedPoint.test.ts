import { assert, suite } from '../../../../fixtures/test.ts'
import { at, divUp, orRefused, replaceAt, uint } from './checkedUint.ts'
import { complement, divDown, mulDown, mulUp, one18 } from './fixedPoint18.ts'
import { powUp, powUpPlain } from './logExpMath.ts'

const s = suite('fixed point maths')
const end = 1n << 256n
const refused = (compute: () => unknown) => orRefused(compute) === undefined

s('bears what 256 bits bear [teeth/fixed-point]', () => {
  assert.equal([uint(0n), uint(end - 1n)], [0n, end - 1n])
  assert.ok(refused(() => uint(-1n)) && refused(() => uint(end)))
  assert.throws(() => uint(-1n), /outside of 256 bits/)
  assert.equal([at([5n, 6n], 0), at([5n, 6n], 1)], [5n, 6n])
  assert.throws(() => at([5n], 1), /unknown index/)
  assert.throws(() => at([5n], -1), /unknown index/)
})
s(
  'is a revert where a contract reverts, and a fault where the code has one [teeth/fixed-point]',
  () => {
    assert.is(
      orRefused(() => 7n),
      7n,
    )
    assert.is(
      orRefused(() => 7n / 0n),
      undefined,
    )
    assert.throws(
      () =>
        orRefused(() => {
          throw new TypeError('ours')
        }),
      /ours/,
    )
  },
)
s('rounds up to the next whole, and no further [teeth/fixed-point]', () => {
  assert.equal([divUp(0n, 3n), divUp(1n, 3n), divUp(3n, 3n), divUp(4n, 3n)], [0n, 1n, 1n, 2n])
  assert.ok(refused(() => divUp(end, 1n)) && refused(() => divUp(1n, 0n)))
  assert.is(divUp(end - 1n, 1n), end - 1n)
})
s('puts values in the place of others [teeth/fixed-point]', () => {
  const values = [1n, 2n, 3n]
  assert.equal(replaceAt(values, { 0: 9n, 2: 0n }), [9n, 2n, 0n])
  assert.equal(values, [1n, 2n, 3n])
})
s('multiplies and divides by 18 decimals, each way rounded as it says [teeth/fixed-point]', () => {
  const third = one18 / 3n
  assert.equal([mulDown(10n, third), mulUp(10n, third)], [3n, 4n])
  assert.equal([mulDown(10n, one18), mulUp(10n, one18)], [10n, 10n])
  assert.equal([mulDown(0n, third), mulUp(0n, third)], [0n, 0n])
  assert.equal([divDown(1n, 3n), divDown(3n, 3n), divDown(2n, 3n)], [third, one18, 2n * third])
  assert.ok(refused(() => mulDown(end / 2n, 2n)) && refused(() => mulUp(end / 2n, 2n)))
  assert.ok(refused(() => divDown(end / one18 + 1n, 1n)))
  assert.is(divDown(end / one18, 1n), (end / one18) * one18)
  assert.equal(
    [complement(0n), complement(one18 - 1n), complement(one18), complement(2n * one18)],
    [one18, 1n, 0n, 0n],
  )
})

/** By float64, which knows some 15 digits. */
const isNear = (value: bigint, expected: number, part: number) =>
  Math.abs(Number(value) / 1e18 / expected - 1) <= part
const fixed = (value: number) => BigInt(Math.round(value * 1e9)) * 10n ** 9n

s('raises to powers as the logarithm does, never below it [teeth/powers]', () => {
  for (const base of [
    1e-6, 0.003, 0.2, 0.7, 0.899999, 0.9, 0.95, 0.999999, 1.000001, 1.05, 1.1, 1.2, 7.5, 5_000,
  ])
    for (const exponent of [0.01, 0.25, 0.5, 1.5, 3, 4.000001]) {
      const expected = base ** exponent
      if (expected < 1e-12 || expected > 1e15) continue
      const power = powUpPlain(fixed(base), fixed(exponent))
      assert.ok(
        isNear(power, expected, 5e-14 + 4e-18 / expected),
        `${base} ** ${exponent}: ${power}`,
      )
      assert.ok(
        Number(power) / 1e18 >= expected * (1 - 2e-15) - 2e-18,
        `${base} ** ${exponent}: ${power}`,
      )
    }
})
s('has the margin of 1e-14 that the contract adds, and one wei [teeth/powers]', () => {
  assert.is(powUpPlain(5n * one18, 0n), one18 + 10_000n + 1n)
  assert.is(powUpPlain(0n, one18), 1n)
  assert.is(powUpPlain(0n, 0n), one18 + 10_000n + 1n)
  // A logarithm of 36 digits: one to any power is one.
  assert.is(powUpPlain(one18, 7n * one18), one18 + 10_000n + 1n)
})
s('is exact to the powers of one, two and four, where the contract is [teeth/powers]', () => {
  const [three, half] = [3n * one18, one18 / 2n + 1n]
  assert.equal([powUp(three, one18), powUp(half, one18)], [three, half])
  assert.equal([powUp(three, 2n * one18), powUp(three, 4n * one18)], [9n * one18, 81n * one18])
  // Half and a wei, squared: a quarter, a wei, and what is rounded up.
  assert.is(powUp(half, 2n * one18), one18 / 4n + 2n)
  const squared = one18 / 4n + 2n
  assert.is(powUp(half, 4n * one18), (squared * squared + one18 - 1n) / one18)
  assert.is(powUp(three, 3n * one18), powUpPlain(three, 3n * one18))
  assert.ok(powUp(three, 3n * one18) > 27n * one18)
})
s('refuses powers beyond what the contract bears [teeth/powers]', () => {
  assert.ok(refused(() => powUpPlain(1n << 255n, one18)))
  assert.ok(!refused(() => powUpPlain(2n * one18, 100n * one18)))
  assert.ok(refused(() => powUpPlain(2n * one18, 2n ** 254n / 10n ** 20n)))
  // Ten thousand times the power has to fit in 256 bits: that is its margin.
  assert.ok(!refused(() => powUpPlain(2n * one18, 182n * one18)))
  assert.ok(refused(() => powUpPlain(2n * one18, 183n * one18)))
  // e ** -41 is the least: 2 ** -59 above it, 2 ** -60 below.
  assert.ok(!refused(() => powUpPlain(one18 / 2n, 59n * one18)))
  assert.ok(refused(() => powUpPlain(one18 / 2n, 60n * one18)))
})
s.run()
