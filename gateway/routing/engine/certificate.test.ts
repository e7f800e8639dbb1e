import { ask, pair } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { near } from '../testing/near.ts'
import { type Certificate, gainOf, laterGapBps } from './certificate.ts'
import { createMarket, type Market, updateMarket } from './market.ts'

const s = suite('certificates')
const direct = pair('direct', 'a/d', [1_000, 1_000], 0)
/** Less by a tenth each way: nothing through b pays. */
const [there, onwards] = [pair('ab', 'a/b', [1_000, 900], 0), pair('bd', 'b/d', [1_000, 900], 0)]
const amountIn = 10n ** 20n

function certify(market: Market) {
  const certificates: Certificate[] = []
  const route = ask(market, { amountIn, certified: (made) => certificates.push(made) })
  const [certificate] = certificates
  if (!route || !certificate) throw new Error('nothing is certified')
  return { route, certificate }
}
/** What a constant product of `x` and `y` earns most at prices of what it sells and buys. */
function mostOf(x: number, y: number, { cost, value }: { cost: number; value: number }): number {
  return Math.max(0, Math.sqrt(value * y) - Math.sqrt(cost * x)) ** 2
}

s('say what a route brings, and what its input is worth at the margin [teeth/certificates]', () => {
  const { route, certificate } = certify(createMarket([direct, there, onwards]))
  assert.equal([certificate.route, [...certificate.pools]], [route, ['direct']])
  assert.is(certificate.net, Number(route.amountOut))
  // A hundred of a thousand: (10 / 11) ** 2 at the margin.
  near(certificate.worth, 1e20 / 1.21, 1e-6)
  assert.ok((route.gapBps ?? 1) < 1e-3)
})

s('hold a pool against what a chain through it may earn at most [teeth/certificates]', () => {
  const market = createMarket([direct, there, onwards])
  const { certificate } = certify(market)
  const later = (changed: EnginePool) => updateMarket(market, [changed])
  const gain = (changed: EnginePool) => gainOf(later(changed), certificate, changed.id)
  const a = 1 / 1.21
  assert.is(gain(there), 0, 'as it was')
  // Of b a unit sells for nine tenths: at 1,050 for 1,000 it earns what its bend leaves of the rest.
  const rich = pair('ab', 'a/b', [1_000, 1_050], 0)
  near(gain(rich), mostOf(1e21, 1.05e21, { cost: a, value: 0.9 }), 0.02)
  // No more than all of the input goes through a pool outside of the route.
  const deep = pair('ab', 'a/b', [1_000_000, 2_000_000], 0)
  near(gain(deep), 1e20 * (2 * 0.9 - a), 0.02)
  // One that nobody knew, from the input to a token that was nobody's.
  const fresh = pair('new', 'a/d', [1_000, 990], 0)
  near(gain(fresh), mostOf(1e21, 0.99e21, { cost: a, value: 1 }), 0.001)
  assert.is(gainOf(market, certificate, 'nobody'), 0)
})

s('bound a later market with a shorter way by the gas of that one [20/later-shorter]', () => {
  const [first, second] = [pair('ab', 'a/b', [1e6, 1e6], 0), pair('bd', 'b/d', [1e6, 1e6], 0)]
  const market = createMarket([first, second])
  const question = { amountIn: 10n ** 18n, gasPriceWei: 10n ** 10n }
  const certificates: Certificate[] = []
  const route = ask(market, { ...question, certified: (made) => certificates.push(made) })
  const shorter = updateMarket(market, [pair('ad', 'a/d', [1e6, 1e6], 0)])
  const best = ask(shorter, question)
  const [certificate] = certificates
  if (!route || !best || !certificate) throw new Error('nothing was found')
  const net = ({ amountOut, gas }: typeof route) => Number(amountOut) - gas * 1e10
  const lacksBps = (1 - net(route) / net(best)) * 1e4
  assert.ok(lacksBps > 5, `${lacksBps} bps`)
  assert.ok((laterGapBps(shorter, certificate, route) ?? 0) >= lacksBps)
})

s('bound a later market at the prices of the search, where its tokens are the same', () => {
  const market = createMarket([direct, there, onwards])
  const { route, certificate } = certify(market)
  assert.ok((laterGapBps(market, certificate, route) ?? 1) < 1e-3)
  const better = updateMarket(market, [pair('more', 'a/d', [1_000, 1_000], 0)])
  // Twice as deep: 95.2 where 90.9 are had, and the bound knows of a little more.
  const gap = laterGapBps(better, certificate, route) ?? 0
  const real = (1 - 1 / 1.1 / (2 / 2.1)) * 1e4
  assert.ok(gap >= real && gap < 2 * real, `${gap}, really ${real}`)
  const others = updateMarket(market, [pair('x', 'a/x', [1_000, 1_000], 0)])
  assert.is(laterGapBps(others, certificate, route), undefined)
})
s.run()
