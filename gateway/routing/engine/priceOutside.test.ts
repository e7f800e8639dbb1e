import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { createMarket } from './market.ts'
import { at } from './pieces.ts'
import { type OutsidePricing, priceMargins, priceOutside } from './priceOutside.ts'
import { frameBetween } from './searchFrame.ts'

const s = suite('prices around a flow')
/** Sells any amount at nearly one rate. */
const at1 = (id: string, tokens: string, rate: number, gas = 1) =>
  curvePool(id, tokens, { pieces: [{ dx: 1e12, a: rate, b: 1e-15 }], gas })

type Own = {
  readonly prices: Readonly<Record<string, number>>
  readonly maxHops?: number
  readonly gasPrice?: number
}

/** A flow from a to d that knows some prices, as if it brought 1,000. */
function frameFlow(pools: readonly EnginePool[], { prices, maxHops = 5, gasPrice = 0 }: Own) {
  const market = createMarket(pools)
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  const [tokenIn, tokenOut] = [numberOf('a'), numberOf('d')]
  const logPrices = new Float64Array(market.tokens.length).fill(Number.NaN)
  for (const [token, price] of Object.entries(prices)) logPrices[numberOf(token)] = Math.log(price)
  const none = new Float64Array(0)
  const flow = { edges: [], inputs: none, outputs: none, value: 1_000, imbalance: 0, logPrices }
  const frame = frameBetween(market, { tokenIn, tokenOut, maxHops, gasPrice })
  return { market, flow, frame, numberOf }
}

function price(pools: readonly EnginePool[], own: Own, pricing: Partial<OutsidePricing> = {}) {
  const { market, flow, frame, numberOf } = frameFlow(pools, own)
  const found = priceOutside(market, frame, flow, {
    probe: 0,
    passes: frame.maxHops - 1,
    ...pricing,
  })
  return {
    of: (token: string) => found.prices[numberOf(token)],
    via: (token: string) => {
      const edge = found.via[numberOf(token)] as number
      return edge < 0 ? undefined : at(market.pools, market.edgePool[edge] as number)?.id
    },
    numberOf,
  }
}
/** When a hundredth of what the flow brings goes through. */
function marginsOf({ market, frame, flow }: ReturnType<typeof frameFlow>) {
  const priced = [...flow.logPrices.entries()].filter(([, log]) => !Number.isNaN(log))
  const prices = new Map(priced.map(([token, log]) => [token, Math.exp(log)]))
  return priceMargins(market, frame, { prices, probe: flow.value / 100 })
}
const ends = { prices: { a: 0.5, d: 1 } }
/** The path of the flow, which nothing outside may change. */
const ad = at1('ad', 'a/d', 0.5)

s('are what a unit brings by the best chain into the flow [teeth/price-outside]', () => {
  const pools = [
    ad,
    at1('bd', 'b/d', 2),
    at1('cb', 'c/b', 3),
    at1('cd', 'c/d', 5),
    at1('ec', 'e/c', 1),
  ]
  const found = price(pools, ends)
  for (const [token, worth, id] of [
    ['b', 2, 'bd'],
    ['c', 6, 'cb'],
    ['e', 6, 'ec'],
  ] as const) {
    near(found.of(token), worth)
    assert.is(found.via(token), id)
  }
  near(found.of('a'), 0.5)
  assert.is(found.of('d'), 1)
  assert.equal([found.via('a'), found.via('d')], [undefined, undefined], 'the flow keeps its own')
})

s('follow no chain longer than the passes, or than paths may be [teeth/price-outside]', () => {
  const pools = [
    ad,
    at1('bd', 'b/d', 1),
    at1('cb', 'c/b', 1),
    at1('ec', 'e/c', 1),
    at1('ab', 'a/b', 1),
  ]
  const known = (passes: number, maxHops = 6) => {
    const found = price(pools, { ...ends, maxHops }, { passes })
    return [...'bce'].filter((token) => found.of(token) !== 0)
  }
  assert.equal([known(1), known(2), known(3)], [['b'], ['b', 'c'], ['b', 'c', 'e']])
  // From a over c to d are four hops, two of them through b; over e six.
  assert.equal([known(9, 5), known(9, 4), known(9, 3)], [['b', 'c'], ['b', 'c'], ['b']])
})

