import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { createMarket } from './market.ts'
import { at } from './pieces.ts'
import { excessOf, pruneFlow } from './pruneFlow.ts'
import { hopsFrom, hopsTo } from './searchPath.ts'
import { solveFlow } from './solveFlow.ts'

const s = suite('pruneFlow')
/** A constant product of equal reserves at a rate of one, without a fee. */
const even = (id: string, tokens: string, depth: number, gas = 1): EnginePool =>
  curvePool(id, tokens, { pieces: [{ dx: 1e15, a: 1, b: 1 / depth }], gas })
const out = (depth: number, amount: number) => (depth * amount) / (depth + amount)

type Own = {
  readonly maxSteps?: number
  readonly gasPrice?: number
  readonly isOver?: () => boolean
}

function prune(pools: readonly EnginePool[], { maxSteps = 99, gasPrice = 0, isOver }: Own = {}) {
  const market = createMarket(pools)
  const [tokenIn = -1, tokenOut = -1] = ['a', 'd'].map((token) => market.tokenIndex.get(token))
  const edges = [...market.edgeFrom.keys()].filter(
    (edge) => (market.edgeI[edge] as number) < (market.edgeJ[edge] as number),
  )
  const frame = {
    tokenIn,
    tokenOut,
    maxHops: 3,
    hopsFromIn: hopsFrom(market, tokenIn, 3),
    hopsToOut: hopsTo(market, tokenOut, 3),
    gasPrice,
    effort: { spent: 0 },
  }
  const amountIn = 1e5
  const problem = { tokenIn, tokenOut, amountIn, edges, effort: frame.effort }
  const start = solveFlow(market, problem, new Float64Array(market.tokens.length))
  const pruning = { frame, amountIn, maxSteps, isOver: isOver ?? (() => false) }
  const search = pruneFlow(market, pruning, start)
  for (;;) {
    const step = search.next()
    if (!step.done) continue
    const ids = step.value.edges.map(
      (edge) => at(market.pools, market.edgePool[edge] as number)?.id ?? '',
    )
    return { flow: step.value, ids: ids.sort() }
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
s.run()
