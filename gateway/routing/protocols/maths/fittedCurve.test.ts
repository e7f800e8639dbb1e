import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { createCurvePlainPool } from '../curve/curvePlain.ts'
import { createCurveStableNgPool } from '../curve/curveStableNg.ts'
import { createAerodromeV2Pool } from '../pair/aerodromeV2.ts'
import { curveOutput } from './curve.ts'
import type { EnginePool } from './enginePool.ts'
import { curveThrough, fitCurve } from './fittedCurve.ts'

const s = suite('fitted curves')
const million = 10n ** 24n
const rates = [10n ** 18n, 10n ** 18n]
const base = { id: 'pool', tokens: ['a', 'b'], rates, fee: 4_000_000n, adminFee: 5_000_000_000n }

/** Stable pools that hold `held` of what is sold and five million of what is bought. */
const imbalanced = (held: bigint): Readonly<Record<string, EnginePool>> => {
  const balances = [held, 5n * million]
  return {
    plain: createCurvePlainPool({ ...base, balances, aPrecise: 20_000n }),
    ng: createCurveStableNgPool({
      ...base,
      balances,
      aPrecise: 20_000n,
      offpegFeeMultiplier: 20_000_000_000n,
    }),
    aerodrome: createAerodromeV2Pool({
      id: 'pool',
      token0: 'a',
      token1: 'b',
      stable: true,
      reserve0: held,
      reserve1: 5n * million,
      unit0: 10n ** 18n,
      unit1: 10n ** 18n,
      feeBps: 5n,
    }),
  }
}

s('a pool is as deep as what it has to sell, however little it holds else [20/depth]', () => {
  for (const held of [million, million / 10n, million / 1_000n])
    for (const [name, pool] of Object.entries(imbalanced(held))) {
      const label = `${name} holding ${held}`
      const curve = pool.curve(0, 1)
      assert.ok(curve, label)
      const sold = (curve?.y[curve.count] ?? 0) / Number(5n * million)
      assert.ok(sold > 0.95, `${label}: ${sold} of it`)
      for (const amountIn of [million / 1_000n, million, 4n * million, (9n * million) / 2n]) {
        const swap = pool.swap(0, 1, amountIn)
        const error = curveOutput(curve, Number(amountIn)) / Number(swap?.amountOut) - 1
        assert.ok(Math.abs(error) < 5e-3, `${label}, ${amountIn}: ${error}`)
      }
    }
})

s('where nothing is sold there is no curve, and few questions', () => {
  let asked = 0
  const refuse = () => {
    asked += 1
    return undefined
  }
  assert.is(fitCurve({ most: 1_000n, amountOut: refuse }), undefined)
  assert.ok(asked < 64, `${asked} asked`)
  assert.is(fitCurve({ most: 0n, amountOut: (amountIn) => amountIn }), undefined)
})

s('no output that is rounded drags the rest of a curve down [20/rounded]', () => {
  for (const whole of [90n, 300n, 1_000n, 7_000n]) {
    const pool = createCurvePlainPool({
      ...base,
      rates: [10n ** 18n, 10n ** 30n],
      balances: [whole * 10n ** 18n, whole * 10n ** 6n],
      aPrecise: 20_000n,
    })
    const curve = pool.curve(0, 1)
    assert.ok(curve)
    for (let power = 12; power < 48; power++) {
      const amountIn = BigInt(Math.ceil(Number(whole * 10n ** 18n) * 10 ** (-power / 12)))
      const output = pool.swap(0, 1, amountIn)?.amountOut ?? 0n
      const error = curve ? curveOutput(curve, Number(amountIn)) - Number(output) : 0
      const allowed = 1.5 + 5e-6 * Number(output)
      assert.ok(Math.abs(error) < allowed, `${whole}, ${amountIn}: ${error} of ${output}`)
    }
  }
})

const unit = 1_000_000n
type Slope = readonly [fromUnits: bigint, thousandths: bigint]
/** Pays so many thousandths for each of an input's parts, the k-th part from so many units on. */
const paying =
  (...slopes: readonly Slope[]) =>
  (amount: bigint): bigint =>
    slopes.reduce((sum, [from, thousandths], k) => {
      const end = (slopes[k + 1]?.[0] ?? amount) * (slopes[k + 1] ? unit : 1n)
      const part = (amount < end ? amount : end) - from * unit
      return part > 0n ? sum + (part * thousandths) / 1_000n : sum
    }, 0n)
