import { assert, suite } from '../../../fixtures/test.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { type EdgePoint, edgeOutput, marginalRate, mostProfit, pointAtPrice } from './edgeCurve.ts'
import { createMarket } from './market.ts'

const s = suite('edges of a market')
/** Rates fall from 2 to a half, and behind a bend from 0.4 to 0.4 / 1.5 ** 2, where all is sold. */
const pieces = [
  { dx: 1_000, a: 2, b: 0.001 },
  { dx: 1_000, a: 0.4, b: 0.0005 },
]
const market = createMarket([curvePool('p', 'a/d', { pieces })])
const [out, back] = [0, 1]
const all = 1_000 + 400 / 1.5

function pointAt(price: number, edge = out): EdgePoint {
  const point = { x: 7, y: 7, slope: 7 }
  pointAtPrice(market, edge, price, point)
  return point
}

s('sell along their pieces, and at the end all that there is [teeth/edge-curves]', () => {
  near(edgeOutput(market, out, 500), 1_000 / 1.5)
  near(edgeOutput(market, out, 1_000), 1_000)
  near(edgeOutput(market, out, 1_500), 1_000 + 200 / 1.25)
  for (const amount of [2_000, 2_001, 1e30]) near(edgeOutput(market, out, amount), all)
  assert.equal([edgeOutput(market, out, 0), edgeOutput(market, back, 500)], [0, 0])
})

s('bring one more unit at the rate of where they are [teeth/edge-curves]', () => {
  near(marginalRate(market, out, 0), 2)
  near(marginalRate(market, out, 500), 2 / 1.5 ** 2)
  near(marginalRate(market, out, 1_000), 0.4)
  near(marginalRate(market, out, 1_500), 0.4 / 1.25 ** 2)
  near(marginalRate(market, out, 2_000), 0.4 / 1.5 ** 2)
  assert.is(marginalRate(market, out, 2_000.1), 0, 'past its end')
  assert.is(marginalRate(market, back, 0), 0)
})

s('take as much as a price allows, in either piece [teeth/edge-curves]', () => {
  for (const price of [1.9, 1, 0.6, 0.39, 0.25, 0.2]) {
    const { x, y, slope } = pointAt(price)
    near(marginalRate(market, out, x), price)
    near(edgeOutput(market, out, x), y)
    const step = 1e-6
    const beside = pointAt(price * Math.exp(-step)).x
    near((beside - x) / step, slope, 1e-5)
  }
})

s('stand still at a bend, and at prices that they never had [teeth/edge-curves]', () => {
  for (const price of [0.499, 0.45, 0.401])
    assert.equal(pointAt(price), { x: 1_000, y: 1_000, slope: 0 })
  for (const price of [2, 3]) assert.equal(pointAt(price), { x: 0, y: 0, slope: 0 })
  assert.equal(pointAt(1e-9, back), { x: 0, y: 0, slope: 0 })
})

s('go on past their end by a hundred millionth for each fold of the price', () => {
  const last = 0.4 / 1.5 ** 2
  const { x, y, slope } = pointAt(last / 3)
  near(x - 2_000, 2_000e-8 * 2, 1e-6)
  near(y - all, 2_000e-8 * last * Math.log(3), 1e-6)
  near(slope, 2_000e-8 * 3)
})

s('earn what is greatest of all amounts, and nothing where none pays [teeth/edge-curves]', () => {
  for (const priceFrom of [0.3, 0.8, 1.5, 3.9])
    for (const priceTo of [1, 2]) {
      let best = 0
      for (let amount = 0; amount <= 2_000; amount += 1)
        best = Math.max(best, priceTo * edgeOutput(market, out, amount) - priceFrom * amount)
      const most = mostProfit(market, out, { priceFrom, priceTo })
      assert.ok(most >= best - 1e-9 && most <= best + 2e-3, `${most}, not ${best}`)
    }
  assert.is(mostProfit(market, out, { priceFrom: 2, priceTo: 1 }), 0)
  assert.is(mostProfit(market, back, { priceFrom: 1e-9, priceTo: 1 }), 0)
})
s.run()
