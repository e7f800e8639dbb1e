import { ask, pair } from '../../fixtures/chains/market.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Certificate } from './engine/certificate.ts'
import { createMarket, type Market, poolOf, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import type { EnginePool } from './protocols/maths/enginePool.ts'
import { createStandingRoute } from './standingRoute.ts'

const s = suite('a route that may stand')
const million = 1_000_000
const thousand = 1_000n * 10n ** 18n
const market = createMarket([
  pair('one', 'a/d', [million, million]),
  pair('two', 'a/b', [million, million]),
  pair('three', 'b/d', [million, million]),
  pair('four', 'a/c', [million, million]),
  pair('five', 'c/d', [million, million]),
])

type Asked = {
  readonly amountIn?: bigint
  readonly gasPriceWei?: bigint
  /** A token off the route that its flow has a price for as well. */
  readonly priced?: string
  /** By this part prices of its bound are too high: what pools could gain decides then. */
  readonly unproven?: number
  readonly of?: Market
}
function find(asked: Asked = {}) {
  const { amountIn = 10n ** 18n, gasPriceWei = 0n, unproven = 0, of = market, priced = 'd' } = asked
  const found: Certificate[] = []
  const route = ask(of, { amountIn, gasPriceWei, certified: (made) => found.push(made) })
  const certificate = found.at(-1)
  if (!route || certificate?.route !== route) throw new Error('a route is found, and known for it')
  assert.equal(
    route.steps.map(({ poolId }) => poolId),
    ['one'],
  )
  const { boundPrices, frame } = certificate
  const raise = (price: number, token: number) =>
    token === frame.tokenOut ? 1 : (1 + unproven) * price
  const prices = new Map([...certificate.prices, [of.tokenIndex.get(priced) ?? -1, 1]])
  const told = { ...certificate, prices, boundPrices: boundPrices.map(raise) }
  const { renew, hold } = createStandingRoute(of, told)
  const renewIn = (later: Market, changed: readonly string[], gasPart = 1) =>
    renew(later, { changed: new Set(changed), gasPrice: gasPart * frame.gasPrice })
  const standsIn = (...later: Parameters<typeof renewIn>) => renewIn(...later)?.route
  return { route, standsIn, renewIn, hold, amountIn }
}
/** The market in which one of its pools has so much of either token. */
const change = (id: string, tokens: string, reserves: readonly [number, number], of = market) =>
  updateMarket(of, [pair(id, tokens, reserves)])
/** Through it and the one before nothing is lost but so many millionths. */
const pathWith = (id: 'three' | 'five', millionths: number, of = market) =>
  change(id, id === 'three' ? 'b/d' : 'c/d', [million, 1_003_009 + millionths], of)

const unproven = { unproven: 0.001 } as const

s('is found as it was where nothing of its own has changed [teeth/standing]', () => {
  const { route, standsIn } = find()
  const aside = change('six', 'b/c', [million, million])
  const again = standsIn(aside, ['six'])
  assert.equal([again?.amountOut, again?.steps], [route.amountOut, route.steps])
  assert.ok((again?.gapBps ?? 11) <= 10)
  // A unit is more than may be missing here.
  assert.ok(find({ amountIn: 100_000n }).standsIn(aside, ['six']))
})
s('is run anew where its pool has changed, to the better or worse [teeth/standing]', () => {
  for (const reserves of [
    [1_000_001, 999_999],
    [999_999, 1_000_001],
  ] as const) {
    const { route, standsIn, amountIn } = find()
    const later = change('one', 'a/d', reserves)
    const again = standsIn(later, ['one'])
    assert.is(again?.amountOut, ask(later, { amountIn })?.amountOut)
    assert.not.equal(again?.amountOut, route.amountOut)
  }
  assert.is(find().standsIn(updateMarket(market, [], ['one']), ['one']), undefined)
})
s('falls where its pool is of other tokens by now [20/standing-tokens]', () => {
  assert.is(find().standsIn(change('one', 'x/d', [million, million]), ['one']), undefined)
})
s('falls where what its flow had a price for is no token any more [20/standing-tokens]', () => {
  const without = updateMarket(market, [], ['four', 'five'])
  const gone = ['four', 'five']
  assert.ok(find({ priced: 'b' }).standsIn(without, gone))
  assert.is(find({ priced: 'c' }).standsIn(without, gone), undefined)
})
s('falls where another would bring as little as a unit more, of few [teeth/standing]', () => {
  const { standsIn } = find({ amountIn: 100_000n })
  // Eight millionths of it.
  assert.is(standsIn(change('beside', 'a/d', [million, 1_000_008]), ['beside']), undefined)
})
s(
  'stands while all that changed could bring half a hundredth of a basis point [teeth/standing]',
  () => {
    const { standsIn } = find(unproven)
    const later = pathWith('three', 2)
    assert.ok(standsIn(later, ['three']))
    assert.ok(standsIn(later, ['three']), 'which counts once')
    assert.is(standsIn(pathWith('five', 2, later), ['five']), undefined, 'and adds up')
    const back = find(unproven).standsIn
    assert.ok(back(later, ['three']))
    assert.ok(back(market, ['three']))
    assert.ok(back(pathWith('five', 2), ['five']), 'what is over counts no more')
    assert.is(find(unproven).standsIn(pathWith('three', 5), ['three']), undefined)
  },
)
s('stands again where it is near by other prices, while these say so [20/standing-near]', () => {
  const later = pathWith('three', 5)
  const prices: Float64Array[] = []
  ask(later, { amountIn: 10n ** 18n, certified: (made) => prices.push(made.boundPrices) })
  const standsBy = (nearPrices?: Float64Array) => {
    const { renewIn, hold, standsIn } = find(unproven)
    const fallen = renewIn(later, ['three'])?.fallen
    if (!fallen) throw new Error('it falls')
    hold({ route: fallen.route, nearPrices })
    return standsIn(later, [])
  }
  const near = prices.at(-1)
  assert.ok((standsBy(near)?.gapBps ?? 1) <= 0.1)
  assert.ok(standsBy(), 'what changed could gain was in vain')
  const raised = near?.map((price, token) => (token === later.tokenIndex.get('d') ? 1 : 2 * price))
  assert.is(standsBy(raised), undefined, 'of which other prices say nothing')
})
s('takes for nothing what earns less than its gas [teeth/standing]', () => {
  // It would earn 2.06e16 more, where the pool of the route earns its own gas; 80,000 is a swap's.
  const standsAt = (gwei: bigint) =>
    find({ ...unproven, amountIn: thousand, gasPriceWei: gwei * 10n ** 9n }).standsIn(
      pathWith('three', -1_700),
      ['three'],
    ) !== undefined
  assert.equal([300n, 200n, 190n].map(standsAt), [true, true, false])
})
s('falls where another pool takes the place of one, and its gas [20/standing-instead]', () => {
  const pools = [pair('one', 'a/d', [million, million]), pair('two', 'a/d', [10_000, 9_990])]
  const gas = { gasPriceWei: 10n ** 10n }
  const { standsIn, amountIn } = find({ ...gas, of: createMarket(pools) })
  const later = createMarket([...pools.slice(0, 1), pair('two', 'a/d', [10_000, 10_003])])
  assert.is(standsIn(later, ['two']), undefined)
  const best = ask(later, { ...gas, amountIn })
  assert.equal(
    best?.steps.map(({ poolId }) => poolId),
    ['two'],
  )
})
const worse = (by: number) => change('one', 'a/d', [million + by, million - by])
s('falls where its own pool loses what another route may not lose [20/standing-own]', () => {
  const standsAt = (by: number) =>
    find({ ...unproven, amountIn: thousand }).standsIn(worse(by), ['one']) !== undefined
  assert.equal([2, 4].map(standsAt), [true, false])
})
s(
  'stands where it is proven to be within a tenth, at any price of gas [20/standing-proven]',
  () => {
    for (const gasPart of [0.5, 1, 2]) {
      const { standsIn } = find({ amountIn: thousand, gasPriceWei: 1n })
      const { gapBps = 1 } = standsIn(worse(4), ['one'], gasPart) ?? {}
      assert.ok(gapBps > 0 && gapBps <= 0.1, `${gapBps}`)
    }
  },
)
s('falls where so little is proven that pools must disagree [20/standing-unproven]', () => {
  const standsAt = (part: number) => find({ unproven: part }).standsIn(market, []) !== undefined
  assert.equal([0.009, 0.011].map(standsAt), [true, false])
})
s('falls where gas costs so much more that others may be better [teeth/standing]', () => {
  const standsAt = (gasPart: number) =>
    find({ ...unproven, gasPriceWei: 10n ** 8n }).standsIn(market, [], gasPart) !== undefined
  // Its own takes eight millionths of what it brings, of which five may be missing.
  assert.equal([1, 1.5, 1.7].map(standsAt), [true, true, false])
})
s('falls where gas costs so much less that a dearer way is the best [20/standing-gas]', () => {
  // Forty millionths more through b, for ten times the gas: 48 millionths where the direct pool takes less than 5.
  const dear = ['two', 'three'].flatMap((id) => poolOf(pathWith('three', 40), id) ?? [])
  const of = updateMarket(
    market,
    dear.map((pool) => ({ ...pool, gas: 400_000 })),
  )
  const standsAt = (gasPart: number) =>
    find({ of, gasPriceWei: 6n * 10n ** 7n }).standsIn(of, [], gasPart) !== undefined
  assert.equal([1.1, 1, 0.95, 0.5, 0].map(standsAt), [true, true, true, false, false])
})
s('falls where gas has come to take all that it brings [20/standing-nothing]', () => {
  const { standsIn } = find({ gasPriceWei: 10n ** 12n })
  const better = change('beside', 'a/d', [10, 13])
  assert.is(standsIn(better, ['beside'], 20), undefined)
})
s('is bounded where a token came, too [teeth/standing]', () => {
  const again = find().standsIn(change('new', 'x/y', [1, 1]), ['new'])
  assert.ok((again?.gapBps ?? 1) < 0.1)
})

/** How much more a search brings in a later market than the route that stands there; undefined where it falls. */
function lacksBps(pools: readonly EnginePool[], changed: readonly EnginePool[], own: Lack = {}) {
  const { amountIn = 10n ** 18n, gasPriceWei = 0n, gone = [] } = own
  const before = createMarket(pools)
  const found: Certificate[] = []
  const question = { amountIn, gasPriceWei, certified: (made: Certificate) => found.push(made) }
  ask(before, question)
  const [certificate] = found
  if (!certificate) throw new Error('nothing is certified')
  const later = updateMarket(updateMarket(before, [], gone), changed)
  const ids = new Set(changed.map(({ id }) => id))
  const { gasPrice } = certificate.frame
  const { renew } = createStandingRoute(before, certificate)
  const stood = renew(later, { changed: ids, gasPrice })?.route
  const best = ask(later, question)
  const net = ({ amountOut, gas }: Route) => Number(amountOut) - gas * gasPrice
  return stood && best && (net(best) / net(stood) - 1) * 1e4
}
type Lack = {
  readonly amountIn?: bigint
  readonly gasPriceWei?: bigint
  readonly gone?: readonly string[]
}
const deep = (id: string, tokens: string, feePips = 0) =>
  pair(id, tokens, [million, million], feePips)
const dust = (id: string, tokens: string) => pair(id, tokens, [1, 1], 0)

s('falls where pools of dust on one way grow deep together [20/standing-together]', () => {
  const own = { amountIn: thousand }
  const pools = [deep('one', 'a/d', 3_000), dust('two', 'a/b'), dust('three', 'b/d')]
  assert.is(lacksBps(pools, [deep('two', 'a/b'), deep('three', 'b/d')], own), undefined)
  const through = [
    deep('two', 'a/x'),
    deep('three', 'x/y'),
    deep('four', 'y/z'),
    deep('five', 'z/d'),
  ]
  assert.is(lacksBps(pools.slice(0, 1), through, own), undefined, 'of tokens that came')
  assert.ok((lacksBps(pools, [deep('two', 'a/b')], own) ?? 1) < 0.1, 'one of them is no way')
})
s('falls where little can go through what came, for much more [20/standing-small]', () => {
  const pools = [deep('one', 'a/d'), dust('two', 'a/b')]
  const lacksFor = (d: number) =>
    lacksBps(pools, [pair('three', 'b/d', [1, d], 0)], { amountIn: thousand })
  assert.is(lacksFor(5), undefined)
  assert.ok((lacksFor(1) ?? 1) < 0.1, 'at the same price that little is nothing')
})
s('falls where the way to what came is nearly drained [20/standing-drained]', () => {
  // A millionth of what goes in is worth as much by the first price as all of it by the last.
  const pools = [pair('one', 'a/b', [1, million], 0), pair('two', 'b/d', [1_000, 1_000], 0)]
  const beside = pair('three', 'b/d', [1_000 * million, million], 0)
  assert.is(lacksBps(pools, [beside], { amountIn: 1_000n * thousand }), undefined)
})
s('falls where what grew is no better, and saves a swap [20/standing-saves]', () => {
  const own = { gasPriceWei: 10n ** 10n }
  const pools = [deep('one', 'a/b'), deep('two', 'b/d'), dust('three', 'a/d')]
  assert.is(lacksBps(pools, [deep('three', 'a/d')], own), undefined)
  assert.ok(
    (lacksBps(pools, [deep('three', 'a/d', 10_000)], own) ?? 1) < 0.1,
    'at its fee it is worse',
  )
  const long = [deep('one', 'a/b'), deep('two', 'b/c'), deep('three', 'c/d')]
  const aside = [...long, deep('four', 'a/x'), dust('five', 'x/d')]
  assert.is(lacksBps(aside, [deep('five', 'x/d')], own), undefined, 'through a token of its own')
})
s('falls where what it buys had no pool for a while [20/standing-return]', () => {
  const pools = [deep('one', 'a/d', 10_000), deep('two', 'a/b')]
  const back = [deep('one', 'a/d', 10_000), deep('three', 'a/d')]
  assert.is(lacksBps(pools, back, { gone: ['one'] }), undefined)
})
s.run()