const upTo =
  (most: bigint, pay: (amount: bigint) => bigint) =>
  (amount: bigint): bigint | undefined =>
    amount > most ? undefined : pay(amount)
/** Where a curve ends that is asked for up to a unit, in units. */
const endOf = (amountOut: (amount: bigint) => bigint | undefined) =>
  (fitCurve({ most: unit, amountOut })?.x.at(-1) ?? 0) / Number(unit)

s('is looked at from a millionth on, and from a 4096th on in quarters of an octave', () => {
  const [most, reserveIn, reserveOut] = [1n << 60n, 1n << 58n, 1n << 80n]
  const asked = new Set<bigint>()
  const curve = fitCurve({
    most,
    amountOut(amountIn) {
      asked.add(amountIn)
      return (amountIn * reserveOut) / (reserveIn + amountIn)
    },
  })
  const powers = [40, 42, 44, 46, ...Array.from({ length: 49 }, (_, k) => 48 + k / 4)]
  assert.is(curve?.count, powers.length)
  for (const [k, power] of powers.entries()) near(curve?.x[k + 1], 2 ** power, 1e-6)
  const beyond = [...asked].filter((amount) => amount > most).map((amount) => amount / most)
  assert.equal(
    beyond.sort((one, other) => Number(one - other)),
    [2n, 4n, 8n, 16n, 256n, 1n << 40n],
  )
  // Four fifths are bought by it, and the fifth that is left by more: a quarter above its end.
  near(curve?.over?.at(-1), 0.25 + 0.02, 1e-6)
})
s('takes no output below a thousand for a price, and asks about nothing', () => {
  const flat = (least: bigint) =>
    fitCurve({ most: 1n << 32n, amountOut: (amount) => (amount < 1n << 16n ? least : 1_000n) })
  assert.equal([...(flat(999n)?.x ?? [])], [0, 2 ** 16])
  assert.equal([...(flat(1_000n)?.x ?? [])], [0, 2 ** 12])
  const asked: bigint[] = []
  fitCurve({ most: 1_000n, amountOut: (amount) => void asked.push(amount) })
  assert.equal([asked.includes(0n), asked.includes(1n)], [false, true])
})
s('looks beyond where twice the input buys more than an eighth more', () => {
  const pay = paying([0n, 8_000n], [1n, 1_000n], [64n, 0n])
  assert.is(endOf(pay), 1)
  assert.is(
    endOf((amount) => pay(amount) + (amount > unit ? 1n : 0n)),
    64,
  )
})
s('looks no further where sixteen times as much buys no more than a fiftieth more', () => {
  const pay = paying([0n, 8_000n], [1n, 2_000n], [2n, 100n], [4n, 0n])
  assert.is(endOf(pay), 2)
  assert.is(
    endOf((amount) => pay(amount) + (amount >= 32n * unit ? 1n : 0n)),
    4,
  )
})
s('asks for twice as much where sixteen times is refused, and ends where that is', () => {
  const slow = paying([0n, 8_000n], [1n, 2_000n], [2n, 50n])
  assert.equal(
    [31n, 33n].map((most) => endOf(upTo(most * unit, slow))),
    [2, 4],
  )
  const even = (amount: bigint) => amount
  assert.is(endOf(upTo(10n * unit, even)), 8)
  assert.is(endOf(upTo((3n * unit) / 2n, even)), 1)
  assert.is(endOf(upTo(unit / 2n, even)), 0.5)
  // Nothing ends there: it is asked for 64 doublings.
  near(endOf(even), 2 ** 64)
})

s('counts what twice its end buys, where more buys less, and nothing where more is refused', () => {
  const peak = (amount: bigint) => (amount === 2n * unit ? (11n * unit) / 10n : unit)
  const overEnd = (beyond: (amount: bigint) => bigint | undefined) => {
    const amountOut = (amount: bigint) => (amount <= unit ? amount : beyond(amount))
    return fitCurve({ most: unit, amountOut })?.over?.at(-1)
  }
  near(overEnd(peak), 0.1 + 0.02)
  near(
    overEnd(() => undefined),
    0.02,
  )
})

