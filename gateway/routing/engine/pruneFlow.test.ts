import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool, evenPool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { evenOutput as out, solveForward } from '../testing/solveForward.ts'
import { createMarket } from './market.ts'
import { excessOf, pruneFlow } from './pruneFlow.ts'

const s = suite('pruneFlow')
/** A constant product of equal reserves at a rate of one, without a fee. */
const even = (id: string, tokens: string, depth: number, gas = 1): EnginePool =>
  evenPool(id, tokens, { depth, gas })

type Own = {
  readonly maxSteps?: number
  readonly gasPrice?: number
  readonly amountIn?: number
  readonly isOver?: () => boolean
}

function prune(
  pools: readonly EnginePool[],
  { maxSteps = 99, gasPrice = 0, amountIn = 1e5, isOver = () => false }: Own = {},
) {
  const { market, flow: start, frame, effort, idOf } = solveForward(pools, amountIn, { gasPrice })
  effort.spent = 0
  const search = pruneFlow(market, { frame, amountIn, maxSteps, isOver }, start)
  for (let pieces = 0; ; pieces += 1) {
    const step = search.next()
    if (step.done)
      return {
        flow: step.value,
        ids: step.value.edges.map(idOf).sort(),
        /** How often it stopped on the way. */
        pieces,
        work: effort.spent,
      }
    assert.ok(pieces < 300, 'it comes to an end')
  }
}

s('counts how many edges are over the limits of steps and gas [teeth/prune-flow]', () => {
  const excess = (count: number, gas: number, maxSteps: number) => {
    const market = createMarket(
      Array.from({ length: count }, (_, k) => even(`p${k}`, 'a/d', 1e6, gas)),
    )
    const edges = Array.from({ length: count }, (_, k) => k)
    return excessOf(market, { maxSteps }, edges)
  }
  assert.equal([excess(10, 1, 8), excess(10, 1, 10), excess(10, 1, 12) <= 0], [2, 0, true])
  // 15 million: 40 of 400,000 are a million over, which is two and a half of them.
  assert.equal([excess(40, 400_000, 96), excess(40, 375_000, 96)], [3, 0])
  assert.is(excess(40, 400_000, 30), 10, 'whichever is more')
  assert.equal([excess(1, 15_000_001, 96), excess(1, 15_000_000, 96) <= 0], [1, true])
})

s('keeps of many pools those that bring most [teeth/prune-flow]', () => {
  const pools = [5, 1, 4, 2, 3].map((millions) => even(`p${millions}`, 'a/d', millions * 1e6))
  for (const [maxSteps, kept] of [
    [4, ['p2', 'p3', 'p4', 'p5']],
    [2, ['p4', 'p5']],
    [1, ['p5']],
  ] as const) {
    const { flow, ids } = prune(pools, { maxSteps })
    assert.equal(ids, [...kept])
    // Solved again for what is left.
    const depth = kept.reduce((sum, id) => sum + Number(id.slice(1)) * 1e6, 0)
    near(flow.value, out(depth, 1e5), 1e-6)
  }
})

s('keeps within its limits where there is no time to look for the best [teeth/prune-flow]', () => {
  const pools = [5, 1, 4, 2, 3].map((millions) => even(`p${millions}`, 'a/d', millions * 1e6))
  const { ids } = prune(pools, { maxSteps: 2, isOver: () => true })
  assert.equal(ids, ['p4', 'p5'])
})

s('takes out together what leads nowhere alone [teeth/prune-flow]', () => {
  const pools = [
    even('ad', 'a/d', 5e6),
    even('ab', 'a/b', 1e6),
    even('bd', 'b/d', 1e6),
    even('ad2', 'a/d', 4e6),
  ]
  assert.equal(prune(pools, { maxSteps: 3 }).ids, ['ad', 'ad2'])
})

s('takes out what costs more gas than it brings, and nothing else [teeth/prune-flow]', () => {
  const pools = [even('big', 'a/d', 9e6, 100), even('small', 'a/d', 1e6, 100)]
  // Without the small one 9 million alone sell: that is its worth.
  const worth = out(1e7, 1e5) - out(9e6, 1e5)
  assert.equal(prune(pools).ids, ['big', 'small'])
  assert.equal(prune(pools, { gasPrice: (worth * 0.99) / 100 }).ids, ['big', 'small'])
  assert.equal(prune(pools, { gasPrice: (worth * 1.01) / 100 }).ids, ['big'])
  // The last one stays, whatever it costs.
  assert.equal(prune(pools, { gasPrice: 1e6 }).ids, ['big'])
  assert.equal(prune(pools, { gasPrice: worth, isOver: () => true }).ids, ['big', 'small'])
})

s('takes half of what is over the limits at a time, the least of it first', () => {
  const name = (k: number) => `p${String(k).padStart(2, '0')}`
  const pools = Array.from({ length: 64 }, (_, k) => even(name(k), 'a/d', 1e5 * (k + 1)))
  const { ids, pieces } = prune(pools, { maxSteps: 4 })
  assert.equal(ids, [60, 61, 62, 63].map(name))
  // 30, 15, 8, 4, 2 and the last one: each time a list of what there is, and what is left of it.
  assert.is(pieces, 12)
  const hasty = prune(pools, { maxSteps: 4, isOver: () => true })
  assert.equal([hasty.ids, hasty.pieces], [ids, 1])
  assert.ok(hasty.work > 0)
})

const millions = (tokens: string, ...depths: readonly number[]) =>
  depths.map((depth, k) => even(`${tokens.replace('/', '')}${k + 1}`, tokens, depth * 1e6))
