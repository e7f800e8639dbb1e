import { ask, pair } from '../../fixtures/chains/market.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Certificate } from './engine/certificate.ts'
import { createMarket, type Market, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
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
  /** What is known of the route beside what was found. */
  readonly own?: Partial<Route>
  readonly of?: Market
}
function find({ amountIn = 10n ** 18n, gasPriceWei = 0n, own = {}, of = market }: Asked = {}) {
  const found: Certificate[] = []
  const route = ask(of, { amountIn, gasPriceWei, certified: (made) => found.push(made) })
  const certificate = found.at(-1)
  if (!route || certificate?.route !== route) throw new Error('a route is found, and known for it')
  assert.equal(
    route.steps.map(({ poolId }) => poolId),
    ['one'],
  )
  const told = { ...certificate, route: { ...route, ...own } }
  const { renew } = createStandingRoute(of, told)
  const standsIn = (later: Market, changed: readonly string[], gasPart = 1) =>
    renew(later, { changed, gasPart })
  return { route, standsIn, amountIn }
}
/** The market in which one of its pools has so much of either token. */
const change = (id: string, tokens: string, reserves: readonly [number, number], of = market) =>
  updateMarket(of, [pair(id, tokens, reserves)])
/** Through it and the one before nothing is lost but so many millionths. */
const pathWith = (id: 'three' | 'five', millionths: number, of = market) =>
  change(id, id === 'three' ? 'b/d' : 'c/d', [million, 1_003_009 + millionths], of)

/** With a token that came nothing is proven anew: what pools could gain decides. */
const grown = change('new', 'x/y', [1, 1])
const unproven = { own: { gapBps: 5 } } as const

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
s('falls where another would bring as little as a unit more, of few [teeth/standing]', () => {
  const { standsIn } = find({ amountIn: 100_000n })
  // Eight millionths of it.
  assert.is(standsIn(change('beside', 'a/d', [million, 1_000_008]), ['beside']), undefined)
})
s(
  'stands while all that changed could bring half a hundredth of a basis point [teeth/standing]',
  () => {
    const { standsIn } = find(unproven)
    const later = pathWith('three', 2, grown)
    assert.ok(standsIn(later, ['three']))
    assert.ok(standsIn(later, ['three']), 'which counts once')
    assert.is(standsIn(pathWith('five', 2, later), ['five']), undefined, 'and adds up')
    const back = find(unproven).standsIn
    assert.ok(back(later, ['three']))
    assert.ok(back(grown, ['three']))
    assert.ok(back(pathWith('five', 2, grown), ['five']), 'what is over counts no more')
    assert.is(find(unproven).standsIn(pathWith('three', 5, grown), ['three']), undefined)
  },
)
s('takes for nothing what earns less than its gas [teeth/standing]', () => {
  // It would earn 2.06e16 more, where the pool of the route earns its own gas; 80,000 is a swap's.
  const standsAt = (gwei: bigint) =>
    find({ ...unproven, amountIn: thousand, gasPriceWei: gwei * 10n ** 9n }).standsIn(
      pathWith('three', -1_700, grown),
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
const worse = (by: number, of = market) => change('one', 'a/d', [million + by, million - by], of)
s('falls where its own pool loses what another route may not lose [20/standing-own]', () => {
  const standsAt = (by: number) =>
    find({ ...unproven, amountIn: thousand }).standsIn(worse(by, grown), ['one']) !== undefined
  assert.equal([2, 4].map(standsAt), [true, false])
})
s(
  'stands, at the same price of gas, where it is proven to be within a tenth [20/standing-proven]',
  () => {
    const standsAt = (gasPart: number) => {
      const { standsIn } = find({ amountIn: thousand, gasPriceWei: 1n })
      return standsIn(worse(4), ['one'], gasPart)?.gapBps
    }
    assert.ok((standsAt(1) ?? 1) <= 0.1)
    assert.is(standsAt(1.001), undefined)
  },
)
s('falls where gas costs so much more or less that others may be better [teeth/standing]', () => {
  const standsAt = (gasPart: number) =>
    find({ gasPriceWei: 10n ** 8n }).standsIn(market, [], gasPart) !== undefined
  // Its own takes eight millionths of what it brings, of which five may be missing.
  assert.equal([0.3, 0.5, 1, 1.5, 1.7].map(standsAt), [false, true, true, true, false])
})
s('has no gap where a token came: nothing is proven of the best there [teeth/standing]', () => {
  const again = find(unproven).standsIn(grown, ['new'])
  assert.ok(again)
  assert.is(again.gapBps, undefined)
})
s.run()
