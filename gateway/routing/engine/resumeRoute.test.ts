import { ask, pair, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { replayShares } from '../replayShares.ts'
import { near } from '../testing/near.ts'
import type { Certificate } from './certificate.ts'
import type { Again, FallenRoute } from './fallenRoute.ts'
import { createMarket, type Market, updateMarket } from './market.ts'
import { replayRoute } from './replayRoute.ts'
import type { Route } from './route.ts'
import type { Replaying } from './search.ts'

const s = suite('routes found from those that fell')
const million = 1_000_000
const deep = (id: string, tokens: string, more = 0) => pair(id, tokens, [million, million + more])
const before = createMarket([
  deep('one', 'a/d'),
  deep('two', 'a/d'),
  deep('ab', 'a/b'),
  deep('bd', 'b/d'),
  deep('aside', 'b/c'),
])

type Asked = Parameters<typeof ask>[1]

/** What is answered in a market, what it was told with, and how many plans were run for it. */
function find(market: Market, asked: Asked = {}) {
  const certificates: Certificate[] = []
  const held: Again[] = []
  let plans = 0
  const replay: Replaying = (_, plan) => {
    plans += 1
    const result = replayRoute(market, plan)
    return () => result
  }
  const told = {
    certified: (made: Certificate) => certificates.push(made),
    held: (again: Again) => held.push(again),
  }
  const route = ask(market, { ...asked, ...told, replay })
  if (!route) throw new Error('a route is found')
  const certificate = certificates.find((made) => made.route === route)
  const again = held.find((each) => each.route === route)
  const [isHeld, isNear] = [again !== undefined, again?.nearPrices !== undefined]
  return { route, certificate, isHeld, isNear, plans }
}

/** The route of one market, in another. */
function fallIn(
  market: Market,
  { of = before, ...own }: Partial<FallenRoute> & { of?: Market; asked?: Asked } = {},
): FallenRoute {
  const { asked, ...known } = own
  const { route, certificate } = find(of, asked)
  if (!certificate) throw new Error('it has a certificate')
  const { prices, boundPrices, unprovenBps } = certificate
  const { tokenIn = 'a', tokenOut = 'd', amountIn = route.amountIn } = asked ?? {}
  const again = replayShares(market, { route, tokenIn, tokenOut, amountIn })?.route
  if (!again) throw new Error('it swaps there')
  return { route: again, prices, boundPrices, unprovenBps, hasMoved: false, ...known }
}
const poolsOf = ({ steps }: Route) => steps.map(({ poolId }) => poolId).toSorted()

s('are themselves where nothing is better, and nothing is run for that [20/resume-held]', () => {
  const later = updateMarket(before, [deep('aside', 'b/c', 1)])
  const fallen = fallIn(later)
  const { route, certificate, isHeld, plans } = find(later, { fallen })
  assert.is(route.steps, fallen.route.steps)
  assert.equal([certificate, isHeld, plans], [undefined, true, 0])
  assert.ok((route.gapBps ?? 1) <= fallen.unprovenBps + 0.05)
})

s('have new prices where their own pools have others by now [20/resume-moved]', () => {
  const later = updateMarket(before, [deep('one', 'a/d', 3)])
  const fallen = fallIn(later, { unprovenBps: 0.2, hasMoved: true })
  const { route, certificate, isHeld } = find(later, { fallen })
  const anew = find(later)
  assert.ok(!isHeld && certificate)
  assert.is(certificate.route, route)
  assert.equal([certificate.isResumed, certificate.unprovenBps], [true, fallen.unprovenBps])
  const a = later.tokenIndex.get('a') ?? -1
  near(certificate.prices.get(a) ?? 0, anew.certificate?.prices.get(a) ?? 1, 1e-6)
})

s('take in what came, as a search anew does [20/resume-grown]', () => {
  const later = updateMarket(before, [deep('three', 'a/d'), deep('ad', 'd/a')])
  const fallen = fallIn(later)
  const { route, certificate, plans } = find(later, { fallen })
  const anew = find(later)
  assert.equal(poolsOf(route), poolsOf(anew.route))
  near(Number(route.amountOut), Number(anew.route.amountOut), 1e-9)
  assert.equal([certificate?.isResumed, anew.certificate?.isResumed], [true, false])
  assert.ok(plans < anew.plans, `${plans} of ${anew.plans}`)
})

s(
  'stay where they are proven to be near the best, and nothing is run for that [20/resume-near]',
  () => {
    const laterBy = (more: number) => updateMarket(before, [deep('one', 'a/d', more)])
    const answer = (market: Market, unprovenBps: number) => {
      const fallen = fallIn(market, { unprovenBps, hasMoved: true })
      const found = find(market, { fallen })
      return { ...found, isSame: found.route.steps === fallen.route.steps }
    }
    const near = answer(laterBy(40), 0.1)
    assert.equal([near.isSame, near.isNear, near.plans], [true, true, 0])
    assert.ok((near.route.gapBps ?? 1) <= 0.1)
    assert.is(near.certificate, undefined)
    assert.ok(answer(laterBy(40), 0.11).plans > 0, 'what was not proven to be near is tried')
    const far = answer(laterBy(3_000), 0.1)
    assert.ok(!far.isSame && far.plans > 0)
  },
)

s('leave out what pays its gas no more, though nothing came [20/resume-dear]', () => {
  // Of one swap a tenth of a basis point; the small pool earns twice as much, and then half.
  const asked = { amountIn: 10n ** 21n, gasPriceWei: 12n * 10n ** 10n }
  const [big, small] = [deep('one', 'a/d'), pair('two', 'a/d', [20_000, 20_000])]
  const both = createMarket([big, small])
  const dry = updateMarket(both, [pair('two', 'a/d', [20_000, 19_980])])
  const fallen = fallIn(dry, { of: both, asked, unprovenBps: 0.2, hasMoved: true })
  assert.equal(poolsOf(fallen.route), ['one', 'two'])
  const { route, certificate } = find(dry, { ...asked, fallen })
  assert.equal([poolsOf(route), certificate?.isResumed], [['one'], true])
})

s('are searched for anew where more of them is unproven, or much [20/resume-unproven]', () => {
  const later = updateMarket(before, [deep('three', 'a/d')])
  const isResumedWith = (unprovenBps: number) =>
    find(later, { fallen: fallIn(later, { unprovenBps }) }).certificate?.isResumed
  assert.equal([-1, 0, 0.5, 0.51].map(isResumedWith), [false, true, true, false])
  const { certificate } = find(later, { fallen: fallIn(later, { unprovenBps: -1 }) })
  assert.ok((certificate?.unprovenBps ?? -1) >= 0)
})

s('are searched for anew where gas is dear: fewer swaps may be better [20/resume-gas]', () => {
  const asked = { gasPriceWei: 10n ** 12n }
  const long = createMarket([deep('ab', 'a/b'), deep('bd', 'b/d')])
  const later = updateMarket(long, [pair('ad', 'a/d', [million, million - 3_000])])
  const fallen = fallIn(later, { of: long, asked, unprovenBps: 0.5 })
  const { route, certificate } = find(later, { ...asked, fallen })
  assert.equal([poolsOf(route), certificate?.isResumed], [['ad'], false])
})

s('stay where they are better than what is found, within the limits [20/resume-better]', () => {
  const asked = { gasPriceWei: 10n ** 12n }
  const both = createMarket([deep('ab', 'a/b'), deep('bd', 'b/d'), pair('ad', 'a/d', [1_000, 900])])
  const fallen = fallIn(both, { of: both, asked })
  assert.equal(poolsOf(fallen.route), ['ab', 'bd'])
  const near = { ...asked, maxHops: 1 }
  assert.equal(poolsOf(find(both, near).route), ['ad'], 'no other is found so near')
  const kept = find(both, { ...near, fallen })
  assert.equal([kept.route.steps, kept.isHeld], [fallen.route.steps, true])
  const moved = find(both, { ...near, fallen: { ...fallen, hasMoved: true } })
  assert.equal([moved.route.steps, moved.isHeld], [fallen.route.steps, false])
  assert.is(moved.certificate?.isResumed, false)
  assert.equal(poolsOf(find(both, { ...near, maxSteps: 1, fallen }).route), ['ad'])
})

s(
  'give way to what swaps for more, though by its curve it is less than they swap for [attack/resume-curves]',
  () => {
    const told = (id: string, more: number, less: number) => {
      const pool = deep(id, 'a/d', more)
      return { ...pool, curve: deep(id, 'a/d', less).curve }
    }
    const one = told('one', 0, -20_000)
    const others = ['two', 'three'].map((id) => told(id, 2_000, -8_000))
    const [of, later] = [createMarket([one]), createMarket([one, ...others])]
    for (const gasPriceWei of [0n, 10n ** 13n]) {
      const asked = { amountIn: 10n ** 22n, gasPriceWei }
      const fallen = fallIn(later, { of, asked, unprovenBps: 0.2 })
      assert.equal(poolsOf(find(later, { ...asked, fallen }).route), ['three', 'two'])
    }
  },
)

s('are no limit to what a search anew finds beside them [attack/resume-vain]', () => {
  const asked = { amountIn: 10n ** 23n, maxSteps: 4 }
  const both = createMarket([deep('one', 'a/d'), deep('two', 'a/d')])
  const later = updateMarket(both, [pair('three', 'a/d', [100_000, 100_000])])
  const { route } = find(later, { ...asked, fallen: fallIn(later, { of: both, asked }) })
  assert.equal(poolsOf(route), ['one', 'three', 'two'])
})

s('are not grown by what refuses [20/resume-refused]', () => {
  const liar = { ...deep('three', 'a/d', 9_000), swap: () => undefined }
  const later = updateMarket(before, [liar])
  const { route } = find(later, { fallen: fallIn(later) })
  assert.equal(poolsOf(route), poolsOf(find(later).route))
  assert.not.ok(poolsOf(route).includes('three'))
})

s(
  'have a quarter of the work, and take none from a search that has to follow [20/resume-work]',
  () => {
    const many = createMarket(Array.from({ length: 60 }, (_, k) => deep(`${k}`, 'a/d', k)))
    const one = fallIn(many, { of: many, asked: { maxSteps: 1 }, unprovenBps: 0.5 })
    const isResumedWith = (maxWork: number) =>
      find(many, { maxWork, fallen: one }).certificate?.isResumed
    // A search anew has enough of either.
    assert.equal([4_000, 16_000].map(isResumedWith), [false, true])
    const market = createMarket(randomMarket(5, 200))
    const fallen = fallIn(market, { of: market, asked: { maxSteps: 1 } })
    for (const maxWork of [5_000, 10_000, 20_000]) {
      const inVain = { ...fallen, unprovenBps: -1 }
      const { route } = find(market, { maxWork, fallen: inVain })
      assert.equal(route.amountOut, find(market, { maxWork }).route.amountOut, `${maxWork}`)
    }
  },
)

s('are searched for anew where a pool refuses what its curve promises [attack/resume-liar]', () => {
  const liar = { ...deep('liar', 'a/d', 3_000), swap: () => undefined }
  const both = createMarket([liar, deep('one', 'a/d'), deep('two', 'a/d')])
  const later = updateMarket(both, [deep('three', 'a/d', 2_500)])
  const { route } = find(later, { fallen: fallIn(later, { of: both }) })
  near(Number(route.amountOut), Number(find(later).route.amountOut), 1e-5)
})

s('are better than a single path where there is time for no more [attack/resume-late]', () => {
  const market = createMarket(randomMarket(5, 200))
  const later = updateMarket(market, [pair('new', 'a/d', [10, 10])])
  const asked = { amountIn: 10n ** 22n, maxSteps: 96, maxWork: 1_200_000, deadlineMs: 500 }
  const fallen = fallIn(later, { of: market, asked })
  for (const eachMs of [1, 20, 50, 200, 600]) {
    let ms = 0
    const now = () => {
      ms += eachMs
      return ms
    }
    const { route } = find(later, { ...asked, fallen, now })
    assert.ok(route.amountOut >= fallen.route.amountOut, `${eachMs} ms: ${route.amountOut}`)
  }
})

s.run()
