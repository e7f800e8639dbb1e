import { type Certificate, gainsOf, laterGapBps } from './engine/certificate.ts'
import { pairBetween } from './engine/indexPairs.ts'
import { type Market, poolOf } from './engine/market.ts'
import { at } from './engine/pieces.ts'
import { type Route, withoutGap } from './engine/route.ts'
import { replayShares } from './replayShares.ts'

/** A route stands while no better one can have come to be worth more than this part beyond it. */
const mostGrowthPart = 0.05e-4
/** At the same price of gas, what is proven to be this near to the best stands whatever has changed. */
const provenGapBps = 0.1

export type StandingRoute = {
  /**
   * The route in a later market in which these pools changed since it was last asked for; undefined
   * where the best may be another by now.
   */
  renew(
    market: Market,
    later: {
      readonly changed: Iterable<string>
      /** Price of gas against when the route was found. */
      readonly gasPart: number
    },
  ): Route | undefined
}

/** Between how many of the route's tokens something is sold. */
function countPairs(market: Market, { steps }: Route): number {
  const tokens = new Set(steps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const numbers = [...tokens].map((token) => market.tokenIndex.get(token) ?? -1)
  return numbers
    .flatMap((from) => numbers.map((to) => pairBetween(market, from, to)))
    .filter((pair) => pair >= 0).length
}

/** What the pools of a route do not earn of their gas: whatever takes the place of one has that to spare. */
function gasToSpare(found: Market, certificate: Certificate): number {
  const { frame, pools } = certificate
  const spare = [...pools].map((id) => {
    const earned = gainsOf(found, certificate, id).reduce((sum, { first }) => sum + first, 0)
    return Math.max(0, (poolOf(found, id)?.gas ?? 0) * frame.gasPrice - earned)
  })
  return spare.reduce((sum, one) => sum + one, 0)
}

/**
 * At the prices of the search, a pool that changed can gain so much and no more by being used otherwise:
 * the route is run anew on the later market, and stands while it lacks no more than that. What its own
 * pools earn less is its loss: another route, nearly as good before, need not lose it.
 */
export function createStandingRoute(found: Market, certificate: Certificate): StandingRoute {
  const { net, pools, frame } = certificate
  /** Changed pools, and what they add to the distance between the route and the best. */
  const growths = new Map<string, number>()
  let growth = 0
  let { route } = certificate
  const pairs = countPairs(found, route)
  const spare = gasToSpare(found, certificate)

  function growthOf(market: Market, id: string): number {
    const gas = pools.has(id) ? 0 : (poolOf(market, id)?.gas ?? 0) * frame.gasPrice
    const left = Math.max(0, gas - spare)
    return gainsOf(market, certificate, id).reduce(
      (sum, { first, now }) =>
        sum + Math.max(0, Math.max(0, now - left) - Math.max(0, first - left)),
      0,
    )
  }

  return {
    renew(market, { changed, gasPart }) {
      // What came between its tokens may earn nothing and save the gas of a swap.
      if (frame.gasPrice > 0 && countPairs(market, route) > pairs) return undefined
      let isHit = false
      for (const id of changed) {
        const grown = growthOf(market, id)
        growth += grown - (growths.get(id) ?? 0)
        growths.set(id, grown)
        isHit ||= pools.has(id)
      }
      const ends = {
        tokenIn: at(market.tokens, frame.tokenIn) ?? '',
        tokenOut: at(market.tokens, frame.tokenOut) ?? '',
      }
      const asked = { ...ends, route, amountIn: route.amountIn }
      const again = isHit ? replayShares(market, asked)?.route : route
      if (!again) return undefined
      const gasCost = route.gas * frame.gasPrice
      const won = Number(again.amountOut) - gasCost - net
      const lacks = growth + Math.abs(gasPart - 1) * gasCost - won
      const gapBps = laterGapBps(market, certificate, again)
      const isProven = gasPart === 1 && gapBps !== undefined && gapBps <= provenGapBps
      if (!isProven && !(lacks <= net * mostGrowthPart)) return undefined
      route = gapBps === undefined ? withoutGap(again) : { ...again, gapBps }
      return route
    },
  }
}
