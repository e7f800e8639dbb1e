import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool, evenPool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { evenOutput as out, solveForward as solve } from '../testing/solveForward.ts'

const s = suite('solveFlow')
const even = (id: string, tokens: string, depth: number) => evenPool(id, tokens, { depth })

s('splits between pools by their depths, at one price [teeth/solve-flow]', () => {
  const pools = [even('x', 'a/d', 1e6), even('y', 'a/d', 3e6), even('z', 'a/d', 6e6)]
  const { flow, taken, priceOf } = solve(pools, 1e6)
  // Together they are one pool of 10 million.
  near(taken.get('x'), 1e5, 1e-7)
  near(taken.get('y'), 3e5, 1e-7)
  near(taken.get('z'), 6e5, 1e-7)
  near(
    flow.outputs.reduce((sum, output) => sum + output),
    (1e7 * 1e6) / (1e7 + 1e6),
    1e-7,
  )
  near(flow.value, (1e7 * 1e6) / (1e7 + 1e6), 1e-7)
  near(priceOf('a'), (1e7 / (1e7 + 1e6)) ** 2, 1e-7)
  assert.is(priceOf('d'), 1)
  assert.ok(flow.imbalance < 1e-9)
})

s('balances what arrives and leaves along every way [teeth/solve-flow]', () => {
  const pools = [
    even('ab', 'a/b', 2e6),
    even('bd', 'b/d', 4e6),
    even('ac', 'a/c', 1e6),
    even('cd', 'c/d', 9e6),
    even('bc', 'b/c', 5e6),
    even('ad', 'a/d', 7e5),
  ]
  const { flow, taken, market } = solve(pools, 1e6)
  const sum = new Map<number, number>()
  for (const [k, edge] of flow.edges.entries()) {
    const [from, to] = [market.edgeFrom[edge] as number, market.edgeTo[edge] as number]
    sum.set(from, (sum.get(from) ?? 0) - (flow.inputs[k] as number))
    sum.set(to, (sum.get(to) ?? 0) + (flow.outputs[k] as number))
  }
  const left = (token: string) => sum.get(market.tokenIndex.get(token) ?? -1)
  near(left('a'), -1e6, 1e-7)
  assert.ok(Math.abs(left('b') ?? 9) < 1 && Math.abs(left('c') ?? 9) < 1)
  near(left('d'), flow.value, 1e-7)
  assert.ok((taken.get('bc') ?? 0) > 0, 'what gets cheaper behind b goes over c')
  // No other split brings more: what the best one does is stationary.
  const next = random(5)
  for (let tries = 0; tries < 300; tries += 1) {
    const [one, two, three] = [next(), next(), next()]
    const [ab, ac] = [1e6 * one, 1e6 * (1 - one) * two]
    const b = out(2e6, ab)
    const c = out(1e6, ac) + out(5e6, b * three)
    const total = out(4e6, b * (1 - three)) + out(9e6, c) + out(7e5, 1e6 - ab - ac)
    assert.ok(total <= flow.value * (1 + 1e-9), `${total} over ${flow.value}`)
  }
})

s('is a bound and says so where it stops early [teeth/solve-flow]', () => {
  const pools = [even('ab', 'a/b', 2e6), even('bd', 'b/d', 4e6), even('ad', 'a/d', 7e5)]
  const best = solve(pools, 1e6)
  const early = solve(pools, 1e6, { maxWork: 1 })
  assert.ok(early.effort.spent < best.effort.spent)
  assert.ok(early.flow.imbalance > 1e-4 && early.flow.value >= best.flow.value)
})

const near3 = (pools: readonly EnginePool[], maxWork?: number) =>
  solve(pools, 3e5, {
    logs: { a: -0.35, b: -0.18 },
    ...(maxWork === undefined ? {} : { maxWork }),
  })
const triangle = [even('ab', 'a/b', 1e6), even('ad', 'a/d', 1e6), even('bd', 'b/d', 1e6)]

