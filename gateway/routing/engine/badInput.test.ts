import { ask, execute, pair, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createUniswapV3Pool } from '../protocols/concentrated/uniswapV3.ts'
import { joinCurve } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createMarket, type Market, updateMarket } from './market.ts'

const s = suite('bad input')

const amounts = [0n, 1n, 2n, 10n ** 6n, 10n ** 20n, 2n ** 112n, 2n ** 127n, 2n ** 255n]
const good = pair('good', 'a/d', [1000, 1000])

/** Whatever is asked: no exception, and what is answered executes to exactly that. */
function askEverything(pools: readonly EnginePool[], market: Market = createMarket(pools)) {
  for (const amountIn of amounts)
    for (const maxHops of [0, 1, 3])
      for (const tokenOut of ['a', 'd', 'nowhere']) {
        const route = ask(market, { amountIn, maxHops, tokenOut, maxWork: 1e5 })
        if (!route) continue
        assert.ok(route.amountIn <= amountIn && route.amountOut > 0n)
        assert.is(execute(pools, route).get('d'), route.amountOut)
      }
}

function usedBy(pools: readonly EnginePool[], changes: Parameters<typeof ask>[1] = {}) {
  return ask(createMarket(pools), changes)?.steps.map(({ poolId }) => poolId)
}

s('has no route in an empty market, or to a token without a pool', () => {
  askEverything([])
  assert.is(ask(createMarket([])), undefined)
  assert.is(ask(createMarket([good]), { tokenOut: 'nowhere' }), undefined)
  assert.is(ask(createMarket([good]), { tokenOut: 'a' }), undefined)
})

s('passes over empty and drained pools', () => {
  const pools = [
    good,
    pair('empty', 'a/d', [0, 0]),
    pair('drained', 'a/d', [1000, 0]),
    pair('drained too', 'a/d', [0, 1000]),
    pair('self', 'a/a', [10, 10]),
  ]
  askEverything(pools)
  assert.equal(usedBy(pools), ['good'])
})

s('passes over a paused pool, however deep it looks', () => {
  const deep = pair('deep', 'a/d', [1_000_000, 1_000_000])
  const paused = { ...deep, id: 'paused', swap: () => undefined }
  const pools = [good, paused]
  askEverything(pools)
  assert.equal(usedBy(pools), ['good'])
  assert.is(usedBy([paused]), undefined)
})

s('leaves out one pool that refuses after the other, seven at most [teeth/pools-refused]', () => {
  const paused = Array.from({ length: 8 }, (_, n) => {
    const deep = pair(`paused ${n}`, 'a/d', [1_000_000 - n, 1_000_000])
    return { ...deep, swap: () => undefined }
  })
  const narrow = { singlePath: true, maxHops: 1 }
  assert.equal(usedBy([good, ...paused.slice(1)], narrow), ['good'])
  assert.is(usedBy([good, ...paused], narrow), undefined)
})

s('answers what pools really give where their picture promises more', () => {
  const promising = pair('liar', 'a/d', [1_000_000, 2_000_000])
  const liar = { ...good, id: 'liar', curve: promising.curve }
  const pools = [good, liar]
  askEverything(pools)
  const route = ask(createMarket(pools))
  assert.ok(route && execute(pools, route).get('d') === route.amountOut)
})

s('passes over pictures that are no numbers', () => {
  const bad = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0]
  const pools = bad.map((a, index) => ({
    ...good,
    id: `bad${index}`,
    curve: () => joinCurve([{ dx: 1e18, a, b: 1e-21 }]),
  }))
  askEverything(pools)
  assert.equal(usedBy([...pools, good]), ['good'])
})

