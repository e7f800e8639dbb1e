import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { lossesWithout } from './lossesWithout.ts'
import { createMarket } from './market.ts'
import { at } from './pieces.ts'
import { solveFlow } from './solveFlow.ts'
import { createLaplacian } from './solveLaplacian.ts'

const s = suite('solveFlow')
/** A constant product of equal reserves at a rate of one, without a fee: x sells for depth * x / (depth + x). */
const even = (id: string, tokens: string, depth: number): EnginePool =>
  curvePool(id, tokens, { pieces: [{ dx: 1e15, a: 1, b: 1 / depth }] })

/** The best flow through the forward edges of all pools. */
function solve(pools: readonly EnginePool[], amountIn: number, maxWork?: number) {
  const market = createMarket(pools)
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  const edges = [...market.edgeFrom.keys()].filter(
    (edge) => (market.edgeI[edge] as number) < (market.edgeJ[edge] as number),
  )
  const [tokenIn, tokenOut] = [numberOf('a'), numberOf('d')]
  const effort = { spent: 0 }
  const problem = { tokenIn, tokenOut, amountIn, edges, effort, maxWork }
  const start = new Float64Array(market.tokens.length).fill(0)
  const flow = solveFlow(market, problem, start)
  const taken = new Map(
    edges.map((edge, k) => [
      at(market.pools, market.edgePool[edge] as number)?.id ?? '',
      flow.inputs[k] as number,
    ]),
  )
  const frame = {
    tokenIn,
    tokenOut,
    maxHops: 4,
    hopsFromIn: new Uint8Array(market.tokens.length),
    hopsToOut: new Uint8Array(market.tokens.length),
    gasPrice: 0,
    effort,
  }
  const priceOf = (token: string) => Math.exp(flow.logPrices[numberOf(token)] as number)
  return { market, flow, frame, taken, priceOf, effort }
}

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
  const out = (depth: number, amount: number) => (depth * amount) / (depth + amount)
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
  const early = solve(pools, 1e6, 1)
  assert.ok(early.effort.spent < best.effort.spent)
  assert.ok(early.flow.imbalance > 1e-4 && early.flow.value >= best.flow.value)
})

s(
  'solves a grounded Laplacian with weights and damping as elimination does [teeth/laplacian]',
  () => {
    // Nodes 0 and 1, ground 2: edges 0-1 of 3, 1-ground of 5, 0-ground of 2, and one of nothing.
    const laplacian = createLaplacian(2, [0, 1, 0, 0], [1, 2, 2, 1])
    laplacian.prepare(Float64Array.of(3, 5, 2, 0), Float64Array.of(1, 4))
    // (3 + 2 + 1) d0 - 3 d1 = 7 and -3 d0 + (3 + 5 + 4) d1 = 11.
    const [d0, d1] = laplacian.solve([7, 11])
    near(d0, (7 * 12 + 3 * 11) / (6 * 12 - 9))
    near(d1, (6 * 11 + 3 * 7) / (6 * 12 - 9))
    // It answers again, and for other weights.
    const [again] = laplacian.solve([0, 63])
    near(again, 3)
    laplacian.prepare(Float64Array.of(0, 5, 2, 0), Float64Array.of(0, 0))
    const [apart, other] = laplacian.solve([4, 10])
    near(apart, 2)
    near(other, 2)
  },
)

s('estimates what is lost without an edge within twice of it [teeth/losses]', () => {
  const out = (depth: number, amount: number) => (depth * amount) / (depth + amount)
  const depths = [1e6, 2e6, 3e6, 5e6, 9e6]
  const pools = depths.map((depth, k) => even(`p${k}`, 'a/d', depth))
  const { market, flow, frame } = solve(pools, 1e5)
  const losses = lossesWithout(market, frame, flow)
  for (const [k, edge] of flow.edges.entries()) {
    const depth =
      depths[Number(at(market.pools, market.edgePool[edge] as number)?.id.slice(1))] ?? 0
    const real = out(2e7, 1e5) - out(2e7 - depth, 1e5)
    const ratio = (losses[k] ?? 0) / real
    assert.ok(ratio > 0.5 && ratio < 2, `${depth}: ${ratio} of ${real}`)
  }
})

s('loses all that an edge brings where nothing stands in for it [teeth/losses]', () => {
  const pools = [even('ab', 'a/b', 1e6), even('bd', 'b/d', 1e6), even('bd2', 'b/d', 1e6)]
  const { market, flow, frame } = solve(pools, 1e5)
  const losses = lossesWithout(market, frame, flow)
  const byId = new Map(
    flow.edges.map((edge, k) => [
      at(market.pools, market.edgePool[edge] as number)?.id,
      losses[k] ?? 0,
    ]),
  )
  near(byId.get('ab'), flow.value, 0.05)
  near(byId.get('bd'), byId.get('bd2') ?? 0, 1e-6)
  assert.ok((byId.get('bd') ?? 0) < flow.value / 4)
})
s.run()
