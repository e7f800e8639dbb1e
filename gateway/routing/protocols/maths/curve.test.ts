import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import {
  addPiece,
  beginCurve,
  type Curve,
  curveOutput,
  endCurve,
  greatestRate,
  joinCurve,
} from './curve.ts'

const s = suite('curves')
const join = (...pieces: Parameters<typeof joinCurve>[0]): Curve => {
  const curve = joinCurve(pieces)
  if (!curve) throw new Error('there is no curve')
  return curve
}

s('put pieces end to end, each from where the one before ends [teeth/curves]', () => {
  const { count, x, y, a, b, over } = join(
    { dx: 100, a: 3, b: 0.01 },
    { dx: 50, a: 0.5, b: 0.02 },
    { dx: 200, a: 0.2, b: 0.005 },
  )
  assert.equal([count, over], [3, undefined])
  assert.equal([...x], [0, 100, 150, 350])
  assert.equal(
    [[...a], [...b]],
    [
      [3, 0.5, 0.2],
      [0.01, 0.02, 0.005],
    ],
  )
  for (const [k, output] of [0, 150, 162.5, 182.5].entries()) near(y[k], output || 0)
})

s('give the output of any input, and of their end to whatever is more [teeth/curves]', () => {
  const curve = join(
    { dx: 100, a: 3, b: 0.01 },
    { dx: 50, a: 0.5, b: 0.02 },
    { dx: 200, a: 0.2, b: 0.005 },
  )
  for (const [input, output] of [
    [50, 100],
    [100, 150],
    [125, 150 + 12.5 / 1.5],
    [150, 162.5],
    [250, 162.5 + 20 / 1.5],
    [350, 182.5],
    [1e9, 182.5],
  ] as const)
    near(curveOutput(curve, input), output)
  assert.is(curveOutput(curve, 0), 0)
})

s('are constant products without an end too [teeth/curves]', () => {
  const curve = join({ dx: Number.POSITIVE_INFINITY, a: 2, b: 1e-3 })
  near(curve.y[1], 2_000)
  near(curveOutput(curve, 1_000), 1_000)
  near(curveOutput(curve, Number.POSITIVE_INFINITY), 2_000)
})

s('bend upwards by a hundred millionth where a price would be constant [teeth/curves]', () => {
  const { a, b, y } = join({ dx: 1_000, a: 2, b: 0 })
  near(b[0], 1e-11)
  near(a[0], 2 * (1 + 1e-8), 1e-15)
  // At its end it gives what the price says, and before a hair more: no pool is promised less.
  near(y[1], 2_000, 1e-14)
  const bent = join({ dx: 1_000, a: 2, b: 1.1e-11 })
  assert.equal([bent.a[0], bent.b[0]], [2, 1.1e-11], 'a bend of that is one')
})

s('end before a piece without width, or with a number that is none [teeth/curves]', () => {
  const good = { dx: 10, a: 1, b: 0.1 }
  const bad = [
    { dx: 0 },
    { dx: -1 },
    { dx: Number.NaN },
    { a: 0 },
    { a: -1 },
    { a: Number.NaN },
    { a: Number.POSITIVE_INFINITY },
    { b: -1e-9 },
    { b: Number.NaN },
    { b: Number.POSITIVE_INFINITY },
  ]
  for (const own of bad) {
    assert.is(join(good, { ...good, ...own }, good).count, 1, JSON.stringify(own))
    assert.is(joinCurve([{ ...good, ...own }, good]), undefined, JSON.stringify(own))
  }
  assert.is(joinCurve([]), undefined)
  assert.is(join(good, { ...good, b: 0 }).count, 2)
})

s('are made one after the other, of any number of pieces [teeth/curves]', () => {
  beginCurve(300)
  for (let k = 0; k < 300; k += 1) addPiece(1, 1 / (k + 1), 1e-6)
  const long = endCurve()
  assert.is(long?.count, 300)
  near(long?.a[299], 1 / 300)
  near(long?.x[300], 300)
  beginCurve(1)
  assert.is(endCurve(), undefined, 'nothing is left of the one before')
  beginCurve(2)
  addPiece(0, 1, 1)
  beginCurve(2)
  addPiece(1, 1, 1)
  assert.is(endCurve()?.count, 1, 'what broke is forgotten')
})

s('promise as much as a pool may lie above them [teeth/curves]', () => {
  const curve = join({ dx: 10, a: 4, b: 1 }, { dx: 10, a: 0.01, b: 1 })
  assert.is(greatestRate(curve), 4)
  assert.is(greatestRate({ ...curve, over: Float64Array.of(0.5, 9, 9) }), 6)
})
s.run()
