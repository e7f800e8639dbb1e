import { ask, pair } from '../../fixtures/chains/market.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { collectGarbage } from '../bench/collectGarbage.ts'
import { proveStanding } from '../bench/quote/proveStanding.ts'
import type { Certificate } from './engine/certificate.ts'
import { createMarket, type Market, updateMarket } from './engine/market.ts'
import { replayShares } from './replayShares.ts'
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
  const begun = routes.begin(market, 'key', 0)
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
    const begun = routes.begin(market, 'key', 0)
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
  routes.begin(worse, 'other', 0)
  assert.ok(routes.recall(twice, 'key', 0))
  const better = updateMarket(twice, [pair('three', 'b/d', [1_000, 2_000])])
  routes.begin(better, 'other', 0)
  const still = updateMarket(better, [pair('new', 'a/e', [10, 11])])
  assert.is(routes.recall(still, 'key', 0), undefined)
})

function keepWeakly(routes: StandingRoutes, market: Market): readonly WeakRef<Certificate>[] {
  const kept: WeakRef<Certificate>[] = []
  const begun = routes.begin(market, 'key', 0)
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
    routes.begin(market, 'other', 0)
    // Whom a turn of the loop has seen stays for as long as that.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    return kept.filter((one) => one.deref()).length
  }
  const alive: number[] = []
  for (let later = 1; later <= 61; later += 1) alive.push(await countAlive(later))
  assert.equal(alive, [...Array(60).fill(1), 0])
})

function findIn(routes: StandingRoutes, more: number): WeakRef<Market> {
  const market = updateMarket(before, [pair('new', 'a/e', [10, 10 + more])])
  ask(market, { amountIn: 10n ** 18n, certified: routes.begin(market, `${more}`, 0).keep })
  return new WeakRef(market)
}

s('keep nothing of the market that they were found in [24/standing-market]', async () => {
  const routes = createStandingRoutes()
  const found = [1, 2, 3, 4].map((more) => findIn(routes, more))
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  // The newest is what the next is held against.
  assert.equal(
    found.slice(0, 3).map((one) => one.deref()),
    [undefined, undefined, undefined],
  )
})

