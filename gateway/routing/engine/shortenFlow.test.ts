import { ask, execute, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedChain } from '../../bench/quote/generatedChain.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { searchLimits } from '../searchRoute.ts'
import { evenPool as even } from '../testing/curvePool.ts'
import { solveForward } from '../testing/solveForward.ts'
import { createMarket } from './market.ts'
import type { Route } from './route.ts'
import { shortenFlow } from './shortenFlow.ts'

const s = suite('shortenFlow')

/** Swaps on the longest way through a route, whose steps are in the order they run. */
function longestWay({ steps }: Route): number {
  const hops = new Map<string, number>()
  for (const { tokenIn, tokenOut } of steps)
    hops.set(tokenOut, Math.max(hops.get(tokenOut) ?? 0, (hops.get(tokenIn) ?? 0) + 1))
  return Math.max(0, ...hops.values())
}

s('no path of a split is longer than the hops that were asked for [20/max-hops]', () => {
  let isLonger = 0
  let isSplit = 0
  for (let seed = 1; seed <= 60; seed++) {
    const pools = randomMarket(seed, 40)
    const market = createMarket(pools)
    const amountIn = 10n ** BigInt(19 + (seed % 4))
    for (const mostHops of [1, 2, 3, 4]) {
      const maxHops = Math.min(mostHops, 3)
      const route = ask(market, { amountIn, maxHops, mostHops })
      const free = ask(market, { amountIn, maxHops })
      assert.is(route === undefined, free === undefined, `${seed}`)
      if (!route || !free) continue
      assert.ok(longestWay(route) <= mostHops, `${seed}: ${longestWay(route)} over ${mostHops}`)
      assert.is(execute(pools, route).get('d'), route.amountOut)
      const path = ask(market, { amountIn, maxHops, maxSteps: maxHops, mostHops })
      assert.ok(route.amountOut >= (path?.amountOut ?? 0n), `${seed}: no worse than one path`)
      if (longestWay(free) > mostHops) isLonger++
      if (route.steps.length > mostHops) isSplit++
    }
  }
  assert.ok(isLonger > 5, `${isLonger} would have been longer`)
  assert.ok(isSplit > 50, `${isSplit} are splits`)
})

s('leaves of the work of a search enough for its bound [20/max-hops-work]', async () => {
  const generated = createGeneratedChain({ pools: 400, tokens: 30, seed: 4 })
  const state = await generated.chain.sync.fresh()
  const [tokenIn = '', tokenOut = ''] = generated.market.addresses
  assert.ok(state)
  const { maxWork, maxSteps } = searchLimits.deep
  const asked = { tokenIn, tokenOut, nativeToken: tokenIn, maxWork, maxSteps, mostHops: 3 }
  for (const amountIn of [10n ** 22n, 10n ** 23n]) {
    const route = ask(state.market, { ...asked, amountIn, deadlineMs: 60_000 })
    // Where the work is spent nothing is known of how much better another route may be.
    assert.type(route?.gapBps, 'number')
    assert.ok(route && longestWay(route) <= 3)
  }
})

/** What is left of the best flow through all pools, and in how many pieces. */
function shorten(
  pools: readonly EnginePool[],
  { mostHops, isOver = () => false }: { mostHops: number; isOver?: () => boolean },
) {
  const amountIn = 1e5
  const { market, frame, flow, idOf } = solveForward(pools, amountIn)
  const search = shortenFlow(market, frame, { flow, amountIn, mostHops, isOver })
  for (let pieces = 0; ; pieces += 1) {
    const { done, value } = search.next()
    if (done) return { flow, short: value, ids: value?.edges.map(idOf).sort(), pieces }
  }
}

s('of the edges on too long paths a sixteenth goes at a time, the least first', () => {
  const pools = (chains: number) => [
    even('ad', 'a/d', { depth: 1e7 }),
    ...Array.from({ length: chains }, (_, k) =>
      ['a/b', 'b/d'].map((tokens) => {
        const id = tokens.replace('b', `b${k}`)
        return even(id, id, { depth: 1e5 * 1.5 ** k })
      }),
    ).flat(),
  ]
  for (const chains of [16, 17]) {
    const { ids, pieces } = shorten(pools(chains), { mostHops: 1 })
    // Of 34 three, and of 32 two: one chain or two with all their edges.
    assert.equal([ids, pieces], [['ad'], 16])
    const hasty = shorten(pools(chains), { mostHops: 1, isOver: () => true })
    assert.equal([hasty.ids, hasty.pieces], [['ad'], 1])
  }
})

s('takes out no more than makes its paths short, and leaves those that are', () => {
  const pools = [
    even('ab', 'a/b'),
    even('bd', 'b/d'),
    even('ac', 'a/c'),
    even('cd', 'c/d', { depth: 3e6 }),
    even('bc', 'b/c', { depth: 1e5 }),
  ]
  assert.equal(shorten(pools, { mostHops: 2 }).ids, ['ab', 'ac', 'bd', 'cd'])
  const free = shorten(pools, { mostHops: 3 })
  assert.is(free.short, free.flow)
  const chain = ['a/b', 'b/c', 'c/d'].map((tokens) => even(tokens, tokens))
  assert.equal(shorten(chain, { mostHops: 2 }).short, undefined)
})

s.run()
