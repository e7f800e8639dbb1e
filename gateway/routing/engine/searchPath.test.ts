import { pair } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { createMarket, type Market } from './market.ts'
import { nativePrices } from './nativePrice.ts'
import { at } from './pieces.ts'
import { hopsFrom, hopsTo, type PathSearch, searchPath, spreadAmounts } from './searchPath.ts'

const s = suite('searchPath')
const numberOf = (market: Market, token: string) => market.tokenIndex.get(token) ?? -1
/** Sells any amount at nearly one rate. */
const at1 = (id: string, tokens: string, rate: number, gas = 1) =>
  curvePool(id, tokens, { pieces: [{ dx: 1e12, a: rate, b: 1e-15 }], gas })

function search(
  pools: readonly EnginePool[],
  { gasPrice, ...changes }: Partial<PathSearch> & { readonly gasPrice?: number } = {},
) {
  const market = createMarket(pools)
  const [tokenIn, tokenOut] = [numberOf(market, 'a'), numberOf(market, 'd')]
  const maxHops = changes.maxHops ?? 3
  const path = searchPath(
    market,
    {
      tokenIn,
      tokenOut,
      amountIn: 1_000,
      maxHops,
      gasCost: gasPrice ? new Float64Array(market.tokens.length).fill(gasPrice) : undefined,
      mustExceed: Number.NEGATIVE_INFINITY,
      effort: { spent: 0 },
      ...changes,
    },
    hopsTo(market, tokenOut, maxHops),
  )
  return path?.map((edge) => at(market.pools, market.edgePool[edge] as number)?.id)
}

s('counts the fewest hops either way, and one more than it looks [teeth/search-path]', () => {
  const market = createMarket(['a/b', 'b/c', 'c/d', 'd/e', 'b/e'].map((two) => at1(two, two, 1)))
  const hops = (count: typeof hopsTo, token: string, limit: number) =>
    [...'abcde'].map((one) => count(market, numberOf(market, token), limit)[numberOf(market, one)])
  for (const count of [hopsTo, hopsFrom]) {
    assert.equal(hops(count, 'a', 4), [0, 1, 2, 3, 2])
    assert.equal(hops(count, 'a', 2), [0, 1, 2, 3, 2], 'd is farther than two')
    assert.equal(hops(count, 'a', 1), [0, 1, 2, 2, 2])
    assert.equal(hops(count, 'a', 0), [0, 1, 1, 1, 1])
  }
  const apart = createMarket([at1('ac', 'a/c', 1), at1('bd', 'b/d', 1)])
  for (const count of [hopsTo, hopsFrom])
    assert.equal([...count(apart, numberOf(apart, 'a'), 3)], [0, 4, 1, 4])
})

s('takes the path that brings most, however many hops it may have [teeth/search-path]', () => {
  const pools = [at1('ad', 'a/d', 1), at1('ab', 'a/b', 2), at1('bd', 'b/d', 0.6)]
  const longer = [...pools, at1('bc', 'b/c', 1), at1('cd', 'c/d', 0.7)]
  assert.equal(search(longer), ['ab', 'bc', 'cd'])
  assert.equal(search(longer, { maxHops: 2 }), ['ab', 'bd'])
  assert.equal(search(longer, { maxHops: 1 }), ['ad'])
  assert.is(search(longer.slice(1), { maxHops: 1 }), undefined)
})

s('weighs gas, and of equal paths takes the shortest [teeth/search-path]', () => {
  const pools = [at1('ad', 'a/d', 1, 10), at1('ab', 'a/b', 1, 10), at1('bd', 'b/d', 1.1, 10)]
  assert.equal(search(pools), ['ab', 'bd'])
  // The second hop brings 100 for 10 units of gas.
  assert.equal(search(pools, { gasPrice: 9.9 }), ['ab', 'bd'])
  assert.equal(search(pools, { gasPrice: 10.1 }), ['ad'])
  assert.equal(search([at1('ad', 'a/d', 1), at1('ab', 'a/b', 1), at1('bd', 'b/d', 1)]), ['ad'])
  const two = [at1('dear', 'a/d', 1.01, 200), at1('cheap', 'a/d', 1, 10)]
  assert.equal(search(two), ['dear'])
  assert.equal(search(two, { gasPrice: 0.06 }), ['cheap'], '10 more for 11.4 of gas')
  assert.equal(search(two, { gasPrice: 0.05 }), ['dear'], '10 more for 9.5 of gas')
  // Where gas is free, nobody is better or worse for it.
  assert.equal(search([at1('good', 'a/d', 1.01), at1('more', 'a/d', 1, 500)]), ['good'])
  assert.equal(search([at1('ad', 'a/d', 1, 500), ...pools.slice(1)]), ['ab', 'bd'])
})

s('takes of two ways to a token what nets more there, and of equal ones the first', () => {
  const way = (token: string, rate: number, gas: number) => [
    at1(`a${token}`, `a/${token}`, 1),
    at1(`${token}d`, `${token}/d`, rate, gas),
  ]
  const through = (one: readonly EnginePool[], other: readonly EnginePool[]) =>
    search([...one, ...other], { gasPrice: 0.5 })
  // 1,200 less 51 or 151 of gas, and 1,100 less one.
  assert.equal(through(way('b', 1.2, 101), way('c', 1.1, 1)), ['ab', 'bd'])
  assert.equal(through(way('b', 1.2, 301), way('c', 1.1, 1)), ['ac', 'cd'])
  assert.equal(through(way('b', 1.1, 1), way('c', 1.2, 101)), ['ac', 'cd'])
  assert.equal(through(way('b', 1.1, 1), way('c', 1.2, 301)), ['ab', 'bd'])
  assert.equal(search([...way('b', 1.2, 1), ...way('c', 1.1, 1)]), ['ab', 'bd'])
  assert.equal(search([at1('p', 'a/d', 1), at1('q', 'a/d', 1)]), ['p'])
  assert.equal(search([at1('p', 'a/d', 0.9)], { amountIn: 1 }), ['p'], 'less than a unit')
})

