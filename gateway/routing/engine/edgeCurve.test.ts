import { assert, suite } from '../../../fixtures/test.ts'
import { type CurvePiece, curveOutput, joinCurve } from '../protocols/maths/curve.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import {
  type EdgePoint,
  edgeOutput,
  marginalRate,
  mostProfit,
  pointAtPrice,
  pointOnCurve,
} from './edgeCurve.ts'
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

s('end a piece where the next begins, at the last price that it has', () => {
  // At a half the first piece has just been sold, and at 2 nothing has.
  const last = { x: 1_000, y: 1_000, slope: 0 }
  assert.equal(pointAt(0.5), last)
  const curve = joinCurve(pieces)
  const point = { x: 7, y: 7, slope: 7 }
  pointOnCurve(curve, 0.5, point)
  assert.equal(point, last)
  for (const [none, price] of [
    [curve, 2],
    [curve, 2.1],
    [undefined, 1],
  ] as const) {
    Object.assign(point, { x: 7, y: 7, slope: 7 })
    pointOnCurve(none, price, point)
    assert.equal(point, { x: 0, y: 0, slope: 0 })
  }
  pointOnCurve(curve, 0.5 ** 1.5, point)
  assert.equal(point, pointAt(0.5 ** 1.5))
})

s('are told apart in a market of many, of whatever size and gas', () => {
  const steps = {
    p: [{ dx: 5_000, a: 3, b: 1e-4 }],
    q: pieces,
    r: [
      { dx: 0.5, a: 2, b: 1 },
      { dx: 0.5, a: 0.4, b: 1 },
    ],
    s: [{ dx: Number.POSITIVE_INFINITY, a: 3, b: 0.01 }],
  }
  const all = Object.entries(steps).map(([id, own]) => ({ id, curve: joinCurve(own), own }))
  const many = createMarket(
    all.map(({ id, own }) => curvePool(id, 'a/d', { pieces: own, gas: 1e4 })),
  )
  for (const [edge, { id, curve }] of all.entries()) {
    for (const amount of [0.3, 0.8, 300, 1_300, 6_000])
      near(edgeOutput(many, edge, amount), curve ? curveOutput(curve, amount) : -1)
    for (const price of [1.9, 1, 0.3]) {
      const [point, expected] = [1, 2].map((x) => ({ x, y: x, slope: x })) as [EdgePoint, EdgePoint]
      pointAtPrice(many, edge, price, point)
      pointOnCurve(curve, price, expected)
      for (const key of ['x', 'y', 'slope'] as const) near(point[key], expected[key])
      assert.ok(id !== 's' || Math.abs(point.x / (100 * (Math.sqrt(3 / price) - 1)) - 1) < 1e-9)
    }
  }
})

s('find the piece of a price or an amount among any number of them', () => {
  for (let count = 1; count <= 9; count += 1) {
    // Each falls by a fifth, and the next begins a tenth below its end.
    const steps = Array.from({ length: count }, (_, k) => {
      const dx = 100 * (k + 1)
      return { dx, a: 3 * 0.72 ** k, b: (1 / Math.sqrt(0.8) - 1) / dx }
    })
    const many = createMarket([curvePool('p', 'a/d', { pieces: steps })])
    let before = 0
    for (const { dx, a, b } of steps) {
      for (const part of [0.01, 0.5, 0.99]) {
        const amount = before + part * dx
        const rate = a / (1 + b * part * dx) ** 2
        near(marginalRate(many, 0, amount), rate)
        const point = { x: 0, y: 0, slope: 0 }
        pointAtPrice(many, 0, rate, point)
        near(point.x, amount)
        near(point.y, edgeOutput(many, 0, amount))
        near(point.slope, (1 + b * part * dx) / (2 * b))
      }
      near(marginalRate(many, 0, before), a)
      before += dx
    }
    near(marginalRate(many, 0, before), 3 * 0.72 ** (count - 1) * 0.8)
  }
})

/** What a pool earns at most at a price for what it sells, where it may lie above its curve by some parts. */
function mostOver(
  over: readonly number[],
  steps: readonly CurvePiece[],
  priceFrom: number,
  priceTo = 1,
): number {
  const curve = joinCurve(steps)
  if (!curve) throw new Error('there is no curve')
  const fitted = { ...curve, over: Float64Array.from(over) }
  const pool = { ...curvePool('p', 'a/d', { pieces: steps }), curve: () => fitted }
  return mostProfit(createMarket([pool]), out, { priceFrom, priceTo })
}
/** Half of the input comes out in the end: rates of 2 to a half. */
const single = [{ dx: 1_000, a: 2, b: 0.001 }]
/** Mean rates of 2, 1 and a half. */
const three = [
  { dx: 1_000, a: 4, b: 0.001 },
  { dx: 1_000, a: 1.5, b: 0.0005 },
  { dx: 1_000, a: 0.75, b: 0.0005 },
]

s('earn what their curve, raised by what it lies too low, earns [teeth/edge-curves]', () => {
  near(mostOver([0, 0], single, 1), (Math.SQRT2 - 1) ** 2 * 1_000)
  near(mostOver([0.1, 0.2], single, 1), (Math.sqrt(2.2) - 1) ** 2 * 1_000)
  near(mostOver([0.1, 0], single, 0.5, 0.5), ((Math.sqrt(2.2) - 1) ** 2 * 1_000) / 2)
  // No further than to the end of the piece: 1.1 of 1,000 for 200.
  near(mostOver([0.1, 0], single, 0.2), 1_100 - 200)
  assert.is(mostOver([0.1, 0.2], single, 5), 0)
  assert.is(mostOver([0.1, 0.2], single, 2.3), 0)
})

s('earn no more than a concave curve through the same points could [teeth/edge-curves]', () => {
  // The first piece lies below the line of the second, back to where nothing is sold.
  near(mostOver([1, 0, 0, 0], three, 1.6), 1_000)
  near(mostOver([9, 0, 0, 0], three, 1.9), 1_000)
  near(mostOver([9, 0], single, 1.5), 1_000)
  // The second lies below where those of the first and third meet, a third of its way.
  near(mostOver([0, 1, 0, 0], three, 1), 2_000 + 2_000 / 3 - 4_000 / 3)
  near(mostOver([0, 1, 0, 0], three, 0.6), 2_000 + 2_000 / 3 - 0.6 * (4_000 / 3))
  // The third below that of the second.
  near(mostOver([0, 0, 1, 0], three, 1, 1.2), 1.2 * 4_000 - 3_000)
  // Whichever allows less: raised by a twentieth it stays below the lines.
  near(mostOver([0, 0.05, 0, 0], three, 1.3), 1.05 * 2_000 - 1.3 * 1_000 + raisedBy(0.05, 1.3))
})
/** What the second of the three earns on its own at a price. */
function raisedBy(over: number, price: number): number {
  return Math.max(0, Math.sqrt(1.5 * (1 + over)) - Math.sqrt(price)) ** 2 / 0.0005
}

s('earn what they may give past their end, where the last of it pays [teeth/edge-curves]', () => {
  near(mostOver([0, 0.2], single, 1, 1.2), 1.2 * 1_200 - 1_000)
  near(mostOver([0, 0, 0, 0.1], three, 1, 3), 3 * 3_850 - 3_000)
  // Below its mean rate the last piece is not gone through to its end.
  const price = 0.51
  const withEnd = mostOver([0, 0, 0, 9], three, price)
  near(withEnd, mostOver([0, 0, 0, 0], three, price))
  assert.ok(mostOver([0, 0, 0, 9], three, 0.49) > 9 * 3_500)
})
s.run()