s('end in none of the tokens that they must not end in [teeth/price-outside]', () => {
  const pools = [ad, at1('ba', 'b/a', 9), at1('bm', 'b/m', 4), at1('bd', 'b/d', 1)]
  const own = { prices: { a: 0.5, m: 1, d: 1 } }
  const free = price(pools, own)
  near(free.of('b'), 4)
  assert.is(free.via('b'), 'bm')
  const bound = price(pools, own, { notInto: new Set([free.numberOf('m')]) })
  near(bound.of('b'), 1)
  assert.is(bound.via('b'), 'bd')
})

s('are what a probe brings, and less the gas of each step [teeth/price-outside]', () => {
  const shallow = curvePool('shallow', 'b/d', { pieces: [{ dx: 1e12, a: 3, b: 0.1 }], gas: 5 })
  const pools = [ad, shallow, at1('deep', 'b/d', 2, 5)]
  assert.is(price(pools, ends).via('b'), 'shallow')
  // A probe of 30: ten go in at 3, and 15 come out.
  near(price([ad, shallow], ends, { probe: 30 }).of('b'), 1.5)
  const probed = price(pools, ends, { probe: 30 })
  assert.is(probed.via('b'), 'deep')
  near(probed.of('b'), 2)
  // Gas of 5 at 3 each is half of the probe; of 30 and more nothing is left.
  near(price(pools, { ...ends, gasPrice: 3 }, { probe: 30 }).of('b'), 1)
  assert.is(price(pools, { ...ends, gasPrice: 7 }, { probe: 30 }).via('b'), undefined)
  // Five go in at 3 where what comes out is worth 2: ten come out.
  const shallower = curvePool('cb', 'c/b', { pieces: [{ dx: 1e12, a: 3, b: 0.1 }] })
  near(price([ad, at1('bd', 'b/d', 2), shallower], ends, { probe: 30 }).of('c'), 4)
})

s('are the cost of what pays on no chain, which is not followed [teeth/price-outside]', () => {
  // b costs 0.5 of d and sells for 0.4; c would be priced through it.
  const pools = [ad, at1('ab', 'a/b', 1), at1('bd', 'b/d', 0.4), at1('cb', 'c/b', 1)]
  const found = price(pools, ends)
  near(found.of('b'), 0.5)
  assert.equal([found.via('b'), found.via('c'), found.of('c')], [undefined, undefined, 0])
})

s('rise round no circle of stale pools [teeth/price-outside]', () => {
  const pools = [ad, at1('bc', 'b/c', 2), at1('cb', 'c/b', 2), at1('bd', 'b/d', 1)]
  const found = price(pools, ends)
  near(found.of('b'), 1)
  near(found.of('c'), 2)
  assert.equal([found.via('b'), found.via('c')], ['bd', 'cb'])
})

s('let tokens of the flow rise where that is asked for [teeth/price-outside]', () => {
  const pools = [ad, at1('ab', 'a/b', 1), at1('bd', 'b/d', 3)]
  near(price(pools, ends).of('a'), 0.5)
  const raised = price(pools, ends, { mayRaise: true })
  near(raised.of('a'), 3)
  assert.is(raised.via('a'), 'ab')
})

s('tell what a unit of each token costs and sells for, gas apart [teeth/price-outside]', () => {
  const pools = [
    ad,
    at1('ab', 'a/b', 2, 1e9),
    at1('cd', 'c/d', 4, 1e9),
    at1('bc', 'b/c', 1),
    at1('x', 'x/y', 1),
  ]
  const framed = frameFlow(pools, { ...ends, gasPrice: 5 })
  const { frame, numberOf } = framed
  const { costs, values } = marginsOf(framed)
  const told = (token: string) => [costs[numberOf(token)] ?? 0, values[numberOf(token)] ?? 0]
  for (const [token, cost, value] of [
    ['a', 0.5, 0.5],
    ['b', 0.25, 4],
    ['c', 0.25, 4],
    ['d', 1, 1],
  ] as const) {
    const [costs0 = 0, value0 = 0] = told(token)
    near(costs0, cost, 1e-6)
    near(value0, value, 1e-6)
  }
  assert.equal(
    [told('x'), told('y')],
    [
      [0, 0],
      [0, 0],
    ],
  )
  assert.is(frame.effort.spent, 0, 'nothing of the search is spent on it')
})

