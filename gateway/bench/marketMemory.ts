import { findRoute } from '../routing/engine/findRoute.ts'
import { searchLimits } from '../routing/searchRoute.ts'
import { createStandingRoutes } from '../routing/standingRoutes.ts'
import { collectGarbage } from './collectGarbage.ts'
import { createGeneratedChain } from './quote/generatedChain.ts'
import { generateTrades } from './routing/generateMarket.ts'

function aliveBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Bytes that each route keeps which may stand in later blocks, in a generated market of this process: the offline
 * world has too few tokens to tell by.
 */
export function readRouteBytes({
  pools,
  tokens,
  routes,
}: {
  readonly pools: number
  readonly tokens: number
  readonly routes: number
}): number {
  const { chain, market: generated } = createGeneratedChain({ pools, tokens, seed: 7 })
  const state = chain.sync.current()
  if (!state) throw new Error('a generated chain has a state')
  const { market } = state
  const { trades } = generateTrades(generated, 2 * routes)
  const standing = createStandingRoutes()
  const gasPriceWei = 10_000_000n
  function search(from: number, until: number): number {
    let found = 0
    for (const [index, trade] of trades.slice(from, until).entries()) {
      const route = findRoute(market, {
        tokenIn: trade.in,
        tokenOut: trade.out,
        amountIn: BigInt(trade.amount),
        nativeToken: generated.base,
        ...searchLimits.deep,
        deadlineMs: Number.POSITIVE_INFINITY,
        gasPriceWei,
        now: () => 0,
        certified: standing.begin(market, String(from + index), 0).keep,
      })
      if (route) found += 1
    }
    return found
  }
  // What is compiled and what a market keeps of its own is there by then.
  search(0, routes)
  const before = aliveBytes()
  const found = search(routes, 2 * routes)
  return (aliveBytes() - before) / found
}
