import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { orRefused } from './checkedUint.ts'
import { stableInvariant, stableOne, toStableAmount } from './stablePairInvariant.ts'
import { stablePairPrice } from './stablePairPrice.ts'
import { ampPrecision, converge, nextInvariant, stableBalance } from './stableSwapBalance.ts'

const s = suite('maths of stable pools')
const e18 = 10n ** 18n
const refused = (compute: () => unknown) => orRefused(compute) === undefined

s('keeps x3y + y3x, each product cut to 18 decimals [teeth/stable-maths]', () => {
  assert.is(stableInvariant(2n * e18, 3n * e18), 78n * e18)
  assert.is(stableInvariant(3n * e18, 2n * e18), 78n * e18)
  // A product of less than a wei is nothing, whatever the squares.
  assert.equal([stableInvariant(1n, e18 - 1n), stableInvariant(0n, 5n * e18)], [0n, 0n])
  const [x, y] = [e18 + 1n, 2n * e18 + 1n]
  const cut = ((x * y) / e18) * ((x * x) / e18 + (y * y) / e18)
  assert.is(stableInvariant(x, y), cut / e18)
  assert.ok(refused(() => stableInvariant(1n << 128n, 1n << 128n)))
})
s('has 18 decimals of amounts of any, rounded down [teeth/stable-maths]', () => {
  assert.is(stableOne, e18)
  assert.equal([toStableAmount(5n, 10n ** 6n), toStableAmount(5n, e18)], [5n * 10n ** 12n, 5n])
  assert.equal([toStableAmount(1_999n, 10n ** 21n), toStableAmount(999n, 10n ** 21n)], [1n, 0n])
  assert.ok(refused(() => toStableAmount(1n << 255n, e18)))
})
s(
  'has a price of one where a stable pair is balanced, whatever its decimals [teeth/stable-maths]',
  () => {
    const pair = {
      stable: true,
      reserve0: 7n * 10n ** 6n,
      reserve1: 7n * e18,
      unit0: 10n ** 6n,
      unit1: e18,
    }
    near(stablePairPrice(pair, 0), 1e12)
    near(stablePairPrice(pair, 1), 1e-12)
    // x = 1, y = 2: (3 * 2 + 8) / (1 + 3 * 4).
    const uneven = { ...pair, reserve0: 10n ** 6n, reserve1: 2n * e18 }
    near(stablePairPrice(uneven, 0), (14 / 13) * 1e12)
    near(stablePairPrice(uneven, 1), (13 / 14) * 1e-12)
    // Without the invariant it is the reserves' own.
    near(stablePairPrice({ ...uneven, stable: false }, 0), 2e12)
    near(stablePairPrice({ ...uneven, stable: false }, 1), 0.5e-12)
  },
)
s('finds a balance of a few units to the unit', () => {
  const pool = { i: 0, j: 1, xp: [1_007n, 1_063n], aPrecise: 107n }
  for (const [invariant, x, y] of [
    [2_060n, 1_008n, 1_052n],
    [2_068n, 1_100n, 969n],
  ] as const)
    assert.is(stableBalance({ ...pool, x, invariant }), y)
})
s('counts amplification in hundredths', () => {
  assert.is(ampPrecision, 100n)
})
s('ends where a step moves by one, or never [teeth/stable-maths]', () => {
  assert.is(
    converge(10n, (value) => value),
    10n,
  )
  assert.is(
    converge(100n, (value) => (value > 7n ? value - 2n : value - 1n)),
    5n,
  )
  assert.is(
    converge(0n, (value) => (value < 100n ? value + 2n : value + 1n)),
    101n,
  )
  let rounds = 0
  const never = (value: bigint) => {
    rounds += 1
    return value + 2n
  }
  assert.throws(() => converge(0n, never), /no convergence/)
  assert.is(rounds, 255)
  assert.ok(refused(() => converge(1n, (value) => value - 3n)))
})

/** D of Curve's equation A n**n S + D = A D n**n + D**(n+1) / (n**n P), by halving. */
function solveInvariant(amp: number, balances: readonly number[]): number {
  const n = balances.length
  const sum = balances.reduce((total, x) => total + x)
  const f = (d: number) =>
    amp * n * (sum - d) + d - balances.reduce((product, x) => (product * d) / (x * n), d)
  let [low, high] = [0, sum]
  for (let round = 0; round < 200; round += 1) {
    const middle = (low + high) / 2
    if (f(middle) > 0) low = middle
    else high = middle
  }
  return low
}

s('finds the invariant and the balance that keep the equation [teeth/stable-maths]', () => {
  for (const [amp, ...balances] of [
    [100, 1_000, 1_000],
    [100, 1_000, 9_000],
    [10, 500, 2_000, 3_500],
    [2_000, 1, 1_000, 20, 90],
  ] as const) {
    const n = BigInt(balances.length)
    const xp = balances.map((balance) => BigInt(balance) * e18)
    const aPrecise = BigInt(amp) * ampPrecision
    const sum = xp.reduce((total, x) => total + x)
    const invariant = converge(sum, (value) =>
      nextInvariant(value, {
        sum,
        product: xp.reduce((product, x) => (product * value) / (x * n), value),
        ann: aPrecise * n,
        count: n,
        precision: ampPrecision,
      }),
    )
    near(Number(invariant) / 1e18, solveInvariant(amp, balances), 1e-9)
    // The second balance is what it is, and after more of the first the invariant is the same.
    const trade = { i: 0, j: 1, xp, aPrecise, invariant }
    const same = stableBalance({ ...trade, x: xp[0] ?? 0n })
    const own = xp[1] ?? 0n
    assert.ok(same - own < 1_000n && own - same < 1_000n, `${same}, not ${own}`)
    const x = (xp[0] ?? 0n) + 100n * e18
    const left = Number(stableBalance({ ...trade, x })) / 1e18
    const after = [Number(x) / 1e18, left, ...balances.slice(2)]
    near(solveInvariant(amp, after), Number(invariant) / 1e18, 1e-9)
  }
})
s.run()
