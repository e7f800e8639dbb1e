import { ask, pair } from '../../fixtures/chains/market.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Certificate } from './engine/certificate.ts'
import { createMarket, type Market, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { createStandingRoute } from './standingRoute.ts'

const s = suite('a route that may stand')
const million = 1_000_000
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
}
function find({ amountIn = 10n ** 18n, gasPriceWei = 0n, own = {} }: Asked = {}) {
  const found: Certificate[] = []
  const route = ask(market, { amountIn, gasPriceWei, certified: (made) => found.push(made) })
  const certificate = found.at(-1)
  if (!route || certificate?.route !== route) throw new Error('a route is found, and known for it')
  assert.equal(
    route.steps.map(({ poolId }) => poolId),
    ['one'],
  )
  const told = { ...certificate, route: { ...route, ...own } }
  const { renew } = createStandingRoute(market, told)
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
    const { standsIn } = find()
    const later = pathWith('three', 2)
    assert.ok(standsIn(later, ['three']))
    assert.ok(standsIn(later, ['three']), 'which counts once')
    assert.is(standsIn(pathWith('five', 2, later), ['five']), undefined, 'and adds up')
    const back = find().standsIn
    assert.ok(back(later, ['three']))
    assert.ok(back(market, ['three']))
    assert.ok(back(pathWith('five', 2), ['five']), 'what is over counts no more')
    assert.is(find().standsIn(pathWith('three', 5), ['three']), undefined)
  },
)
s('takes for nothing what earns less than its gas [teeth/standing]', () => {
  const standsAt = (gasPriceWei: bigint) =>
    find({ gasPriceWei }).standsIn(pathWith('three', 50), ['three']) !== undefined
  // Five thousandths of a hundredth, of which a swap's 80,000 take 0.08, 0.048 and 0.04.
  assert.equal([10n ** 9n, 6n * 10n ** 8n, 5n * 10n ** 8n].map(standsAt), [true, true, false])
})
s('falls where gas costs so much more or less that others may be better [teeth/standing]', () => {
  const standsAt = (gasPart: number) =>
    find({ gasPriceWei: 10n ** 8n }).standsIn(market, [], gasPart) !== undefined
  // Its own takes eight millionths of what it brings, of which five may be missing.
  assert.equal([0.3, 0.5, 1, 1.5, 1.7].map(standsAt), [false, true, true, true, false])
})
s('is within ten basis points of the best by what is known of it [teeth/standing]', () => {
  // Of a token that came nobody knows a price.
  const grown = change('new', 'x/y', [1, 1])
  const standsWith = (gapBps: number | undefined) =>
    find({ own: { gapBps } }).standsIn(grown, ['new'])
  assert.equal(
    [10, 10.5, undefined].map((gapBps) => standsWith(gapBps) !== undefined),
    [true, false, false],
  )
  assert.is(standsWith(10)?.gapBps, undefined)
})
s.run()
