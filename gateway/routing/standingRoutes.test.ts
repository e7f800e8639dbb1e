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
  const begun = routes.begin(market, 'key')
  const route = ask(market, { amountIn: 10n ** 18n, certified: begun.keep })
  assert.equal(routes.recall(market, 'key', 0), route)
  return { routes, route }
}

s('are run anew on the pools of the block [20/standing-block]', () => {
  const deep = createMarket([pair('one', 'a/d', [1_000_000, 1_000_000])])
  const { routes, route } = keepFound(deep)
  assert.ok(route)
  const later = updateMarket(deep, [pair('one', 'a/d', [1_000_001, 999_999])])
  const again = routes.recall(later, 'key', 0)
  assert.is(again?.amountOut, ask(later, { amountIn: 10n ** 18n })?.amountOut)
  assert.ok(again && again.amountOut < route.amountOut)
})

s('fall where a changed or new pool brings more, and where a pool of theirs goes', () => {
  const better = updateMarket(before, [pair('three', 'b/d', [1_000, 2_000])])
  assert.is(keepFound(before).routes.recall(better, 'key', 0), undefined)
  const grown = updateMarket(before, [
    pair('in', 'a/e', [9_000, 9_000]),
    pair('out', 'e/d', [9_000, 9_900]),
  ])
  assert.is(keepFound(before).routes.recall(grown, 'key', 0), undefined)
  const without = updateMarket(before, [], ['one'])
  assert.is(keepFound(before).routes.recall(without, 'key', 0), undefined)
})

s('fall where a pool came that is as good, and saves a swap [20/standing-shorter]', () => {
  const [first, second] = [pair('ab', 'a/b', [1e6, 1e6], 0), pair('bd', 'b/d', [1e6, 1e6], 0)]
  const market = createMarket([first, second])
  const found = (gasPriceWei: bigint) => {
    const routes = createStandingRoutes()
    const begun = routes.begin(market, 'key')
    assert.ok(ask(market, { amountIn: 10n ** 18n, gasPriceWei, certified: begun.keep }))
    return (later: Market) => routes.recall(later, 'key', Number(gasPriceWei))
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
  routes.begin(worse, 'other')
  assert.ok(routes.recall(twice, 'key', 0))
  const better = updateMarket(twice, [pair('three', 'b/d', [1_000, 2_000])])
  routes.begin(better, 'other')
  const still = updateMarket(better, [pair('new', 'a/e', [10, 11])])
  assert.is(routes.recall(still, 'key', 0), undefined)
})

function keepWeakly(routes: StandingRoutes, market: Market): readonly WeakRef<Certificate>[] {
  const kept: WeakRef<Certificate>[] = []
  const begun = routes.begin(market, 'key')
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
    routes.begin(market, 'other')
    // Whom a turn of the loop has seen stays for as long as that.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    return kept.filter((one) => one.deref()).length
  }
  const alive: number[] = []
  for (let later = 1; later <= 61; later += 1) alive.push(await countAlive(later))
  assert.equal(alive, [...Array(60).fill(1), 0])
})

s('stand while a batch goes on with the market that it began with [20/standing-batch]', () => {
  const { routes, route } = keepFound(before)
  const later = updateMarket(before, [pair('new', 'a/e', [10, 10])])
  assert.ok(routes.recall(later, 'key', 0))
  for (let turn = 0; turn < 100; turn += 1) {
    assert.is(routes.recall(before, 'key', 0), undefined, 'of another block')
    routes.begin(later, 'other')
  }
  assert.is(routes.recall(later, 'key', 0)?.amountOut, route?.amountOut)
})
s('are none of a block in which a pool of theirs could not be run [20/standing-throws]', () => {
  const { routes } = keepFound(before)
  const swap = () => {
    throw new Error('of numbers that no pool can have')
  }
  const later = updateMarket(before, [{ ...pair('one', 'a/d', [1_000, 1_000]), swap }])
  for (let turn = 0; turn < 2; turn += 1) assert.throws(() => routes.recall(later, 'key', 0))
})
s('that fell do not stand up again, nor under another name [teeth/standing-routes]', () => {
  const { routes } = keepFound(before)
  assert.is(routes.recall(before, 'other', 0), undefined)
  const better = updateMarket(before, [pair('three', 'b/d', [1_000, 2_000])])
  assert.is(routes.recall(better, 'key', 0), undefined)
  const back = updateMarket(better, [pair('three', 'b/d', [1_000, 900])])
  assert.is(routes.recall(back, 'key', 0), undefined)
})

s.run()