s('count every pair that they look at, and the pools of those that may pay', () => {
  const pools = [ad, at1('ab', 'a/b', 1), at1('bd', 'b/d', 2), at1('bd2', 'b/d', 1)]
  const { market, flow, frame } = frameFlow(pools, ends)
  priceOutside(market, frame, flow, { probe: 0, passes: 4 })
  // What a, d and then b cost: two pairs each. Who sells for d, and that by two pools; who sells for b.
  assert.is(frame.effort.spent, 3 * 2 + 2 + 2 + 2)
})

s('cost and are worth what a hundredth of the output makes of them [teeth/price-outside]', () => {
  const bend = (id: string, tokens: string, a: number) =>
    curvePool(id, tokens, { pieces: [{ dx: 1e12, a, b: 0.1 }] })
  const pools = [ad, bend('ab', 'a/b', 2), bend('cd', 'c/d', 3), at1('ab2', 'a/b', 0.1)]
  const framed = frameFlow(pools, ends)
  const { costs, values } = marginsOf(framed)
  const { numberOf } = framed
  // Ten of d are 20 of a, which buy 40 / 3; and ten buy 10 / 3 of c at its best, which sell for 7.5.
  near(costs[numberOf('b')], 10 / (40 / 3))
  near(values[numberOf('c')], 7.5 / (10 / 3))
})

s('reach as far as a path may be long, less the way that is left [teeth/price-outside]', () => {
  const pools = [ad, at1('ab', 'a/b', 1), at1('bc', 'b/c', 1), at1('cd', 'c/d', 1)]
  const known = (maxHops: number) => {
    const framed = frameFlow(pools, { ...ends, maxHops })
    const { costs, values } = marginsOf(framed)
    const { numberOf } = framed
    const name = (prices: Float64Array) =>
      [...'bc'].filter((token) => prices[numberOf(token)] !== 0).join('')
    return [name(costs), name(values)]
  }
  // c is two hops from a: a path through it has three.
  assert.equal(
    [known(1), known(2), known(3)],
    [
      ['', ''],
      ['b', ''],
      ['bc', 'bc'],
    ],
  )
})

s('take the cheapest of all ways to buy, however it is come by [teeth/price-outside]', () => {
  // Straight b costs 5, by c a half; x is bought by b only, and nobody sells y.
  const pools = [
    ad,
    at1('ab', 'a/b', 0.1),
    at1('ac', 'a/c', 1),
    at1('cb', 'c/b', 1),
    at1('bx', 'b/x', 2),
    at1('yd', 'y/d', 4),
  ]
  const found = price(pools, ends)
  for (const [token, cost] of [
    ['c', 0.5],
    ['b', 0.5],
    ['x', 0.25],
  ] as const)
    near(found.of(token), cost)
  near(found.of('y'), 4)
  const few = price(pools, ends, { passes: 1 })
  near(few.of('b'), 5)
  assert.is(few.of('x'), 0)
})
s('cost what they do at the margin where nothing is probed [teeth/price-outside]', () => {
  const bent = curvePool('ab', 'a/b', { pieces: [{ dx: 1e12, a: 2, b: 0.5 }] })
  near(price([ad, bent], ends).of('b'), 0.25)
  // Dearer at first, and then a tenth of it.
  const pools = [ad, at1('ab', 'a/b', 0.1), at1('ac', 'a/c', 1), at1('cb', 'c/b', 20)]
  near(price(pools, ends).of('b'), 0.025)
})

s('cost no more by a way that only begins well [teeth/price-outside]', () => {
  const steep = curvePool('cb', 'c/b', { pieces: [{ dx: 1e12, a: 3, b: 1 }] })
  const pools = [ad, at1('ab', 'a/b', 1), at1('ac', 'a/c', 50), steep]
  const framed = frameFlow(pools, ends)
  const { costs } = marginsOf(framed)
  const { numberOf } = framed
  near(costs[numberOf('b')], 0.5)
  near(costs[numberOf('c')], 0.01)
})

s('look on from a token once, however often its price moved [teeth/price-outside]', () => {
  const pools = [
    ad,
    at1('ab', 'a/b', 1),
    at1('db', 'd/b', 10),
    at1('cd', 'c/d', 1),
    at1('cm', 'c/m', 4),
  ]
  const { market, flow, frame } = frameFlow(pools, { prices: { a: 0.5, d: 1, m: 1 } })
  priceOutside(market, frame, flow, { probe: 0, passes: 4 })
  // What a, d and m cost, and then b; who sells for d and m, of whom c may, and then for c.
  assert.is(frame.effort.spent, 2 + 3 + 1 + 2 + (3 + 1) + (1 + 1) + 2)
})
s.run()
