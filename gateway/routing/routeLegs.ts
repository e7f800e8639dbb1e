import { type Market, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import type { QuoteSource } from './prepareState.ts'
import type { QuoteDeps } from './quoteRequest.ts'
import { type Replayed, replayShares } from './replayShares.ts'
import { repriceHint } from './repriceHint.ts'
import { mostAttempts, type SearchParameters, searchUntried } from './searchRoute.ts'
import { searchSettled, settleFound } from './settleFound.ts'
import { usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'

export type Leg = Pick<SearchParameters, 'tokenIn' | 'tokenOut' | 'amountIn'>

export type LegRoute = {
  readonly route: Route
  /** The pools are as the legs before leave them. */
  readonly state: SyncedState
  /** Undefined where nothing was read anew for it. */
  readonly source: Extract<QuoteSource, 'path_hint'> | undefined
}

type Deps = Pick<QuoteDeps, 'now'>
type Common = Pick<SearchParameters, 'chain' | 'mode' | 'options' | 'asker'> & {
  readonly state: SyncedState
  readonly legs: readonly Leg[]
}
type Plan = Partial<Replayed> & { readonly leg: Leg; readonly market: Market }

/**
 * Routes for several legs on one state, each on the pools as the legs before leave them: no liquidity is
 * counted twice. Searches share a thread and run in order; what the chain has to be asked is asked for
 * all legs at once. Undefined for a leg that has no route.
 */
export async function routeLegs(
  deps: Deps,
  parameters: Common,
): Promise<readonly (LegRoute | undefined)[]> {
  const plans = await planLegs(deps, parameters)
  const hinted = await takeHints(deps, { ...parameters, plans })
  if (hinted) return settleLegs(deps, { ...hinted, source: 'path_hint' })
  return settleLegs(deps, { ...parameters, plans, source: undefined })
}

/** Routes as the search believes in them, through pools that swap: all of them are tried at once. */
async function planLegs(deps: Deps, parameters: Common): Promise<Plan[]> {
  const { probes } = parameters.chain
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const plans = await planUntried(deps, parameters)
    const tried = plans.map(({ route }) => route && probes?.hasRefusing(route))
    if (!(await Promise.all(tried)).includes(true)) return plans
  }
  return parameters.legs.map((leg) => ({ leg, market: parameters.state.market }))
}

/** Each route is taken out of the pools before the next is looked for. */
async function planUntried(
  deps: Deps,
  { chain, mode, options, state, legs, asker }: Common,
): Promise<Plan[]> {
  const plans: Plan[] = []
  let { market } = state
  for (const leg of legs) {
    const route = await searchUntried(deps, { chain, market, mode, options, asker, ...leg })
    if (!route || route.amountIn < leg.amountIn) {
      plans.push({ leg, market })
      continue
    }
    const { pools = [] } = replayShares(market, { ...leg, route }) ?? {}
    plans.push({ leg, market, route, pools })
    market = updateMarket(market, pools)
  }
  return plans
}

/** The same legs on fresh reads of all pools of all their routes, where each still has one. */
async function takeHints(
  deps: Deps,
  { plans, ...parameters }: Common & { readonly plans: readonly Plan[] },
): Promise<(Common & { readonly plans: readonly Plan[] }) | undefined> {
  const routes = plans.flatMap(({ route }) => route ?? [])
  const { chain, state: old, asker } = parameters
  const state = await repriceHint(chain, { state: old, routes, asker })
  if (!state) return undefined
  const again = await planLegs(deps, { ...parameters, state })
  const hasLost = again.some(({ route }, index) => !route && plans[index]?.route)
  return hasLost ? undefined : { ...parameters, state, plans: again }
}

/**
 * What the routes really give. Plans through pools without local maths were guesses: all of them are put
 * to the chain together, and a leg that shares a pool with one that came out differently is run again.
 */
async function settleLegs(
  deps: Deps,
  {
    state,
    plans,
    source,
    legs: _,
    ...common
  }: Common & { readonly plans: readonly Plan[]; readonly source: LegRoute['source'] },
): Promise<readonly (LegRoute | undefined)[]> {
  const settle = ({ leg, route }: Plan, market: Market) =>
    route && settleFound(deps, { ...common, state, market, route, ...leg })
  const answered = await Promise.all(plans.map((plan) => settle(plan, plan.market)))
  const routed: (LegRoute | undefined)[] = []
  const moved = new Set<string>()
  let { market } = state
  for (const [index, plan] of plans.entries()) {
    const { leg, route } = plan
    const known = answered[index]
    const isMoved = (known ?? plan).route?.steps.some(({ poolId }) => moved.has(poolId))
    const found = isMoved
      ? ((await settle(plan, market)) ??
        (await searchSettled(deps, { ...common, state, market, ...leg })))
      : known
    const isWhole = found !== undefined && found.route.amountIn >= leg.amountIn
    routed.push(isWhole ? { route: found.route, state: { ...state, market }, source } : undefined)
    if (isWhole) market = updateMarket(market, found.pools)
    if (isMoved || (route && usesQuoted(state, route)))
      for (const each of [route, found?.route])
        for (const { poolId } of each?.steps ?? []) moved.add(poolId)
  }
  return routed
}
