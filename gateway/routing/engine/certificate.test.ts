import { ask, pair, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool, evenPool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { type Certificate, gainsOf, holdIn, laterBound } from './certificate.ts'
import { createMarket, type Market, updateMarket } from './market.ts'
import type { Route } from './route.ts'
import { frameBetween } from './searchFrame.ts'

const s = suite('certificates')
const direct = pair('direct', 'a/d', [1_000, 1_000], 0)
/** Less by a tenth each way: nothing through b pays. */
const [there, onwards] = [pair('ab', 'a/b', [1_000, 900], 0), pair('bd', 'b/d', [1_000, 900], 0)]
const amountIn = 10n ** 20n

function certify(market: Market, own: Parameters<typeof ask>[1] = {}) {
  const certificates: Certificate[] = []
  const route = ask(market, { amountIn, ...own, certified: (made) => certificates.push(made) })
  const [certificate] = certificates
  if (!route || !certificate) throw new Error('nothing is certified')
  return { route, certificate }
}
const later = (market: Market, certificate: Certificate) => ({
  frame: frameBetween(market, certificate.frame),
  certificate,
})
function listGains(market: Market, certificate: Certificate, id: string) {
  return gainsOf(market, holdIn(market, later(market, certificate)), id)
}
/** What swaps through a pool earn at most, either way. */
function gainOf(market: Market, certificate: Certificate, id: string): number {
  return listGains(market, certificate, id).reduce((sum, { now }) => sum + now, 0)
}
/** How far, at most, the best possible route lies above this one. */
function gapOf(market: Market, certificate: Certificate, { amountOut, gas }: Route): number {
  const net = Number(amountOut) - gas * certificate.frame.gasPrice
  return (1 - net / laterBound(market, frameBetween(market, certificate.frame), certificate)) * 1e4
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
  const gain = (changed: EnginePool) =>
    gainOf(updateMarket(market, [changed]), certificate, changed.id)
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
  const { route, certificate } = certify(market, question)
  const shorter = updateMarket(market, [pair('ad', 'a/d', [1e6, 1e6], 0)])
  const best = ask(shorter, question)
  if (!best) throw new Error('nothing was found')
  const net = ({ amountOut, gas }: typeof route) => Number(amountOut) - gas * 1e10
  const lacksBps = (1 - net(route) / net(best)) * 1e4
  assert.ok(lacksBps > 5, `${lacksBps} bps`)
  assert.ok(gapOf(shorter, certificate, route) >= lacksBps)
})

s('bound a later market at the prices of the search [20/later-token]', () => {
  const market = createMarket([direct, there, onwards])
  const { route, certificate } = certify(market)
  assert.ok(gapOf(market, certificate, route) < 1e-3)
  const better = updateMarket(market, [pair('more', 'a/d', [1_000, 1_000], 0)])
  // Twice as deep: 95.2 where 90.9 are had, and the bound knows of a little more.
  const gap = gapOf(better, certificate, route)
  const real = (1 - 1 / 1.1 / (2 / 2.1)) * 1e4
  assert.ok(gap >= real && gap < 2 * real, `${gap}, really ${real}`)
  const others = updateMarket(market, [pair('x', 'a/x', [1_000, 1_000], 0)])
  assert.ok(gapOf(others, certificate, route) < 1e-3, 'of a token that came, too')
})

s('know of each pool what it earns at the margin, on the route or beyond its gas', () => {
  // 200 for each step: the small one would bring 109, which is none.
  const pools = [
    evenPool('big', 'a/d', { depth: 9e6 }),
    evenPool('small', 'a/d', { depth: 1e6 }),
    evenPool('zero', 'a/d', { rate: 0.9 }),
  ]
  const market = createMarket(pools)
  const dear = { amountIn: 100_000n, gasPriceWei: 200n, nativeToken: 'd' }
  const { route, certificate } = certify(market, dear)
  assert.equal([...certificate.pools], ['big'])
  assert.is(certificate.net, Number(route.amountOut) - 200)
  const first = (id: string) =>
    listGains(market, certificate, id).reduce((sum, gain) => sum + gain.first, 0)
  assert.is(certificate.gains.places.size, 1)
  near(first('big'), 9e6 * (1 / 91) ** 2, 1e-3)
  for (const { id } of pools) assert.is(first(id), gainOf(market, certificate, id))
  assert.is(gainOf(market, certificate, 'nobody'), 0)
})

s('tell what a pool of several tokens earns each way', () => {
  const three = curvePool('three', 'a/b/d', { pieces: [{ dx: 1e9, a: 0.99, b: 1e-6 }] })
  const market = createMarket([
    evenPool('ad', 'a/d'),
    evenPool('ab', 'a/b'),
    evenPool('bd', 'b/d'),
    three,
  ])
  const { certificate } = certify(market, { amountIn: 100_000n, maxSteps: 1 })
  assert.equal([...certificate.pools], ['ad'])
  const direct = (Math.sqrt(0.99) - 1 / 1.1) ** 2 * 1e6
  const gains = listGains(market, certificate, 'three')
  for (const { first, now } of gains) near(first, now, 1e-12)
  const gain = gainOf(market, certificate, 'three')
  assert.ok(gain > 1.5 * direct && gain < 4 * direct, `${gain} of ${direct}`)
})

s('keep apart what a pool earns one way and the other [20/standing-ways]', () => {
  const sides = [pair('ac', 'a/c', [1_000, 900], 0), pair('cd', 'c/d', [1_000, 900], 0)]
  const between = (b: number, c: number) => pair('between', 'b/c', [b, c], 0)
  const market = createMarket([direct, there, onwards, ...sides, between(1_000, 1_050)])
  const { certificate } = certify(market, { maxSteps: 1 })
  const turned = updateMarket(market, [between(1_050, 1_000)])
  const [one, other] = gainsOf(turned, holdIn(market, later(market, certificate)), 'between')
  assert.ok(one && other && one.first > 0)
  assert.is(one.now, 0)
  assert.ok(other.now - other.first > one.first / 2, `${other.first}, then ${other.now}`)
})