s('survives contradictory and stale states of a concentrated pool', () => {
  const state = { feePips: 500, tickSpacing: 10, liquidity: 10n ** 21n, tick: 0 }
  const ranges: [number, bigint][][] = [
    [[50, -100n]],
    [
      [10, 5n],
      [-10, -5n],
    ],
    [],
    [
      [-887_270, 10n ** 21n],
      [887_270, -(10n ** 21n)],
    ],
  ]
  const prices = [0n, 1n, 2n ** 96n, 2n ** 160n, -5n]
  const liquidities = [-5n, 0n, 10n ** 21n, 2n ** 128n]
  for (const ticks of ranges)
    for (const sqrtPriceX96 of prices)
      for (const liquidity of liquidities) {
        const odd = {
          ...state,
          id: 'odd',
          token0: 'a',
          token1: 'd',
          ticks,
          sqrtPriceX96,
          liquidity,
        }
        const pools = [good, createUniswapV3Pool(odd)]
        const route = ask(createMarket(pools), { maxWork: 1e5 })
        assert.ok(route)
        if (route) assert.is(execute(pools, route).get('d'), route.amountOut)
      }
})

s('answers from the newer of two states of one pool', () => {
  const newer = pair('good', 'a/d', [1000, 3000])
  const market = updateMarket(createMarket([good]), [newer])
  assert.equal(ask(market), ask(createMarket([good, newer])))
})

s('gives its best single path when the time is over before it began', () => {
  const market = createMarket(randomMarket(7, 60))
  const full = ask(market)
  for (const hasty of [ask(market, { deadlineMs: 0 }), ask(market, { maxWork: 0 })])
    assert.ok(full && hasty && hasty.amountOut <= full.amountOut && hasty.amountOut > 0n)
})

s('answers within a millisecond of work among 10,000 pools of dust', () => {
  const pools = randomMarket(5, 10_000, 'abcdefghijklmnopqrstuvwxyz').map((pool, index) =>
    index % 2 === 0 ? pool : pair(pool.id, pool.tokens.join('/'), [1, 1]),
  )
  const market = createMarket(pools)
  const single = ask(market, { maxWork: 0 })
  for (const limit of [{ deadlineMs: 1 }, { maxWork: 30_000 }]) {
    const route = ask(market, limit)
    assert.ok(route && single && route.amountOut >= single.amountOut)
    if (route) assert.is(execute(pools, route).get('d'), route.amountOut)
  }
})

s('goes round no cycle, however much a circle of stale pools would earn', () => {
  const pools = [
    pair('ab', 'a/b', [1000, 5000]),
    pair('bc', 'b/c', [1000, 5000]),
    pair('ca', 'c/a', [1000, 5000]),
    pair('cb', 'c/b', [1000, 9000]),
    pair('cd', 'c/d', [1000, 1000]),
    pair('bd', 'b/d', [1000, 1000]),
  ]
  askEverything(pools)
  for (const maxHops of [1, 2, 3, 4, 6]) {
    const route = ask(createMarket(pools), { maxHops })
    if (!route) continue
    assert.is(execute(pools, route).get('d'), route.amountOut)
    const bought = new Set(route.steps.map(({ tokenOut }) => tokenOut))
    assert.not(bought.has('a'), 'nothing comes back to where it began')
  }
})

s('serves a token with a single pool', () => {
  const pools = [pair('ab', 'a/b', [1000, 1000]), pair('bd', 'b/d', [10, 10]), good]
  assert.equal(usedBy(pools, { tokenIn: 'b', tokenOut: 'a' })?.includes('ab'), true)
  const only = [pair('xa', 'x/a', [5, 5]), good]
  assert.equal(usedBy(only, { tokenIn: 'x' }), ['xa', 'good'])
})

s('quotes 1 wei and 2^127 without a wrong number', () => {
  const pools = [good, ...randomMarket(9, 80)]
  const market = createMarket(pools)
  for (const amountIn of [1n, 2n ** 127n])
    for (const gasPriceWei of [0n, 10n ** 10n]) {
      const route = ask(market, { amountIn, gasPriceWei, maxHops: 4 })
      if (route) assert.is(execute(pools, route).get('d'), route.amountOut)
    }
  assert.is(ask(createMarket([good]), { amountIn: 1n }), undefined)
  assert.ok((ask(market, { amountIn: 2n ** 127n })?.amountOut ?? 0n) > 0n)
})

s.run()
