import { ask, execute, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedChain } from '../../bench/quote/generatedChain.ts'
import { searchLimits } from '../searchRoute.ts'
import { createMarket } from './market.ts'
import type { Route } from './route.ts'

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

s.run()