s('looks for nothing that nets no more than is had already [teeth/search-path]', () => {
  const pools = [at1('ad', 'a/d', 1, 10)]
  assert.is(search(pools, { mustExceed: 1_000 }), undefined)
  assert.equal(search(pools, { mustExceed: 999 }), ['ad'])
  assert.is(search(pools, { mustExceed: 899, gasPrice: 10.2 }), undefined)
  assert.equal(search(pools, { mustExceed: 897, gasPrice: 10.2 }), ['ad'])
})

s('visits no token and no pool twice, whatever that would bring [teeth/search-path]', () => {
  // a → b → c → b would double it each time round.
  const round = [
    at1('ab', 'a/b', 1),
    at1('bc', 'b/c', 2),
    at1('cb', 'c/b', 2),
    at1('bd', 'b/d', 1),
    at1('cd', 'c/d', 0.4),
  ]
  assert.equal(search(round, { maxHops: 6 }), ['ab', 'bd'])
  const home = [at1('ab', 'a/b', 1), at1('ba', 'b/a', 9), at1('bd', 'b/d', 1), at1('ad', 'a/d', 1)]
  assert.equal(search(home, { maxHops: 4 }), ['ad'])
  // One pool of three tokens sells a for b and b for d, but only once.
  const three = at1('three', 'a/b/d', 2)
  assert.equal(search([three, at1('bd', 'b/d', 1.5)]), ['three', 'bd'])
  assert.equal(search([three, at1('bd', 'b/d', 0.9)]), ['three'])
  // Nor with another one between.
  const ends = at1('ends', 'a/b/c/d', 2)
  const curve: EnginePool['curve'] = (i, j) =>
    i !== 1 && j === i + 1 ? ends.curve(i, j) : undefined
  const between = [{ ...ends, curve }, at1('bc', 'b/c', 2), at1('cd', 'c/d', 0.9)]
  assert.equal(search(between), ['ends', 'bc', 'cd'])
})

s('spreads an amount over all tokens by their best paths, free of gas', () => {
  const market = createMarket([
    at1('ab', 'a/b', 2),
    at1('bc', 'b/c', 3),
    at1('ac', 'a/c', 5),
    at1('cd', 'c/d', 1),
    at1('de', 'd/e', 1),
    at1('ef', 'e/f', 1),
  ])
  const amounts = spreadAmounts(market, {
    source: numberOf(market, 'a'),
    amountIn: 100,
    maxHops: 3,
  })
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = [...'abcdef'].map(
    (one) => amounts[numberOf(market, one)],
  )
  assert.equal([a, f], [100, 0], 'f is four hops away')
  for (const [amount, expected] of [
    [b, 200],
    [c, 600],
    [d, 600],
    [e, 500],
  ] as const)
    near(amount, expected, 1e-7)
})

s(
  'tells what a unit of the native currency is worth, by three hops at most [teeth/native-price]',
  () => {
    const even = (id: string, tokens: string) => pair(id, tokens, [1_000_000, 2_000_000], 0)
    const market = createMarket([
      even('1', 'n/a'),
      even('2', 'a/b'),
      even('3', 'b/c'),
      even('4', 'c/d'),
      even('5', 'x/y'),
    ])
    const prices = nativePrices(market, 'n')
    const priceOf = (token: string) => prices[numberOf(market, token)]
    for (const [token, price] of [
      ['n', 1],
      ['a', 2],
      ['b', 4],
      ['c', 8],
    ] as const)
      near(priceOf(token), price, 1e-6)
    assert.equal([priceOf('d'), priceOf('x')], [0, 0])
    assert.is(nativePrices(market, 'n'), prices, 'found once for a market')
    assert.equal(
      [...nativePrices(market, 'nobody')],
      [...prices].map(() => 0),
    )
    near(nativePrices(market, 'x')[numberOf(market, 'y')], 2, 1e-6)
  },
)

s('counts the pairs and pools that it looks at, and a quarter for a look at a rate', () => {
  const effort = { spent: 0 }
  const pools = [at1('ad', 'a/d', 1), at1('ab', 'a/b', 2), at1('bd', 'b/d', 0.6)]
  assert.equal(search(pools, { effort }), ['ab', 'bd'])
  // Rates into d, a and b, and a once more; pairs of a and b, and the three pools.
  assert.is(effort.spent, (4 * 2) / 4 + 2 * 2 + 3)
  const work = (all: readonly EnginePool[], own: Parameters<typeof search>[1] = {}) => {
    const spent = { spent: 0 }
    search(all, { ...own, effort: spent })
    return spent.spent
  }
  const ad = at1('ad', 'a/d', 1)
  // Rates into d and into a, and the pair of a: its pool where it may net more than is had already.
  assert.equal(
    [999.5, 1_000.5, 1_500].map((mustExceed) => work([ad], { mustExceed })),
    [1.5 + 1, 1.5, 1.5],
  )
})
s.run()