s('tells what goes through each pool at the prices that it ends at, and how far off', () => {
  const { flow, taken, given, logOf, effort } = near3(triangle, 0)
  // Less than a fifth is wrong with either token: neither was moved.
  assert.equal([logOf('a'), logOf('b'), logOf('d')], [-0.35, -0.18, 0])
  assert.is(effort.spent, 9, 'three points on curves, each of three looks')
  const [a, b] = [Math.exp(-0.35), Math.exp(-0.18)]
  // At a price p a pool takes depth * (1 / sqrt(p) - 1) and gives depth * (1 - sqrt(p)).
  const roots = { ab: Math.sqrt(a / b), ad: Math.sqrt(a), bd: Math.sqrt(b) }
  for (const [id, root] of Object.entries(roots)) {
    near(taken.get(id), 1e6 * (1 / root - 1), 1e-12)
    near(given.get(id), 1e6 * (1 - root), 1e-12)
  }
  const takes = (id: string) => taken.get(id) ?? 0
  const gives = (id: string) => given.get(id) ?? 0
  const profit =
    b * gives('ab') + gives('ad') + gives('bd') - a * (takes('ab') + takes('ad')) - b * takes('bd')
  near(flow.value, a * 3e5 + profit, 1e-12)
  const offA = a * Math.abs(3e5 - takes('ab') - takes('ad'))
  const offB = b * Math.abs(gives('ab') - takes('bd'))
  assert.ok(offA > offB && offB > 0)
  near(flow.imbalance, offA / (a * (3e5 + takes('ab') + takes('ad'))), 1e-12)
})

s('stops at the work that it was allowed, and counts a step by the cube of its tokens', () => {
  const before = near3(triangle, 0)
  assert.is(near3(triangle, 9).effort.spent, 9, 'no more is allowed than was spent')
  const after = near3(triangle, 9.5)
  // One step for two tokens, and all three pools at each point of a line.
  const evaluated = after.effort.spent - 9 - (4 * 10) / 64
  assert.ok(evaluated > 0 && evaluated % 9 === 0, `${evaluated}`)
  assert.ok(after.flow.imbalance < before.flow.imbalance / 2)
  assert.ok(after.flow.value < before.flow.value)
  const whole = near3(triangle)
  assert.ok(whole.flow.imbalance < 1e-9 && whole.flow.value <= after.flow.value)
})

s('balances a token that is far off by itself, from either side', () => {
  for (const [log, most] of [
    [0, 51],
    [-1, 60],
    [0.7, 63],
  ] as const) {
    const { taken, priceOf, flow, effort } = solve([even('ad', 'a/d', 1e6)], 1e5, {
      maxWork: 0,
      logs: { a: log },
    })
    near(taken.get('ad'), 1e5, 3e-3)
    assert.ok(effort.spent % 3 === 0 && effort.spent <= most, `${effort.spent} from ${log}`)
    const price = priceOf('a')
    near(flow.value, price * 1e5 + 1e6 * (1 - Math.sqrt(price)) ** 2, 1e-12)
  }
})

s('balances tokens one by one, the last first', () => {
  const pools = [even('ab', 'a/b', 1e6), even('bd', 'b/d', 1e6)]
  const { taken, logOf } = solve(pools, 1e5, { maxWork: 0, logs: { a: -0.5 } })
  // What a sells for at its first price arrives at b: 1 - exp(-1 / 4) * u = u - 1 for u = exp(-log / 2).
  near(Math.exp(-logOf('b') / 2), 2 / (1 + Math.exp(-0.25)), 2e-3)
  near(taken.get('ab'), 1e5, 3e-3)
})

s('sells nothing of a token that does not arrive, and buys none that nobody takes', () => {
  const ad = even('ad', 'a/d', 1e6)
  const pools = [ad, evenPool('xd', 'x/d', { rate: 2 }), evenPool('ay', 'a/y', { rate: 5 })]
  const { flow, taken, priceOf } = solve(pools, 1e5)
  near(flow.value, out(1e6, 1e5), 1e-9)
  assert.ok((taken.get('xd') ?? 9) < 1e-3 && (taken.get('ay') ?? 9) < 1e-3)
  near(taken.get('ad'), 1e5, 1e-8)
  // No dearer and no cheaper than it takes.
  const [x, y] = [priceOf('x'), priceOf('y')]
  assert.ok(x > 2 * (1 - 1e-6) && x < 8, `${x}`)
  assert.ok(y < (priceOf('a') / 5) * (1 + 1e-6) && y > 0.005, `${y}`)
  const begun = solve([ad, evenPool('xd', 'x/d', { rate: 2 })], 1e5, { maxWork: 0 })
  assert.is(begun.taken.get('xd'), 0)
})

s('passes over tokens that nothing goes through', () => {
  const poor = [evenPool('ab', 'a/b', { rate: 0.5 }), evenPool('bd', 'b/d', { rate: 0.5 })]
  const { flow, taken } = solve([even('ad', 'a/d', 1e6), ...poor], 1e5)
  near(flow.value, out(1e6, 1e5), 1e-9)
  assert.equal([taken.get('ab'), taken.get('bd')], [0, 0])
  assert.ok(flow.imbalance < 1e-9)
})