s('hold what could earn already to the prices of then, too [20/standing-chains]', () => {
  const onwardsFor = (c: number) => pair('cd', 'c/d', [1_000, c], 0)
  const between = (c: number) => pair('between', 'b/c', [1_000, c], 0)
  const market = createMarket([direct, there, onwards, onwardsFor(900), between(1_050)])
  const { certificate } = certify(market, { maxSteps: 1 })
  const earn = (changed: readonly EnginePool[]) => {
    const [way] = listGains(updateMarket(market, changed), certificate, 'between')
    if (!way) throw new Error('it is there')
    return way
  }
  const grown = earn([between(1_070)])
  assert.ok(grown.first > 0 && grown.now > grown.first)
  // The best chain behind it brings less. What goes through it may have another.
  assert.equal(earn([between(1_070), onwardsFor(880)]), grown)
  const more = earn([between(1_070), onwardsFor(920)])
  assert.ok(more.now > grown.now, `${more.now} of ${grown.now}`)
})

s('count nothing that leads back to what is sold, or on from what is bought', () => {
  const { certificate } = certify(createMarket([direct, there, onwards]))
  // Each sells one way at a third of the price, and the other way at three times of it.
  for (const tokens of ['a/d', 'a/b', 'b/d']) {
    const back = pair('back', tokens, [3_000, 1_000], 0)
    const turned = updateMarket(createMarket([direct, there, onwards]), [back])
    assert.is(gainOf(turned, certificate, 'back'), 0, tokens)
  }
})

s('hold no pool of the route to what is sold now', () => {
  const market = createMarket([direct, there, onwards])
  const { certificate } = certify(market)
  const better = pair('direct', 'a/d', [1_000, 9_000], 0)
  near(
    gainOf(updateMarket(market, [better]), certificate, 'direct'),
    mostOf(1e21, 9e21, { cost: 1 / 1.21, value: 1 }),
    1e-6,
  )
})

s('price a token that nobody knew by what buys and sells it best', () => {
  const market = createMarket([direct, there, onwards])
  const { route, certificate } = certify(market)
  const a = 1 / 1.21
  const came = [
    pair('ax', 'a/x', [1_000, 1_500], 0),
    pair('bx', 'b/x', [1_000, 1_000], 0),
    pair('xd', 'x/d', [1_000, 1_000], 0),
    pair('yz', 'y/z', [1_000, 1_000], 0),
  ]
  const grown = updateMarket(market, came)
  const gain = (id: string) => gainOf(grown, certificate, id)
  // x costs least by a, and sells for most into d, less what a hundredth bends; what z and y are worth nothing tells.
  const sold = 1e20
  const bought = (1.5e21 * sold) / (1e21 + sold)
  near(gain('ax'), bought - a * sold, 0.01)
  const cost = a / 1.5
  // What goes in is worth no more than what comes out, wherever it has come to.
  const offered = Number(route.amountOut) / cost
  near(gain('xd'), (1e21 * offered) / (1e21 + offered) - cost * offered, 0.01)
  assert.is(gain('yz'), 0)
})

s('tell how far a route lies below a bound, less the gas that it takes', () => {
  const market = createMarket([direct, there, onwards])
  const { route, certificate } = certify(market)
  const better = updateMarket(market, [pair('more', 'a/d', [1_000, 1_000], 0)])
  // At the margin of the first pool both earn 1 / 121 of their thousand, and a hundred are worth 100 / 1.21.
  near(gapOf(better, certificate, route), 1e4 / 12, 1e-5)
  const worse = updateMarket(market, [pair('direct', 'a/d', [500, 500], 0)])
  assert.ok(gapOf(worse, certificate, route) < 0, 'nothing there is as good')
  const gas = { amountIn: 100_000n, gasPriceWei: 200n, nativeToken: 'd' }
  const big = createMarket([evenPool('big', 'a/d', { depth: 9e6 })])
  const dear = certify(big, gas)
  const gap = gapOf(big, dear.certificate, dear.route)
  assert.ok(gap < 1, `${gap}`)
  const bound = dear.certificate.net / (1 - gap / 1e4)
  const more = gapOf(big, dear.certificate, { ...dear.route, gas: dear.route.gas + 10 })
  near(more - gap, (2_000 / bound) * 1e4, 1e-6)
})

s('know of each pool what it could earn already, also by the gas that it saves', () => {
  let [saving, aside] = [0, 0]
  for (let seed = 1; seed <= 40; seed++) {
    const pools = seed % 2 ? randomMarket(seed, 8) : randomMarket(seed, 40, 'abcdefghijkl')
    const market = createMarket(pools)
    const certificates: Certificate[] = []
    const gasPriceWei = seed % 2 ? 3_000n * 10n ** 9n : BigInt(seed) * 10n ** 9n
    ask(market, { amountIn, gasPriceWei, certified: (made) => certificates.push(made) })
    for (const certificate of certificates) {
      if (Number.isFinite(certificate.least)) saving += 1
      for (const { id } of pools)
        for (const { first, now } of listGains(market, certificate, id)) {
          assert.is(first, now, id)
          if (first > 0 && !certificate.pools.has(id)) aside += 1
        }
    }
  }
  assert.ok(saving > 5, `${saving} in which a swap may be saved`)
  assert.ok(aside > 5, `${aside} pools off their routes that earn`)
})
s.run()
