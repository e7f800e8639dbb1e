import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { evenPool as even } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { type Chain, type Growth, growFlow, tokensBefore, turnFlow } from './growFlow.ts'
import { createMarket } from './market.ts'
import { at } from './pieces.ts'
import { priceOutside } from './priceOutside.ts'
import { hopsFrom, hopsTo } from './searchPath.ts'
import { solveFlow } from './solveFlow.ts'

const s = suite('growFlow')
const amountIn = 1e5

/** A flow through some of the pools, and what grows of it. */
function open(
  pools: readonly EnginePool[],
  through: readonly string[],
  {
    gasPrice = 0,
    maxHops = 5,
    ...own
  }: Partial<Growth> & { readonly gasPrice?: number; readonly maxHops?: number } = {},
) {
  const market = createMarket(pools)
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  const idOf = (edge: number) => at(market.pools, market.edgePool[edge] as number)?.id ?? ''
  const edgeOf = (id: string) =>
    [...market.edgeFrom.keys()].find(
      (edge) => idOf(edge) === id && (market.edgeI[edge] as number) === 0,
    ) ?? -1
  const [tokenIn, tokenOut] = [numberOf('a'), numberOf('d')]
  const effort = { spent: 0 }
  const problem = { tokenIn, tokenOut, amountIn, edges: through.map(edgeOf), effort }
  const flow = solveFlow(market, problem, new Float64Array(market.tokens.length))
  const frame = {
    tokenIn,
    tokenOut,
    maxHops,
    hopsFromIn: hopsFrom(market, tokenIn, 5),
    hopsToOut: hopsTo(market, tokenOut, 5),
    gasPrice,
    effort,
  }
  const growth: Growth = {
    frame,
    flow,
    leastProfit: 0,
    maxChains: 16,
    avoided: new Set(),
    ...own,
  }
  const outside = priceOutside(market, frame, flow, { probe: 0, passes: 4 })
  const grow = () => {
    const search = growFlow(market, growth, outside)
    for (;;) {
      const step = search.next()
      if (step.done) return step.value
    }
  }
  const ids = (edges: readonly number[]) => edges.map(idOf)
  return { market, growth, grow, ids, edgeOf, numberOf }
}
const [ad, ab, bd] = [even('ad', 'a/d'), even('ab', 'a/b'), even('bd', 'b/d')]

