import { assert, suite } from '../../../../fixtures/test.ts'
import { createCurvePlainPool } from '../curve/curvePlain.ts'
import { createCurveStableNgPool } from '../curve/curveStableNg.ts'
import { createAerodromeV2Pool } from '../pair/aerodromeV2.ts'
import { curveOutput } from './curve.ts'
import type { EnginePool } from './enginePool.ts'
import { fitCurve } from './fittedCurve.ts'

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

s.run()
