import { tracingChannel } from 'node:diagnostics_channel'
import type { Certificate } from './engine/certificate.ts'
import type { Again } from './engine/fallenRoute.ts'
import { type FindRouteParameters, findRouteInSlices } from './engine/findRoute.ts'
import type { Market } from './engine/market.ts'
import { nativePrices } from './engine/nativePrice.ts'
import type { Route } from './engine/route.ts'
import { createSlices } from './engine/slices.ts'
import { fitsTransaction } from './gasCap.ts'
import type { QuoteDeps, RoutingMode } from './quoteRequest.ts'
import { narrowMarket, type SearchOptions } from './routeOptions.ts'
import type { RoutingChain } from './routingChain.ts'
import { type Asker, type Askers, type Asking, createSearchQueue } from './searchQueue.ts'

/**
 * 30,000 units of work are about a millisecond; the deadline is for machines that are not well. A step
 * is some 130,000 gas: the engine keeps to what one transaction may take.
 */
export const searchLimits = {
  deep: { maxHops: 3, maxSteps: 96, maxWork: 1_200_000, deadlineMs: 500 },
  ultra: { maxHops: 4, maxSteps: 112, maxWork: 1_500_000, deadlineMs: 1_000 },
} as const

/** There is one event loop for all chains. */
const slices = createSlices({ now: () => performance.now() })
/** Threads take many searches at once; side by side in the loop they would run out of time. */
const inLoop = createSearchQueue()

const searching = tracingChannel('forkyard.search')

export type SearchParameters = {
  readonly chain: RoutingChain
  readonly market: Market
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly mode: RoutingMode
  readonly options?: SearchOptions | undefined
  readonly asker?: Asker | undefined
  /** Who wait for it as well. */
  readonly others?: Askers | undefined
  /** Names the question where its route is kept for later states. */
  readonly key?: string | undefined
  /** Told how long the event loop has searched, at each turn that it gives. */
  readonly worked?: ((ms: number) => void) | undefined
}

/**
 * The best route between two of the engine's tokens for what the executor holds, through pools that
 * were tried and swap.
 */
export async function searchRoute(
  deps: Pick<QuoteDeps, 'now'>,
  parameters: SearchParameters,
): Promise<Route | undefined> {
  const { probes } = parameters.chain
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const route = await searchUntried(deps, parameters)
    if (!route || !(await probes?.hasRefusing(route))) return route
  }
  return undefined
}
/** Each of them finds out pools that refuse: where so many do, no route can be relied on. */
export const mostAttempts = 8

/** What a unit of gas is worth of a token, as searches see it; 0 where nobody can tell. */
export function gasPriceIn(
  chain: RoutingChain,
  {
    market,
    token,
    options,
  }: Pick<SearchParameters, 'market' | 'options'> & { readonly token: string },
): number {
  const usable = chain.probes?.usable(market) ?? market
  const prices = nativePrices(usable, chain.chainClient.chain.wrappedNative.toLowerCase())
  const gasPriceWei = options?.gasPriceWei ?? chain.gasPriceWei()
  return (prices[usable.tokenIndex.get(token) ?? -1] ?? 0) * Number(gasPriceWei)
}

/**
 * The same, but for what is known already nobody asks whether the pools swap. What no transaction has the
 * gas for is looked for with half as many steps.
 */
export async function searchUntried(
  deps: Pick<QuoteDeps, 'now'>,
  {
    chain,
    market,
    tokenIn,
    tokenOut,
    amountIn,
    mode,
    options,
    asker,
    others,
    key,
    worked,
  }: SearchParameters,
): Promise<Route | undefined> {
  if (tokenIn === tokenOut) return { amountIn, amountOut: amountIn, gas: 0, steps: [] }
  const usable = chain.probes?.usable(market) ?? market
  const gasPriceWei = options?.gasPriceWei ?? chain.gasPriceWei()
  const { standing } = chain.routes
  const variant = `${chain.chainClient.chain.transactionGasCap} ${chain.taxes.measured()}`
  const fits = (route: Route) =>
    chain.routes.fits(route.steps, variant, () => fitsTransaction(chain, { market: usable, route }))
  const asked =
    key === undefined
      ? undefined
      : ([usable, key, gasPriceIn(chain, { market, token: tokenOut, options })] as const)
  const known = asked && standing.recall(...asked)
  if (known && fits(known)) return known
  const begun = asked && standing.begin(...asked)
  /** Each attempt of a search tells its own: pools may have refused. A thread tells it once it has answered. */
  const certificates: Certificate[] = []
  let answered: Route | undefined
  const held: Again[] = []
  const limits = searchLimits[mode]
  const { maxHops = limits.maxHops, maxSteps = limits.maxSteps } = options ?? {}
  const parameters = {
    tokenIn,
    tokenOut,
    amountIn,
    ...limits,
    maxHops: Math.min(maxHops, limits.maxHops),
    mostHops: options?.maxHops,
    singlePath: options?.singlePath,
    gasPriceWei,
    // What gas is worth does not hang on which pools the caller likes.
    gasMarket: usable,
    nativeToken: chain.chainClient.chain.wrappedNative.toLowerCase(),
    now: deps.now,
    fallen: begun?.fallen,
    certified:
      begun &&
      ((made: Certificate) => {
        certificates.push(made)
        if (made.route === answered) begun.keep(made)
      }),
    held: begun && ((again: Again) => void held.push(again)),
  }
  const turn = { ...asker, chainId: chain.chainId, others }
  const attributes = { chainId: chain.chainId, mode, pools: usable.pools.length }
  for (let steps = Math.min(maxSteps, limits.maxSteps); steps > 0; ) {
    const limited = { ...parameters, maxSteps: steps }
    const find = () => {
      const narrowed = options ? narrowMarket(usable, options) : usable
      return findSomewhere(chain, { market: narrowed, parameters: limited, worked, turn })
    }
    const route = await searching.tracePromise(() => chain.searches(find, turn), { attributes })
    if (!route || route.amountOut <= 0n) return undefined
    if (fits(route)) {
      answered = route
      const certificate = certificates.find((made) => made.route === route)
      if (certificate) begun?.keep(certificate)
      const again = held.find((each) => each.route === route)
      if (again) begun?.hold(again)
      return route
    }
    steps = Math.floor(route.steps.length / 2)
  }
  return undefined
}

/** By a thread where one is free, else in the loop, with the same route; never on two markets. */
async function findSomewhere(
  { chainId, threads }: RoutingChain,
  {
    market,
    parameters,
    worked,
    turn,
  }: {
    readonly market: Market
    readonly parameters: FindRouteParameters
    readonly worked: SearchParameters['worked']
    readonly turn: Asking
  },
): Promise<Route | undefined> {
  const { now: _, certified, held, gasMarket = market, ...told } = parameters
  // What a caller narrows down is seldom asked again: no thread is told of such a market.
  const isShared = gasMarket === market
  const question = { name: String(chainId), market, parameters: told }
  const found = isShared
    ? await threads?.find({ ...question, isCertified: certified !== undefined })
    : undefined
  const findHere = () => findRouteInSlices(market, parameters, { slices, worked })
  if (!found) return inLoop(findHere, turn)
  void found.certificate?.then((certificate) => certificate && certified?.(certificate))
  const { route, nearPrices } = found
  if (found.isHeld && route) held?.({ route, nearPrices })
  return route
}
