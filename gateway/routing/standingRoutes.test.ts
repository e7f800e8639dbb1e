import { ask, pair } from '../../fixtures/chains/market.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { collectGarbage } from '../bench/collectGarbage.ts'
import { proveStanding } from '../bench/quote/proveStanding.ts'
import type { Certificate } from './engine/certificate.ts'
import { createMarket, type Market, updateMarket } from './engine/market.ts'
import { createStandingRoutes, type StandingRoutes } from './standingRoutes.ts'

const s = suite('standingRoutes')

s('stand while no search brings a tenth of a basis point more [20/standing]', () => {
  const size = { pools: 200, tokens: 30, seed: 7, changedPerBlock: 2 }
  const { asked, stood, worstBps, wrong, falseGaps } = proveStanding(size, {
    count: 100,
    questions: 20,
  })
  assert.ok(stood >= 100 && stood > asked / 4, `${stood} of ${asked}`)
  assert.ok(worstBps <= 0.1, `${worstBps} bps`)
  assert.equal([wrong, falseGaps], [0, 0])
})

const pools = [pair('one', 'a/d', [1_000, 1_000]), pair('two', 'a/b', [1_000, 1_000])]
const before = createMarket([...pools, pair('three', 'b/d', [1_000, 900])])

function keepFound(market: Market) {
  const routes = createStandingRoutes()
  const begun = routes.begin(market, 'key', 0n)
  const route = ask(market, { amountIn: 10n ** 18n, certified: begun.keep })
  assert.equal(routes.recall(market, 'key', 0n), route)
  return { routes, route }
}

s('are run anew on the pools of the block [20/standing-block]', () => {
  const deep = createMarket([pair('one', 'a/d', [1_000_000, 1_000_000])])
  const { routes, route } = keepFound(deep)
  assert.ok(route)
  const later = updateMarket(deep, [pair('one', 'a/d', [1_000_001, 999_999])])
  const again = routes.recall(later, 'key', 0n)
  assert.is(again?.amountOut, ask(later, { amountIn: 10n ** 18n })?.amountOut)
  assert.ok(again && again.amountOut < route.amountOut)
})

s('fall where a changed or new pool brings more, and where a pool of theirs goes', () => {
  const better = updateMarket(before, [pair('three', 'b/d', [1_000, 2_000])])
  assert.is(keepFound(before).routes.recall(better, 'key', 0n), undefined)
  const grown = updateMarket(before, [
    pair('in', 'a/e', [9_000, 9_000]),
    pair('out', 'e/d', [9_000, 9_900]),
  ])
  assert.is(keepFound(before).routes.recall(grown, 'key', 0n), undefined)
  const without = updateMarket(before, [], ['one'])
  assert.is(keepFound(before).routes.recall(without, 'key', 0n), undefined)
})

s('fall where a pool came that is as good, and saves a swap [20/standing-shorter]', () => {
  const [first, second] = [pair('ab', 'a/b', [1e6, 1e6], 0), pair('bd', 'b/d', [1e6, 1e6], 0)]
  const market = createMarket([first, second])
  const found = (gasPriceWei: bigint) => {
    const routes = createStandingRoutes()
    const begun = routes.begin(market, 'key', gasPriceWei)
    assert.ok(ask(market, { amountIn: 10n ** 18n, gasPriceWei, certified: begun.keep }))
    return (later: Market) => routes.recall(later, 'key', gasPriceWei)
  }
  const shorter = updateMarket(market, [pair('ad', 'a/d', [1e6, 1e6], 0)])
  const aside = updateMarket(market, [pair('be', 'b/e', [1e6, 1e6], 0)])
  const gasPriceWei = 10n ** 10n
  assert.is(found(gasPriceWei)(shorter), undefined)
  assert.ok(found(gasPriceWei)(aside))
  assert.ok(found(0n)(shorter), 'swaps are free')
})

s('stand where what came is no better, and forget nothing they skipped', () => {
  const { routes } = keepFound(before)
  const worse = updateMarket(before, [pair('new', 'a/e', [10, 10])])
  const twice = updateMarket(worse, [pair('in', 'e/d', [10, 5])])
  routes.begin(worse, 'other', 0n)
  assert.ok(routes.recall(twice, 'key', 0n))
  const better = updateMarket(twice, [pair('three', 'b/d', [1_000, 2_000])])
  routes.begin(better, 'other', 0n)
  const still = updateMarket(better, [pair('new', 'a/e', [10, 11])])
  assert.is(routes.recall(still, 'key', 0n), undefined)
})

function keepWeakly(routes: StandingRoutes, market: Market): readonly WeakRef<Certificate>[] {
  const kept: WeakRef<Certificate>[] = []
  const begun = routes.begin(market, 'key', 0n)
  const certified = (made: Certificate) => {
    kept.push(new WeakRef(made))
    begun.keep(made)
  }
  ask(market, { amountIn: 10n ** 18n, certified })
  return kept
}

s('are let go once they can stand no more [24/standing-let-go]', async () => {
  const routes = createStandingRoutes()
  const kept = keepWeakly(routes, before)
  let market = before
  const countAlive = async (later: number) => {
    market = updateMarket(market, [pair('new', 'a/e', [10, 10 + later])])
    routes.begin(market, 'other', 0n)
    // Whom a turn of the loop has seen stays for as long as that.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    return kept.filter((one) => one.deref()).length
  }
  const alive: number[] = []
  for (let later = 1; later <= 61; later += 1) alive.push(await countAlive(later))
  assert.equal(alive, [...Array(60).fill(1), 0])
})

s('fall where gas costs so much more that others may be better [teeth/standing-routes]', () => {
  const deep = createMarket([pair('one', 'a/d', [1_000_000, 1_000_000])])
  const recallAt = (gasPriceWei: bigint) => {
    const routes = createStandingRoutes()
    const begun = routes.begin(deep, 'key', 100_000_000n)
    ask(deep, { amountIn: 10n ** 18n, gasPriceWei: 100_000_000n, certified: begun.keep })
    return routes.recall(deep, 'key', gasPriceWei) !== undefined
  }
  assert.equal([30_000_000n, 50_000_000n, 100_000_000n, 150_000_000n, 170_000_000n].map(recallAt), [
    false,
    true,
    true,
    true,
    false,
  ])
})
s('that fell do not stand up again, nor under another name [teeth/standing-routes]', () => {
  const { routes } = keepFound(before)
  assert.is(routes.recall(before, 'other', 0n), undefined)
  const better = updateMarket(before, [pair('three', 'b/d', [1_000, 2_000])])
  assert.is(routes.recall(better, 'key', 0n), undefined)
  const back = updateMarket(better, [pair('three', 'b/d', [1_000, 900])])
  assert.is(routes.recall(back, 'key', 0n), undefined)
})

s.run()
