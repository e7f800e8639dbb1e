import { type Certificate, gainsOf, type Held, holdIn, laterBound } from './engine/certificate.ts'
import type { Again, FallenRoute } from './engine/fallenRoute.ts'
import type { Market } from './engine/market.ts'
import { at } from './engine/pieces.ts'
import { provenGapBps } from './engine/proveRoute.ts'
import { gapBetween, type Route, withoutGap } from './engine/route.ts'
import { frameBetween, type SearchFrame } from './engine/searchFrame.ts'
import { replayShares } from './replayShares.ts'

/** A route stands while no better one can have come to be worth more than this part beyond it. */
const mostGrowthPart = 0.05e-4
/** Where so much is unproven pools disagree: what they are worth to each other hangs on which may be used together. */
const mostGapBps = 100

/** What became of a route in a later market; `fallen` where another may be the best by now. */
export type Renewed =
  | { readonly route: Route; readonly fallen?: undefined }
  | { readonly route?: undefined; readonly fallen: FallenRoute }

export type StandingRoute = {
  /**
   * The route in a later market in which these pools changed since it was last asked for; undefined
   * where it is no route there.
   */
  renew(
    market: Market,
    later: {
      readonly changed: ReadonlySet<string>
      /** Of one unit of gas, in tokenOut. */
      readonly gasPrice: number
    },
  ): Renewed | undefined
  /**
   * After it fell: a search has found the same, and what changed pools could gain is known to be in vain; or prices are
   * known by which it is near to the best, which says nothing of that.
   */
  hold(again: Again): void
}

/** A token whose last pool went is another one when it comes back. */
function areSame(tokens: ReadonlyMap<string, number>, { tokenIndex }: Market): boolean {
  return [...tokens].every(([token, index]) => tokenIndex.get(token) === index)
}

/** The tokens that it has prices for, and its ends. In a function of its own: the others would keep the market. */
function namesIn({ tokens }: Market, { prices, frame }: Certificate) {
  const nameOf = (index: number) => at(tokens, index) ?? ''
  return {
    tokens: new Map([...prices.keys()].map((index) => [nameOf(index), index])),
    ends: { tokenIn: nameOf(frame.tokenIn), tokenOut: nameOf(frame.tokenOut) },
  }
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
  const unweighed = new Set<string>()
  /** What they added in vain, by the searches that it was held by. */
  const held = new Map<string, number>()
  let growth = 0
  let hasMoved = false
  let { route, boundPrices } = certificate
  const { prices, unprovenBps } = certificate
  const { tokens, ends } = namesIn(found, certificate)

  const growthOf = (market: Market, earner: Held, id: string): number =>
    gainsOf(market, earner, id).reduce((sum, { first, now }) => sum + Math.max(0, now - first), 0)

  function weigh(market: Market, later: SearchFrame): void {
    const earner = holdIn(market, { frame: later, certificate })
    for (const id of unweighed) {
      const grown = Math.max(0, growthOf(market, earner, id) - (held.get(id) ?? 0))
      growth += grown - (growths.get(id) ?? 0)
      growths.set(id, grown)
    }
    unweighed.clear()
  }

  /** What the best may bring by now: where gas is cheaper, as much more as what routes bring for free allows. */
  function mostNow(market: Market, later: SearchFrame): number {
    const atPriceThen = net + growth
    if (later.gasPrice >= frame.gasPrice) return atPriceThen
    const part = later.gasPrice / frame.gasPrice
    const free = laterBound(market, { ...later, gasPrice: 0 }, { route, boundPrices })
    return part * atPriceThen + (1 - part) * free
  }

  return {
    renew(market, { changed, gasPrice }) {
      if (!areSame(tokens, market)) return undefined
      let isHit = false
      for (const id of changed) {
        unweighed.add(id)
        isHit ||= pools.has(id)
      }
      const isSame = (id: string) => !changed.has(id)
      const asked = { ...ends, route, amountIn: route.amountIn, isSame }
      const again = isHit ? replayShares(market, asked)?.route : route
      if (!again) return undefined
      hasMoved ||= isHit || gasPrice !== frame.gasPrice
      // A pool that came may have shortened a way.
      const later = frameBetween(market, { ...frame, gasPrice })
      const brings = Number(again.amountOut) - again.gas * gasPrice
      const gapBps = gapBetween(brings, laterBound(market, later, { route, boundPrices }))
      if (gapBps > mostGapBps) return undefined
      const found = Number.isFinite(gapBps) ? { ...again, gapBps } : withoutGap(again)
      if (!(gapBps <= provenGapBps)) {
        weigh(market, later)
        if (!(mostNow(market, later) - brings <= net * mostGrowthPart)) {
          return { fallen: { prices, boundPrices, unprovenBps, route: found, hasMoved } }
        }
      }
      route = found
      return { route }
    },
    hold({ route: again, nearPrices }) {
      route = again
      if (nearPrices) {
        boundPrices = nearPrices
        return
      }
      for (const [id, grown] of growths) held.set(id, grown + (held.get(id) ?? 0))
      growths.clear()
      growth = 0
    },
  }
}