/** Neither is missed while the other is there. */
const twins = millions('a/b', 100, 120)

s('takes no pools together that stand in for each other', () => {
  const besides = [even('bd', 'b/d', 5e6), ...millions('a/d', 1, 2, 3, 4)]
  assert.equal(prune([...twins, ...besides], { maxSteps: 4 }).ids, ['ab2', 'ad3', 'ad4', 'bd'])
  // Without them no way is left at all.
  const onwards = [...twins, ...millions('b/d', 1, 2, 3, 4)]
  assert.equal(prune(onwards, { maxSteps: 3 }).ids, ['ab2', 'bd3', 'bd4'])
  const hasty = prune([...twins, ...millions('b/d', 1, 5)], { maxSteps: 2, isOver: () => true })
  assert.equal(hasty.ids, ['ab2', 'bd2'])
})

s('weighs what goes together by how many they are', () => {
  // The chain of two is worth as much as a pool of a million, more than the small one.
  const chain = [even('ab', 'a/b', 2e6), even('bd', 'b/d', 2e6)]
  const pools = [even('ad', 'a/d', 5e6), even('ad2', 'a/d', 7e5), ...chain]
  assert.equal(prune(pools, { maxSteps: 2 }).ids, ['ad', 'ad2'])
})

s('looks at what is really lost where an estimate was far too low', () => {
  // At the margin the flat pool could take all that the other takes; but it is nearly full.
  const flat = (most: number) =>
    curvePool('flat', 'a/d', { pieces: [{ dx: most, a: 0.995, b: 0 }] })
  const left = (most: number) => prune([even('ad', 'a/d', 5e6), flat(most)], { maxSteps: 1 })
  assert.equal(left(90_000).ids, ['ad'])
  near(left(90_000).flow.value, out(5e6, 1e5), 1e-6)
  assert.equal(left(99_000).ids, ['flat'], 'no worse than the other alone')
})

s('leaves what is over the limits but cannot do with less', () => {
  const chain = ['a/b', 'b/c', 'c/e', 'e/d'].map((tokens) => even(tokens, tokens, 1e7))
  for (const isOver of [() => false, () => true])
    for (const maxSteps of [1, 2, 3]) {
      const { ids, pieces } = prune(chain, { maxSteps, isOver })
      assert.equal([ids.length, pieces <= 1], [4, true])
    }
  // Its losses by resistances between four tokens, and each edge against each.
  assert.is(prune(chain, { maxSteps: 3 }).work, (16 * (4 + 24)) / 64 + 16)
})

s('takes out what its gas is dearest for first, and weighs the others anew', () => {
  // A million of 11 brings 89; once another has gone it is a million of 10, and brings 109.
  for (const [worthy, dear] of [
    ['p', 'q'],
    ['q', 'p'],
  ] as const) {
    const pools = [
      even('big', 'a/d', 9e6),
      even(worthy, 'a/d', 1e6, 100),
      even(dear, 'a/d', 1e6, 140),
    ]
    assert.equal(prune(pools, { gasPrice: 1 }).ids, ['big', worthy])
  }
})

s('tries what is estimated to bring up to twice its gas, and each only once', () => {
  // Without the big one 409,091 less are had; it is estimated to bring 736,364.
  const pools = (gas: number) => [even('big', 'a/d', 9e6, gas), even('small', 'a/d', 1e6)]
  const own = { gasPrice: 1, amountIn: 1e6 }
  assert.equal(prune(pools(500_000), own).ids, ['small'])
  const kept = prune(pools(400_000), own)
  assert.equal([kept.ids, kept.pieces], [['big', 'small'], 2])
  const chain = [even('ab', 'a/b', 2e6, 100), even('bd', 'b/d', 2e6, 100)]
  const whole = prune([even('ad', 'a/d', 5e6), ...chain], { gasPrice: 1 })
  assert.equal([whole.ids, whole.pieces], [['ab', 'ad', 'bd'], 2])
})

s('takes out at once all that is far from worth its gas', () => {
  const dust = (count: number) =>
    Array.from({ length: count }, (_, k) => even(`dust${k}`, 'a/d', 1e4 * (k + 1), 1_000))
  const main = even('main', 'a/d', 1e7)
  for (const count of [2, 20]) {
    const { ids, pieces } = prune([main, ...dust(count)], { gasPrice: 1 })
    assert.equal([ids, pieces], [['main'], 2])
  }
  const late = prune([main, ...dust(2)], { gasPrice: 1, isOver: () => true })
  assert.equal([late.ids.length, late.pieces], [3, 0])
})

s('keeps one of two that are worth their gas only without the other', () => {
  const [one, two] = [even('ab1', 'a/b', 1e8, 1_000), even('ab2', 'a/b', 1.2e8, 1_000)]
  const pools = [one, two, even('bd', 'b/d', 5e6), even('ad', 'a/d', 1e6)]
  assert.equal(prune(pools, { gasPrice: 1 }).ids, ['ab2', 'ad', 'bd'])
})

s('stops where the time is over between two tries', () => {
  let asked = 0
  const isOver = () => {
    asked += 1
    return asked > 1
  }
  const pools = [even('big', 'a/d', 9e6), even('small', 'a/d', 1e6, 150)]
  assert.equal(prune(pools, { gasPrice: 1 }).ids, ['big'])
  assert.equal(prune(pools, { gasPrice: 1, isOver }).ids, ['big', 'small'])
})
s.run()