s('stand while a batch goes on with the market that it began with [20/standing-batch]', () => {
  const { routes, route } = keepFound(before)
  const later = updateMarket(before, [pair('new', 'a/e', [10, 10])])
  assert.ok(routes.recall(later, 'key', 0))
  for (let turn = 0; turn < 100; turn += 1) {
    assert.is(routes.recall(before, 'key', 0), undefined, 'of another block')
    routes.begin(later, 'other', 0)
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

/** The path through b brings a little less than the other pool. */
const close = updateMarket(before, [pair('three', 'b/d', [1_000, 999])])

s(
  'that fell are what a search begins with, in the market that they fell in [20/standing-fell]',
  () => {
    const { routes, route } = keepFound(close)
    const better = updateMarket(close, [pair('three', 'b/d', [1_000, 1_005])])
    assert.is(routes.begin(close, 'key', 0).fallen, undefined, 'it stands there')
    assert.is(routes.recall(better, 'key', 0), undefined)
    const { fallen } = routes.begin(better, 'key', 0)
    assert.equal([fallen?.route.steps, fallen?.hasMoved], [route?.steps, false])
    assert.is(routes.begin(better, 'other', 0).fallen, undefined)
    assert.is(routes.begin(better, 'key', 1).fallen, undefined, 'by gas of another price')
    const later = updateMarket(better, [pair('three', 'b/d', [1_000, 1_006])])
    assert.is(routes.recall(later, 'key', 0), undefined)
    assert.is(routes.begin(later, 'key', 0).fallen, undefined, 'it was not run there')
  },
)
s('that fell have moved where their own pools or gas have [20/standing-fell]', () => {
  const better = [pair('three', 'b/d', [1_000, 1_005])]
  const own = [pair('one', 'a/d', [1_000, 1_001])]
  const hasMoved = (changed: Parameters<typeof updateMarket>[1], gasPrice = 0) => {
    const { routes } = keepFound(close)
    const later = updateMarket(close, changed)
    assert.is(routes.recall(later, 'key', gasPrice), undefined)
    return routes.begin(later, 'key', gasPrice).fallen?.hasMoved
  }
  assert.equal(
    [hasMoved(better), hasMoved([...better, ...own]), hasMoved(better, 1)],
    [false, true, true],
  )
})
s('that fell stand on where nothing better is found, until more changes [20/standing-held]', () => {
  const { routes } = keepFound(close)
  const grown = (market: Market, out: number) =>
    updateMarket(market, [pair('three', 'b/d', [1_000, out])])
  const better = grown(close, 1_005)
  assert.is(routes.recall(better, 'key', 0), undefined)
  const begun = routes.begin(better, 'key', 0)
  const again = begun.fallen?.route
  if (!again) throw new Error('it swaps there')
  begun.hold({ route: again })
  begun.hold({ route: again })
  assert.equal(routes.recall(better, 'key', 0)?.steps, again.steps)
  const aside = updateMarket(better, [pair('new', 'a/e', [10, 10])])
  assert.equal(routes.recall(aside, 'key', 0)?.steps, again.steps)
  const less = grown(aside, 1_004)
  assert.equal(routes.recall(less, 'key', 0)?.steps, again.steps)
  const as = grown(less, 1_005)
  assert.equal(routes.recall(as, 'key', 0)?.steps, again.steps, 'what was in vain is so again')
  assert.is(routes.recall(grown(as, 1_006), 'key', 0), undefined)
})
s('are as old as the search of all pools that they grew from [20/standing-age]', () => {
  const { routes } = keepFound(close)
  let market = close
  const fall = (out: number) => {
    market = updateMarket(market, [pair('three', 'b/d', [1_000, out])])
    const stood = routes.recall(market, 'key', 0)
    const begun = routes.begin(market, 'key', 0)
    const certified = (made: Certificate) => begun.keep({ ...made, isResumed: true })
    if (!stood) ask(market, { amountIn: 10n ** 18n, certified })
    return { stood: stood !== undefined, fallen: begun.fallen !== undefined }
  }
  const told = Array.from({ length: 61 }, (_, later) => fall(later % 2 === 0 ? 1_006 : 1_005))
  assert.equal(told.at(0), { stood: false, fallen: true })
  assert.equal(told.at(59), { stood: false, fallen: true })
  assert.equal(told.at(60), { stood: false, fallen: false })
})

s('are kept in place of no later one [20/standing-kept-late]', () => {
  const routes = createStandingRoutes()
  const later = updateMarket(before, [pair('one', 'a/d', [1_000, 1_001])])
  const certifyIn = (market: Market): Certificate => {
    const made: Certificate[] = []
    ask(market, { amountIn: 10n ** 18n, certified: (each) => made.push(each) })
    const [certificate] = made
    if (!certificate) throw new Error('it has a certificate')
    return certificate
  }
  const [slow, quick] = [before, later].map((market) => routes.begin(market, 'key', 0))
  const found = certifyIn(later)
  quick?.keep(found)
  slow?.keep(certifyIn(before))
  assert.is(routes.recall(later, 'key', 0)?.steps, found.route.steps)
})

s('are of this block, whatever ends late that was begun in another [attack/standing-late]', () => {
  const e = 1_000_000
  const deep = (id: string, tokens: string, more = 0) => pair(id, tokens, [e, e + more])
  // What more is earned by going round has more unproven than what stands without a look at what changed.
  const round = [deep('bc', 'b/c'), pair('cb', 'c/b', [e, e + 7_600])]
  const off = (id: string, tokens: string) => deep(id, tokens, -2_000)
  const aside = [off('ab', 'a/b'), off('ac', 'a/c'), off('bd', 'b/d')]
  let market = createMarket([deep('one', 'a/d'), ...round, ...aside, off('cd', 'c/d')])
  const routes = createStandingRoutes()
  ask(market, { certified: routes.begin(market, 'key', 0).keep })
  const fall = (more: number, ...own: ReturnType<typeof pair>[]) => {
    market = updateMarket(market, [...own, deep('cd', 'c/d', more)])
    assert.is(routes.recall(market, 'key', 0), undefined)
    return [routes.begin(market, 'key', 0), routes.begin(market, 'key', 0)] as const
  }
  const [quick, late] = fall(1_700)
  const again = quick.fallen?.route
  if (!again) throw new Error('it fell')
  quick.hold({ route: again })
  fall(2_000, pair('one', 'a/d', [e, e - 500]))
  late.hold({ route: again })
  market = updateMarket(market, [deep('other', 'b/e')])
  const route = routes.recall(market, 'key', 0)
  const asked = { tokenIn: 'a', tokenOut: 'd', amountIn: again.amountIn }
  const swapped = route && replayShares(market, { ...asked, route })?.route
  assert.is(route?.amountOut, swapped?.amountOut)
})

s.run()
