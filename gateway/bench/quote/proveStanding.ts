import type { Certificate } from '../../routing/engine/certificate.ts'
import type { Again } from '../../routing/engine/fallenRoute.ts'
import { findRoute } from '../../routing/engine/findRoute.ts'
import type { Market } from '../../routing/engine/market.ts'
import { nativePrices } from '../../routing/engine/nativePrice.ts'
import type { Route } from '../../routing/engine/route.ts'
import { replayShares } from '../../routing/replayShares.ts'
import { searchLimits } from '../../routing/searchRoute.ts'
import { type BegunSearch, createStandingRoutes } from '../../routing/standingRoutes.ts'
import { generateTrades } from '../routing/generateMarket.ts'
import { createGeneratedChain } from './generatedChain.ts'

const gasPriceWei = 10_000_000n
const limits = {
  ...searchLimits.deep,
  deadlineMs: Number.POSITIVE_INFINITY,
  gasPriceWei,
  now: () => 0,
}

/** What routes that stood from block to block were against a search of the same market. */
export type Standing = {
  asked: number
  stood: number
  /** Found from those that fell, and held against a search as well. */
  resumed: number
  /** Searched anew beside one that fell, as well. */
  anew: number
  /** How much more, at most, a search brought, net of gas. */
  worstBps: number
  /** The same of what came to be since: less what the search's route would have brought more where the other was found. */
  worstSinceBps: number
  /** Routes that this block's pools do not swap as they say. */
  wrong: number
  /** Routes whose gap is less than what a search brought more. */
  falseGaps: number
}

/** Asks the same questions block after block until so many routes have stood. */
export function proveStanding(
  size: Parameters<typeof createGeneratedChain>[0],
  { count, questions }: { readonly count: number; readonly questions: number },
): Standing {
  const { chain, market: generated, advance } = createGeneratedChain(size)
  const routes = createStandingRoutes()
  const { trades } = generateTrades(generated, questions)
  const last = new Map<string, { readonly market: Market; readonly route: Route }>()
  const tally = {
    asked: 0,
    stood: 0,
    resumed: 0,
    anew: 0,
    worstBps: 0,
    worstSinceBps: 0,
    wrong: 0,
    falseGaps: 0,
  }
  for (; tally.stood < count && tally.asked < 20 * count; advance()) {
    const market = chain.sync.current()?.market
    if (!market) throw new Error('a generated chain has a state')
    for (const [index, trade] of trades.entries()) {
      const asked = {
        tokenIn: trade.in,
        tokenOut: trade.out,
        amountIn: BigInt(trade.amount),
        nativeToken: generated.base,
        ...limits,
      }
      tally.asked += 1
      const key = String(index)
      const gasPrice = gasPriceIn(market, asked)
      const stood = routes.recall(market, key, gasPrice)
      const { route, isResumed, isTold } = stood
        ? { route: stood, isResumed: false, isTold: true }
        : searchOn(market, routes.begin(market, key, gasPrice), asked)
      // Without one that fell a search finds what this one would.
      const found = isTold ? findRoute(market, asked) : route
      if (!stood && found) last.set(key, { market, route: found })
      if (!isTold || !route || !found) continue
      if (stood) tally.stood += 1
      else if (isResumed) tally.resumed += 1
      else tally.anew += 1
      const moreBps = lacksBps(market, asked, { of: found, route })
      tally.worstBps = Math.max(tally.worstBps, moreBps)
      const then = moreBps > tally.worstSinceBps ? last.get(key) : undefined
      const before = then && replayShares(then.market, { ...asked, route: found })?.route
      const missedBps = before ? lacksBps(then.market, asked, { of: before, route: then.route }) : 0
      tally.worstSinceBps = Math.max(tally.worstSinceBps, moreBps - Math.max(0, missedBps))
      const swapped = replayShares(market, { ...asked, route })?.route.amountOut
      if (swapped !== route.amountOut) tally.wrong += 1
      if (route.gapBps !== undefined && moreBps > route.gapBps + 1e-6) tally.falseGaps += 1
    }
  }
  return tally
}

/** Beginning with what fell, as gateways do; `isTold` where there was such a route. */
function searchOn(market: Market, begun: BegunSearch, asked: Parameters<typeof findRoute>[1]) {
  const made: Certificate[] = []
  const held: Again[] = []
  const { fallen } = begun
  const certified = (certificate: Certificate) => void made.push(certificate)
  const route = findRoute(market, {
    ...asked,
    fallen,
    certified,
    held: (again) => held.push(again),
  })
  const certificate = made.find((each) => each.route === route)
  const again = held.find((each) => each.route === route)
  if (certificate) begun.keep(certificate)
  if (again) begun.hold(again)
  return {
    route,
    isResumed: again !== undefined || certificate?.isResumed === true,
    isTold: fallen !== undefined,
  }
}

type Asked = { readonly tokenOut: string; readonly nativeToken: string }

/** Of one unit, in what is bought. */
function gasPriceIn(market: Market, { tokenOut, nativeToken }: Asked): number {
  const price = nativePrices(market, nativeToken)[market.tokenIndex.get(tokenOut) ?? -1] ?? 0
  return Number(gasPriceWei) * price
}

/** How much more, net of gas, one route brings than another in the same market. */
function lacksBps(
  market: Market,
  asked: Asked,
  { of, route }: { readonly of: Route; readonly route: Route },
): number {
  return (netOf(market, of, asked) / netOf(market, route, asked) - 1) * 1e4
}

const netOf = (market: Market, { amountOut, gas }: Route, asked: Asked): number =>
  Number(amountOut) - gas * gasPriceIn(market, asked)
