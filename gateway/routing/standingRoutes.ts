import { LRUCache } from 'lru-cache'
import type { Certificate } from './engine/certificate.ts'
import type { Again, FallenRoute } from './engine/fallenRoute.ts'
import type { Market } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { createMarketJournal } from './marketJournal.ts'
import { createStandingRoute, type StandingRoute } from './standingRoute.ts'

/** Routes that were found in earlier markets and may still be the best. */
export type StandingRoutes = {
  /**
   * The route of a question as this market has it; undefined where it has to be searched. `gasPrice`: of one unit
   * of gas, in what is bought.
   */
  recall(market: Market, key: string, gasPrice: number): Route | undefined
  /** Notes which market, and price of gas, a search begins with. */
  begin(market: Market, key: string, gasPrice: number): BegunSearch
}

export type BegunSearch = {
  /** What stood until this market: the search may begin with it. */
  readonly fallen: FallenRoute | undefined
  /** What it has found stands from there on. */
  keep(found: Certificate): void
  /** The one that fell stands on by what was known of it. */
  hold(again: Again): void
}

type Kept = {
  readonly standing: StandingRoute
  /** When all of the market was searched for it. */
  readonly found: number
  version: number
  /** In that version, at that price of gas. */
  fallen?: FallenRoute | undefined
  gasPrice: number
}

/** Each holds a price for every token of the market. */
const mostKept = 1_024
/** Markets that a route may outlive: pools that did not gain enough alone may have done so together. */
const mostLater = 60

export function createStandingRoutes(): StandingRoutes {
  const journal = createMarketJournal()
  const routes = new LRUCache<string, Kept>({ max: mostKept })
  let last = 0

  /** What may stand no more makes room. A batch goes on with the market that it began with: that one is no news. */
  function enter(market: Market): number {
    const version = journal.enter(market)
    if (version <= last) return version
    last = version
    const fallen = [...routes].filter(([, { found }]) => version > found + mostLater)
    for (const [key] of fallen) routes.delete(key)
    return version
  }

  return {
    recall(market, key, gasPrice) {
      const version = enter(market)
      const kept = routes.get(key)
      if (!kept || kept.fallen || kept.version > version) return undefined
      const changed = journal.since(kept.version)
      if (!changed || version > kept.found + mostLater) return undefined
      const renewed = kept.standing.renew(market, { changed, gasPrice })
      // Had a pool thrown, it would still be of the market before.
      kept.version = version
      kept.gasPrice = gasPrice
      if (!renewed) routes.delete(key)
      kept.fallen = renewed?.fallen
      return renewed?.route
    },
    begin(market, key, gasPrice) {
      const version = enter(market)
      const before = routes.get(key)
      const isThere = before?.version === version && before.gasPrice === gasPrice
      const fell = isThere ? before : undefined
      const fallen = fell?.fallen
      return {
        fallen,
        keep(found) {
          // A later market may be searched by now.
          if ((routes.get(key)?.version ?? 0) > version) return
          const standing = createStandingRoute(market, found)
          const since = found.isResumed ? fell?.found : undefined
          routes.set(key, { standing, found: since ?? version, version, gasPrice })
        },
        hold(again) {
          // It may have fallen again meanwhile, in a later market, or be held already.
          if (!fallen || fell?.fallen !== fallen) return
          fell.standing.hold(again)
          fell.fallen = undefined
        },
      }
    },
  }
}
