import { assert, suite } from '../../../fixtures/test.ts'
import { evenPool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { evenOutput as out, solveForward as solve } from '../testing/solveForward.ts'
import { lossesWithout } from './lossesWithout.ts'
import { at } from './pieces.ts'

const s = suite('lossesWithout')
const even = (id: string, tokens: string, depth: number) => evenPool(id, tokens, { depth })

s('estimates what is lost without an edge within twice of it [teeth/losses]', () => {
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

s('estimates by what the others carry: a half of the square over their weights', () => {
  const depths = [1e6, 2e6, 9e6]
  const { market, flow, frame, effort } = solve(
    depths.map((depth, k) => even(`p${k}`, 'a/d', depth)),
    1e6,
  )
  effort.spent = 0
  const losses = lossesWithout(market, frame, flow)
  near(effort.spent, 19 / 64, 1e-12)
  // Of a depth D at the root r of the price: it earns D (1 - r), and its weight is D r / 2.
  const root = 12 / 13
  const expected = [1e6, 2e6, 9e6].map((depth) => {
    const earned = depth * (1 - root)
    const detour = earned ** 2 / ((12e6 - depth) * root)
    return Math.min(earned, Math.max(detour, depth * (1 - root) ** 2))
  })
  for (const [k, loss] of expected.entries()) near(losses[k], loss, 1e-6)
  // At least what it earns over what it takes, and at most all that it brings.
  near(losses[0], 1e6 * (1 / 13) ** 2, 1e-6)
  const alone = solve([even('p', 'a/d', 1e6), even('q', 'a/d', 1e3)], 1e6)
  const [most] = lossesWithout(alone.market, alone.frame, alone.flow)
  near(most, alone.given.get('p') ?? 0, 1e-12)
})

s('estimates what is lost between two tokens on the way by what else joins them', () => {
  const pools = [even('ab', 'a/b', 1e6), even('ab2', 'a/b', 3e6), even('bd', 'b/d', 5e6)]
  const { market, flow, frame, priceOf, given } = solve(pools, 1e6)
  const losses = lossesWithout(market, frame, flow)
  const root = Math.sqrt(priceOf('a') / priceOf('b'))
  const earned = priceOf('b') * (given.get('ab2') ?? 0)
  // Only the other one leads from a to b; its weight is in units of d.
  const weight = (priceOf('a') * 1e6) / root / 2
  near(losses[1], earned ** 2 / weight / 2, 1e-6)
})

s.run()
