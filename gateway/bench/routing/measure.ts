import { type FindRouteParameters, findRoute } from '../../routing/engine/findRoute.ts'
import type { Market } from '../../routing/engine/market.ts'
import { nativePrices } from '../../routing/engine/nativePrice.ts'
import type { Route } from '../../routing/engine/route.ts'
import type { Peer, PeerAnswer } from './peer.ts'
import { type Trade, toId } from './readPools.ts'

export type Settings = {
  readonly hops: number
  readonly maxSteps: number
  readonly gasPriceWei: bigint
  readonly base: string
  readonly maxWork: number
  readonly deadlineMs: number
}

export type Measured = {
  readonly trade: Trade
  readonly route: Route | undefined
  readonly ms: number
}

export type Compared = Measured & {
  readonly single: Route | undefined
  readonly singleMs: number
  readonly peer: PeerAnswer | undefined
  /** Value of the trade in whole native tokens; NaN where it has no price. */
  readonly nativeValue: number
  /** Cost of one unit of gas in tokenOut. */
  readonly gasPriceOut: number
}

function toParameters(trade: Trade, settings: Settings): FindRouteParameters {
  return {
    tokenIn: toId(trade.in),
    tokenOut: toId(trade.out),
    amountIn: BigInt(trade.amount),
    maxHops: settings.hops,
    maxSteps: settings.maxSteps,
    gasPriceWei: settings.gasPriceWei,
    nativeToken: toId(settings.base),
    maxWork: settings.maxWork,
    deadlineMs: settings.deadlineMs,
    now: () => performance.now(),
  }
}

export function measureTrade(market: Market, trade: Trade, settings: Settings): Measured {
  const started = performance.now()
  const route = findRoute(market, toParameters(trade, settings))
  return { trade, route, ms: performance.now() - started }
}

/** Ours, our best single path and the peer, on one trade. */
export function compareTrade(
  market: Market,
  trade: Trade,
  settings: Settings,
  peer: Peer | undefined,
): Compared {
  const ours = measureTrade(market, trade, settings)
  const single = measureTrade(market, trade, { ...settings, maxWork: 0 })
  const prices = nativePrices(market, toId(settings.base))
  const priceOf = (token: string) => prices[market.tokenIndex.get(toId(token)) ?? -1] ?? 0
  return {
    ...ours,
    single: single.route,
    singleMs: single.ms,
    peer: peer?.({
      tokenIn: toId(trade.in),
      tokenOut: toId(trade.out),
      amountIn: BigInt(trade.amount),
      gasPriceWei: settings.gasPriceWei,
    }),
    nativeValue: Number(trade.amount) / priceOf(trade.in) / 1e18,
    gasPriceOut: Number(settings.gasPriceWei) * priceOf(trade.out),
  }
}

/** Lets the compiler see the code before anything is timed. */
export function warmUp(market: Market, trades: readonly Trade[], settings: Settings): void {
  for (const trade of trades.slice(0, 100)) measureTrade(market, trade, settings)
}