const through = (...points: readonly (readonly [number, number])[]) =>
  curveThrough(points.map(([x, y]) => ({ x, y })))

s('passes through its points, as steep at each as its neighbours let it be', () => {
  const bent = through([1, 64], [2, 80], [6, 105], [7, 106])
  assert.equal([...(bent?.x ?? [])], [0, 1, 2, 6, 7])
  for (const [k, y] of [0, 64, 80, 105, 106].entries()) near(bent?.y[k], y, 1e-7)
  // Slopes of 64, 16, 6.25 and 1: twice the geometric mean, then what the piece before ends with.
  for (const [k, a] of [64, 32, 8, 1].entries()) near(bent?.a[k], a, 1e-7)
  near(bent?.b[1], 1)
  near(bent?.b[2], 0.07)
  // Of 16, 4 and 3: no steeper than lets it end with the slope of the next.
  const lowered = through([1, 16], [2, 20], [3, 23])
  for (const [k, a] of [16, 16 / 3, 3].entries()) near(lowered?.a[k], a, 1e-7)
  near(lowered?.b[1], 1 / 3)
})
s('passes over points below others, and what is no more', () => {
  const xOf = (...points: readonly (readonly [number, number])[]) => [
    ...(through(...points)?.x ?? []),
  ]
  assert.equal(xOf([100, 50], [100, 60], [200, 80]), [0, 100, 200])
  assert.equal(xOf([100, 10], [200, 50]), [0, 200])
  assert.equal(xOf([100, 100], [200, 110], [300, 180]), [0, 100, 300])
  assert.equal(xOf([100, 100], [200, 150], [300, 190], [400, 390]), [0, 100, 400])
  assert.equal(xOf([100, 100], [200, 200]), [0, 200])
  near(through([100, 50], [100, 60], [200, 80])?.y[1], 50)
  for (const last of [
    [150, 50],
    [150, 40],
  ] as const) {
    const curve = through([100, 50], last)
    assert.equal([...(curve?.x ?? []), ...(curve?.over ?? [])], [0, 100, 1, 0.02])
  }
})
s('may lie below a pool by as much as half its points are wrong about the others', () => {
  assert.equal([...(through([100, 50])?.over ?? [])], [1, 0.02])
  // A line to the second point is a quarter below the first.
  const two = [
    { x: 100, y: 100 },
    { x: 200, y: 150 },
  ]
  for (const [k, over] of [0.25, 0.25, 0.02].entries())
    near(curveThrough(two)?.over?.[k], over, 1e-6)
  // What is paid beyond the last point counts for the pieces before it too.
  for (const k of [0, 1, 2]) near(curveThrough(two, () => 300)?.over?.[k], 1.02, 1e-6)
})
s('is as wrong between two points as curves without one of them are at those around', () => {
  const gentle = [
    [1, 10],
    [2, 19],
    [4, 34],
    [8, 58],
    [16, 80],
    [32, 95],
    [64, 99],
    [128, 102],
    [256, 104.5],
  ]
  const steep = [
    [1, 10],
    [2, 15],
    [3, 17],
    [4, 17.5],
  ]
  for (const list of [gentle, steep]) {
    const points = list.map(([x = 0, y = 0]) => ({ x, y }))
    const left = points.slice(0, -1).map(({ x, y }, k) => {
      const others = points.filter((_, m) => m === points.length - 1 || (m - k) % 2 !== 0)
      const curve = curveThrough(others)
      return Math.abs((curve ? curveOutput(curve, x) : 0) / y - 1)
    })
    const errors = [0, ...left, 0.02]
    const { over } = curveThrough(points) ?? {}
    assert.is(over?.length, points.length + 1)
    for (const k of points.keys())
      near(over?.[k], Math.max(...errors.slice(Math.max(0, k - 1), k + 3)), 1e-12)
    near(over?.at(-1), 0.02)
  }
})

s.run()