/** Rates fall from 2 to a half, and behind a gap from 0.4 to 0.4 / 1.5 ** 2. */
const bent = curvePool('bent', 'a/d', {
  pieces: [
    { dx: 1_000, a: 2, b: 0.001 },
    { dx: 1_000, a: 0.4, b: 0.0005 },
  ],
})

s('goes on from prices at which no pool answers', () => {
  const { taken, priceOf } = solve([bent], 1_200, { logs: { a: Math.log(0.45) } })
  near(taken.get('bent'), 1_200, 1e-7)
  near(priceOf('a'), 0.4 / 1.1 ** 2, 1e-7)
})

s('fills a pool up to its bend where that is best', () => {
  const { flow, taken } = solve([bent, evenPool('ad', 'a/d', { rate: 0.45, depth: 1e6 })], 2_000)
  near(taken.get('bent'), 1_000, 1e-9)
  near(taken.get('ad'), 1_000, 1e-6)
  near(flow.value, 1_000 + 0.45 * out(1e6, 1_000), 1e-9)
})

s('sells at one price what a pool without a bend takes', () => {
  const flat = curvePool('flat', 'a/d', { pieces: [{ dx: 1e6, a: 1, b: 0 }] })
  const { flow, taken } = solve([flat, even('ad', 'a/d', 1e6)], 5e5)
  near(taken.get('flat'), 5e5, 1e-4)
  near(flow.value, 5e5, 1e-7)
})

s('is what trades in a circle bring, where nothing is sold', () => {
  const pools = [evenPool('ad', 'a/d', { rate: 2 }), evenPool('da', 'd/a')]
  const { flow, taken, priceOf } = solve(pools, 0)
  // d buys a at the root of one, which sells at twice: both at sqrt(price) = (1 + sqrt(2)) / 2.
  near(flow.value, 1e6 * (1.5 - Math.SQRT2), 1e-9)
  near(taken.get('ad'), 1e6 * (3 - 2 * Math.SQRT2), 1e-6)
  near(priceOf('a'), ((1 + Math.SQRT2) / 2) ** 2, 1e-7)
})

s('finds prices that are many orders of magnitude away, with tokens of all units', () => {
  const endless = (id: string, tokens: string, { rate = 1, depth = 1 }) =>
    curvePool(id, tokens, { pieces: [{ dx: Number.POSITIVE_INFINITY, a: rate, b: 1 / depth }] })
  // b is of 6 decimals, and costs 2,000 of which a sells for 3,000.
  const pools = [
    endless('ab', 'a/b', { rate: 3e-9, depth: 1e21 }),
    endless('ad', 'a/d', { rate: 1.5, depth: 1e21 }),
    endless('bd', 'b/d', { rate: 5e8, depth: 3e12 }),
  ]
  const { flow, taken } = solve(pools, 1e20)
  // The two in a row are half as deep as one of them.
  near(flow.value, 1.5 * out(1.5e21, 1e20), 1e-9)
  near(taken.get('ad'), (2 / 3) * 1e20, 1e-6)
})

s('goes on longer the more pools there are', () => {
  const pools = Array.from({ length: 60 }, (_, k) => even(`p${k}`, 'a/d', 1e6 * (k + 1)))
  const { flow } = solve(pools, 1e8)
  assert.ok(flow.imbalance < 1e-9)
  near(flow.value, out(1830e6, 1e8), 1e-9)
})

/** Twelve pools between five tokens, of one to four pieces each, with bends between them. */
function randomPools(seed: number): readonly EnginePool[] {
  const next = random(seed)
  const ways = ['a/b', 'a/c', 'a/d', 'b/c', 'b/d', 'b/e', 'c/d', 'c/e', 'e/d', 'a/b', 'b/d', 'e/d']
  return ways.map((tokens, k) => {
    const depth = 1e4 * 10 ** (2 * next())
    let rate = 0.7 + 0.6 * next()
    const pieces = Array.from({ length: 1 + Math.floor(4 * next()) }, () => {
      const dx = depth * next()
      const piece = { dx, a: rate, b: (0.2 * next()) / depth }
      rate *= (0.9 + 0.1 * next()) / (1 + piece.b * dx) ** 2
      return piece
    })
    return curvePool(`p${k}`, tokens, { pieces })
  })
}

s('balances networks of pools with bends for no more work than it took', () => {
  let work = 0
  for (let seed = 1; seed <= 40; seed += 1) {
    const { flow, effort } = solve(randomPools(seed), 2e4)
    assert.ok(flow.imbalance < 1e-8, `seed ${seed}: ${flow.imbalance}`)
    work += effort.spent
  }
  assert.ok(work <= 54_726, `${work}`)
})
s.run()