s('adds the chains that pay, with the prices on their way [teeth/grow-flow]', () => {
  const { grow, ids, numberOf } = open([ad, ab, even('bd', 'b/d', { rate: 1.5 })], ['ad'])
  const grown = grow()
  if (grown.status !== 'grown') throw new Error(grown.status)
  assert.equal(ids(grown.edges), ['ad', 'ab', 'bd'])
  // By the last price first: b sells for one and a half.
  near(grown.logPrices[numberOf('b')], Math.log(1.5))
  near(grown.logPrices[numberOf('a')], 2 * Math.log(1 / 1.1), 1e-6)
})
s('adds those that promise most first, and so many [teeth/grow-flow]', () => {
  const pools = [ad, even('small', 'a/d', { depth: 1e5 }), even('large', 'a/d', { depth: 1e7 })]
  const added = (maxChains: number) => {
    const { grow, ids } = open(pools, ['ad'], { maxChains })
    const grown = grow()
    return grown.status === 'grown' && ids(grown.edges)
  }
  assert.equal(added(1), ['ad', 'large'])
  assert.equal(added(2), ['ad', 'large', 'small'])
})
s('leaves what promises too little, costs more gas, or was avoided [teeth/grow-flow]', () => {
  const pools = [ad, even('more', 'a/d', { gas: 100 })]
  // At the margin of a tenth of its depth: its profit is the square of what is lost of the root.
  const profit = 1e6 * (1 - 1 / 1.1) ** 2
  const status = (own: Parameters<typeof open>[2]) => open(pools, ['ad'], own).grow().status
  assert.equal(
    [status({ leastProfit: profit * 0.9999 }), status({ leastProfit: profit * 1.0001 })],
    ['grown', 'complete'],
  )
  assert.equal(
    [status({ gasPrice: (profit * 0.9999) / 100 }), status({ gasPrice: (profit * 1.0001) / 100 })],
    ['grown', 'complete'],
  )
  const { edgeOf } = open(pools, ['ad'])
  assert.is(status({ avoided: new Set([edgeOf('more')]) }), 'complete')
  assert.is(open([ad, even('poor', 'a/d', { rate: 0.8 })], ['ad']).grow().status, 'complete')
})
s('weighs a chain by what really goes through all of it [teeth/grow-flow]', () => {
  // The first pool alone promises much: behind it next to nothing can be sold.
  const pools = [ad, even('ab', 'a/b', { depth: 1e9 }), even('bd', 'b/d', { depth: 1e3 })]
  const weighed = 1e3 * (1 - 1 / 1.1) ** 2
  const status = (leastProfit: number) => open(pools, ['ad'], { leastProfit }).grow().status
  assert.equal([status(weighed * 0.999), status(weighed * 1.001)], ['grown', 'complete'])
  // The same where b is of six more decimals.
  const fine = [
    ad,
    even('ab', 'a/b', { depth: 1e9, rate: 1e6 }),
    even('bd', 'b/d', { depth: 1e9, rate: 1e-6 }),
  ]
  const ofFine = (leastProfit: number) => open(fine, ['ad'], { leastProfit }).grow().status
  assert.equal([ofFine(weighed * 0.999), ofFine(weighed * 1.001)], ['grown', 'complete'])
  // It promises more than a pool that brings more.
  const { grow, ids } = open([...pools, even('ad2', 'a/d', { depth: 1e5 })], ['ad'], {
    maxChains: 1,
  })
  const grown = grow()
  assert.equal(grown.status === 'grown' && ids(grown.edges), ['ad', 'ad2'])
})
s('is blocked where all that pays would close a circle, and turns round [teeth/grow-flow]', () => {
  const pools = [
    ab,
    even('bc', 'b/c', { depth: 1e7 }),
    even('cd', 'c/d', { depth: 1e7 }),
    bd,
    // Stale: for each c it gives two b.
    even('cb', 'c/b', { rate: 2 }),
  ]
  const { market, grow, growth, ids, numberOf } = open(pools, ['ab', 'bc', 'cd', 'bd'])
  const blocked = grow()
  if (blocked.status !== 'blocked') throw new Error(blocked.status)
  const [chain] = blocked.chains as readonly [Chain]
  assert.equal(ids(chain.edges), ['cb'])
  // c comes by nobody else: what is left is the way through b.
  const turned = turnFlow(market, growth, chain, [])
  assert.equal(ids(turned?.edges ?? []), ['ab', 'bd', 'cb'])
  const before = tokensBefore(market, growth.flow.edges, numberOf('c'))
  assert.equal([...before].sort(), ['a', 'b', 'c'].map(numberOf).sort())
  assert.equal([...tokensBefore(market, growth.flow.edges, numberOf('a'))], [numberOf('a')])
})
s('counts the pairs that it looks at, and each try of a chain by its pools', () => {
  const { grow, growth } = open([ad, ab, even('bd', 'b/d', { rate: 1.5 })], ['ad'])
  const { effort } = growth.frame
  effort.spent = 0
  assert.is(grow().status, 'grown')
  assert.is(effort.spent, 2 + 18 * 2)
  const way = open([ab, bd], ['ab', 'bd'])
  way.growth.frame.effort.spent = 0
  assert.is(way.grow().status, 'complete')
  assert.is(way.growth.frame.effort.spent, 1 + 2)
})
s('weighs a chain less the gas of all its pools', () => {
  const [first, last] = [even('ab', 'a/b', { gas: 30 }), even('bd', 'b/d', { gas: 70 })]
  const profit = 5e5 * (1 - 1 / 1.1) ** 2
  const status = (gasPrice: number) => open([ad, first, last], ['ad'], { gasPrice }).grow().status
  assert.equal(
    [status((profit * 0.999) / 100), status((profit * 1.001) / 100)],
    ['grown', 'complete'],
  )
})
s('uses no pool twice, and turns a flow out of one for a chain that pays', () => {
  const three = even('three', 'a/b/c')
  const cd = even('cd', 'c/d', { rate: 2 })
  const { market, grow, growth, ids, numberOf } = open([three, bd, cd, ad], ['three', 'bd', 'ad'])
  const blocked = grow()
  if (blocked.status !== 'blocked') throw new Error(blocked.status)
  const chain = blocked.chains.find(
    ({ edges: [first = -1] }) => market.edgeFrom[first] === numberOf('a'),
  )
  if (!chain) throw new Error('it pays')
  const turned = turnFlow(market, growth, chain, [])
  assert.equal(ids(turned?.edges ?? []), ['ad', 'three', 'cd'])
  assert.is(market.edgeTo[turned?.edges[1] ?? -1], market.edgeFrom[turned?.edges[2] ?? -1])
  // With others that are free now.
  const more = { edges: [...growth.flow.edges].slice(1, 2), profit: 1 }
  assert.equal(ids(turnFlow(market, growth, chain, [more])?.edges ?? []), [
    'ad',
    'three',
    'cd',
    'bd',
  ])
})
s('turns no flow of which nothing would be left, however long the way back is', () => {
  const [bx, xc] = [even('bx', 'b/x', { depth: 1e7 }), even('xc', 'x/c', { depth: 1e7 })]
  const pools = [ab, bx, xc, even('cd', 'c/d', { depth: 1e7 }), even('cb', 'c/b', { rate: 2 })]
  const turn = (all: readonly EnginePool[], through: readonly string[]) => {
    const { market, growth, edgeOf, ids } = open(all, through)
    const turned = turnFlow(market, growth, { edges: [edgeOf('cb')], profit: 1 }, [])
    return turned && ids(turned.edges)
  }
  assert.is(turn(pools, ['ab', 'bx', 'xc', 'cd']), undefined)
  assert.equal(turn([...pools, bd], ['ab', 'bx', 'xc', 'cd', 'bd']), ['ab', 'bd', 'cb'])
})
s('looks no further than the hops that are left behind a token', () => {
  const dear = even('bd', 'b/d', { rate: 2 })
  const status = (pools: readonly EnginePool[], through: readonly string[], maxHops: number) =>
    open(pools, through, { maxHops }).grow().status
  const fromIn = [ad, even('ax', 'a/x'), even('xb', 'x/b'), dear]
  assert.equal([status(fromIn, ['ad'], 2), status(fromIn, ['ad'], 3)], ['complete', 'grown'])
  // Who goes to b straight has nothing of it.
  const poor = even('ab', 'a/b', { rate: 0.01 })
  const behind = [even('ae', 'a/e'), even('ed', 'e/d'), even('eb', 'e/b'), dear, poor]
  const through = ['ae', 'ed']
  assert.equal([status(behind, through, 2), status(behind, through, 3)], ['complete', 'grown'])
})
s('adds nothing that leads back to what is sold, or on from what is bought', () => {
  for (const tokens of ['b/a', 'd/b', 'd/a', 'd/x']) {
    const stale = [even('stale', tokens, { rate: 9 }), even('xb', 'x/b', { rate: 9 })]
    assert.is(open([ab, bd, ...stale], ['ab', 'bd']).grow().status, 'complete', tokens)
  }
})
s('adds no chain that takes one pool twice', () => {
  const each = even('twice', 'a/x/d', { rate: 2 })
  const twice = {
    ...each,
    curve: (i: number, j: number) => (j === i + 1 ? each.curve(i, j) : undefined),
  }
  const { grow, ids } = open([ad, twice], ['ad'])
  const blocked = grow()
  assert.equal(blocked.status === 'blocked' && ids(blocked.chains[0]?.edges ?? []), [
    'twice',
    'twice',
  ])
})
s('is blocked by circles that close at the end of a chain, and farther on', () => {
  const [deep, stale] = [{ depth: 1e7 }, { rate: 2 }]
  const pools = [
    ab,
    even('bx', 'b/x', deep),
    even('xc', 'x/c', deep),
    even('cd', 'c/d', deep),
    even('cy', 'c/y', stale),
    even('yb', 'y/b', stale),
  ]
  const { market, grow, growth, ids } = open([...pools, bd], ['ab', 'bx', 'xc', 'cd', 'bd'], {
    maxHops: 6,
  })
  const blocked = grow()
  if (blocked.status !== 'blocked') throw new Error(blocked.status)
  const [chain] = blocked.chains as readonly [Chain]
  assert.equal(ids(chain.edges), ['cy', 'yb'])
  assert.equal(ids(turnFlow(market, growth, chain, [])?.edges ?? []), ['ab', 'bd', 'cy', 'yb'])
})
s('follows a chain through whatever pool comes first', () => {
  const pools = [ad, even('aA', 'a/A'), even('AB', 'A/B'), even('Bd', 'B/d', { rate: 2 })]
  const { grow, ids, edgeOf } = open(pools, ['ad'])
  const grown = grow()
  assert.is(edgeOf('AB'), 0)
  assert.equal(grown.status === 'grown' && ids(grown.edges), ['ad', 'aA', 'AB', 'Bd'])
})
s('weighs the most promising of many', () => {
  const pools = Array.from({ length: 9 }, (_, k) => even(`p${k}`, 'a/d', { depth: 1e5 * (k + 1) }))
  const { grow, ids } = open([ad, ...pools], ['ad'], { maxChains: 1 })
  const grown = grow()
  assert.equal(grown.status === 'grown' && ids(grown.edges), ['ad', 'p8'])
})
s.run()
