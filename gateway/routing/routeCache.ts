import type { Address, Hex } from 'viem'
import type { Route } from './engine/route.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { type Asker, type Askers, createAskers } from './searchQueue.ts'
import { createStandingRoutes, type StandingRoutes } from './standingRoutes.ts'
import type { SyncedState } from './sync/syncedState.ts'

export type QuoteStep = {
  readonly protocol: string
  readonly dex: string
  readonly pool: Address
  /** Where the pool is one of many within its contract. */
  readonly poolId?: Hex | undefined
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly feePips: number
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** Number of the parallel path, from 0. */
  readonly path: number
  /** Part of the route's input that flows through this step. */
  readonly shareBps: number
}

/** What follows from a route's steps and their pools alone, whoever asks for it and when. */
export type RouteFacts = {
  readonly routePath: string
  readonly gasEstimate: bigint
  readonly priceImpactBps: number
  readonly steps: readonly QuoteStep[]
  /** One per step, and how far the step moves it. */
  readonly hops: readonly { readonly pool: PoolRecord }[]
  readonly impactsBps: readonly number[]
  /** The steps as the executor's calldata ends with them: hex without prefix. */
  readonly encodedSteps: string
}

/** Routes of one state: a question asked again before the next change of a pool is answered from here. */
export type RouteCache = {
  /** The route known under `key`, else that of `search`, which runs once for all who wait for it and is told of them. */
  find(
    state: SyncedState,
    key: string,
    asked: { readonly search: (others: Askers) => Found; readonly asker?: Asker | undefined },
  ): Found | Route | undefined
  /**
   * The same before anybody asks; nothing where the question was asked already. The search says how long the
   * event loop has worked for it.
   */
  ahead(
    state: SyncedState,
    key: string,
    search: (others: Askers, worked: (ms: number) => void) => Found,
  ): Found | undefined
  /** Routes that were searched before anybody asked, what that took of the event loop, and those that somebody asked for. */
  aheadTally(): { readonly searched: number; readonly secs: number; readonly asked: number }
  /** What may still be the best of earlier states. */
  readonly standing: StandingRoutes
  /** What is known of a route beside its amounts, computed once for each `variant` while its steps stay. */
  facts(steps: Route['steps'], variant: string, compute: () => RouteFacts): RouteFacts
  /** Whether a transaction has the gas for it, as long as its steps stay. */
  fits(steps: Route['steps'], variant: string, compute: () => boolean): boolean
  /** Against what all pools of each step's pair say together, in one state; undefined for a wrap. */
  marketImpactBps(
    route: Route,
    variant: string,
    compute: () => number | undefined,
  ): number | undefined
}

type Found = Promise<Route | undefined>
type Routes = {
  readonly found: Map<
    string,
    | { readonly running: Found; readonly others: Askers }
    | { readonly running?: undefined; readonly route: Route | undefined }
  >
  /** Searched, and not asked for so far. */
  readonly unasked: Set<string>
}

/** Of one state. */
const mostRoutes = 4_096
/** With and without the native currency at either end; each measured token, a stranger's too, makes new ones. */
const mostVariants = 4

export function createRouteCache(): RouteCache {
  // Blocks that change no pool share the pools of the block before: the routes stay good.
  const routesOf = new WeakMap<SyncedState['pools'], Routes>()
  const ahead = { searched: 0, secs: 0, asked: 0 }

  /** A batch goes on with the state it began with: routes of a later one stay beside its own. */
  function routesIn({ pools }: SyncedState): Routes {
    const known = routesOf.get(pools) ?? { found: new Map(), unasked: new Set() }
    routesOf.set(pools, known)
    return known
  }

  function run({ found, unasked }: Routes, key: string, search: (others: Askers) => Found): Found {
    if (found.size >= mostRoutes) {
      found.clear()
      unasked.clear()
    }
    const others = createAskers()
    const running = search(others).then(
      (route) => {
        found.set(key, { route })
        return route
      },
      (error: unknown) => {
        found.delete(key)
        throw error
      },
    )
    found.set(key, { running, others })
    return running
  }

  return {
    standing: createStandingRoutes(),
    find(state, key, { search, asker = {} }) {
      const routes = routesIn(state)
      if (routes.unasked.delete(key)) ahead.asked += 1
      const known = routes.found.get(key)
      if (!known) return run(routes, key, search)
      if (!known.running) return known.route
      known.others.join(asker)
      return known.running
    },
    ahead(state, key, search) {
      const routes = routesIn(state)
      if (routes.found.has(key)) return undefined
      ahead.searched += 1
      const worked = (ms: number) => {
        ahead.secs += ms / 1_000
      }
      const running = run(routes, key, (others) => search(others, worked))
      routes.unasked.add(key)
      return running
    },
    aheadTally: () => ({ ...ahead }),
    facts: createVariants<RouteFacts>(),
    fits: createVariants<boolean>(),
    marketImpactBps: createVariants<number | undefined>(),
  }
}

/** What is computed once of each object, for each `variant` of it. */
function createVariants<value>() {
  const all = new WeakMap<object, Map<string, { readonly value: value }>>()
  return (of: object, variant: string, compute: () => value): value => {
    const known = all.get(of) ?? new Map<string, { readonly value: value }>()
    all.set(of, known)
    const found = known.get(variant)
    if (found) return found.value
    const made = { value: compute() }
    if (known.size >= mostVariants) known.clear()
    known.set(variant, made)
    return made.value
  }
}
