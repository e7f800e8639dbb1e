import { moreBps } from '../amounts/amounts.ts'
import type { Market } from './engine/market.ts'
import { type Route, withoutGap } from './engine/route.ts'
import { finishQuote, type Planned, type Quote } from './finishQuote.ts'
import { finishTrusted, isDoubtful } from './finishTrusted.ts'
import { prepareState, sourceOf } from './prepareState.ts'
import { afterTax, beforeTax } from './protocols/maths/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, taxOf, toEngineToken } from './quoteRequest.ts'
import type { RoutingChain } from './routingChain.ts'
import { SearchRefused, toUnavailable } from './searchQueue.ts'
import { gasPriceIn, searchRoute } from './searchRoute.ts'
import { isAsBelieved, settleIfAnswered } from './settleFound.ts'
import { settleInput } from './settleInput.ts'
import { toLocalMarket, usesQuoted } from './settleRoute.ts'
import { mostEvaluations, type Solution, solveInput } from './solveInput.ts'
import type { SyncedState } from './sync/syncedState.ts'
import type { Choice } from './trust/trust.ts'
import { toleranceBps } from './verifyExecution.ts'

export type ExactOutputParameters = Omit<
  QuoteParameters,
  'amountIn' | 'allowPartial' | 'alternatives'
> & {
  readonly targetOutput: bigint
  readonly maxInput: bigint
  /** Refuse quotes without a payload; an unreachable target is answered all the same. */
  readonly executableOnly: boolean
}

export type ExactOutputOutcome =
  | { readonly status: 'ok'; readonly quote: Quote }
  | { readonly status: 'no_route' }
  | { readonly status: 'unavailable'; readonly reason: string }

/** The route that reaches a target output for the least input, by exact-input probes. */
export function quoteExactOutput(
  deps: QuoteDeps,
  parameters: ExactOutputParameters,
): Promise<ExactOutputOutcome> {
  return findQuote(deps, parameters).catch(toUnavailable)
}

async function findQuote(
  deps: QuoteDeps,
  parameters: ExactOutputParameters,
): Promise<ExactOutputOutcome> {
  const { tokenIn, tokenOut, maxInput, executableOnly } = parameters
  const chain = deps.chains.get(parameters.chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const found = await prepareState(chain, [tokenIn, tokenOut])
  if (found.status === 'unavailable') return found
  const finish = (route: Route, amountIn: bigint, verify = parameters.verify): Planned => ({
    chain,
    state: found.state,
    source: sourceOf(chain, found, [tokenIn, tokenOut]),
    route,
    parameters: { ...parameters, amountIn, verify },
  })
  // What bounds the output of an input bounds no input.
  const toPlan = (route: Route) =>
    finish(withoutGap(route), beforeTax(route.amountIn, taxOf(chain, tokenIn)))
  const solve = (choice: Choice) => solveOn(deps, { chain, state: found.state, parameters, choice })
  const show = async (solution: Solution): Promise<ExactOutputOutcome> => {
    const shown =
      solution.status === 'unreachable' &&
      (await finishQuote(deps, finish(solution.shown, maxInput, false)))
    if (!shown || solution.status !== 'unreachable') return { status: 'no_route' }
    return { status: 'ok', quote: withoutPayload(solution.isLimit ? shown : withoutRoute(shown)) }
  }
  const solution = await solve({ kind: 'all' })
  if (solution.status === 'no_route') return solution
  if (solution.status === 'unreachable') {
    const isHonest = !isDoubtful(finish(solution.shown, maxInput))
    return show(isHonest ? solution : await solve({ kind: 'known' }))
  }
  let last: Solution = solution
  const finished = await finishTrusted(deps, {
    planned: toPlan(solution.route),
    isAsGood: (known, other) => known.route.amountIn <= moreBps(other.route.amountIn, toleranceBps),
    async replan(choice) {
      last = await solve(choice)
      return last.status === 'solved' ? toPlan(last.route) : undefined
    },
  })
  if (finished.status === 'no_route') return show(last)
  if (finished.status === 'ok' && executableOnly && !finished.quote.executable)
    return { status: 'no_route' }
  return finished
}

type Solving = {
  readonly chain: RoutingChain
  readonly state: SyncedState
  readonly parameters: ExactOutputParameters
  readonly choice: Choice
}

/** Samples that lie may use up all searches: so many are left to pools whose maths is known. */
const mostKept = 4

/**
 * The least input with what pools really give. The search knows quoted pools by their samples: what it
 * finds through them is asked of the chain, and stands against the best route without them where the
 * chain asks for more than the samples did.
 */
async function solveOn(deps: QuoteDeps, solving: Solving): Promise<Solution> {
  const { chain, state, parameters, choice } = solving
  const market = chain.trust.choose(state, choice)
  const localMarket = toLocalMarket(market, state)
  const kept = localMarket === market ? 0 : mostKept
  const options = toSearchOptions(solving)
  const mostTried = mostEvaluations - kept
  const solution = await solveIn(deps, { ...solving, market, mostSearches: mostTried })
  const mostSearches = mostEvaluations - solution.evaluations
  const local = () => solveIn(deps, { ...solving, market: localMarket, mostSearches })
  if (solution.status === 'no_route')
    return kept > 0 && solution.evaluations === mostTried ? local() : solution
  const found = solution.status === 'solved' ? solution.route : solution.shown
  if (!usesQuoted(state, found)) return solution
  const tokenIn = toEngineToken(chain, parameters.tokenIn)
  const tokenOut = toEngineToken(chain, parameters.tokenOut)
  const settle = async (route: Route) => {
    const { asker } = parameters
    if (asker?.isGone?.()) throw new SearchRefused({ isAbandoned: true })
    return (await settleIfAnswered({ chain, state, market, route, tokenIn, tokenOut }))?.route
  }
  if (solution.status === 'unreachable') {
    const shown = solution.isLimit ? await settle(solution.shown) : solution.shown
    return shown && shown.amountOut > 0n ? { ...solution, shown } : local()
  }
  const settled = await settleInput({ ...toBounds(chain, parameters), route: found, settle })
  if (settled && isAsBelieved(found.amountIn, settled.amountIn))
    return { ...solution, route: settled }
  const other = await local()
  const gasPrice = gasPriceIn(chain, { market, token: tokenIn, options })
  const costOf = ({ amountIn, gas }: Route) => Number(amountIn) + gas * gasPrice
  const isBeaten = other.status === 'solved' && settled && costOf(other.route) < costOf(settled)
  return settled && !isBeaten ? { ...other, status: 'solved', route: settled } : other
}

const toSearchOptions = ({ state, parameters: { options } }: Solving) =>
  options && { ...options, pools: state.pools }

function solveIn(
  deps: QuoteDeps,
  {
    market,
    mostSearches,
    ...solving
  }: Solving & { readonly market: Market; readonly mostSearches?: number },
): Promise<Solution> {
  const { chain, parameters } = solving
  const options = toSearchOptions(solving)
  const { mode = 'deep', asker } = parameters
  const tokenIn = toEngineToken(chain, parameters.tokenIn)
  return solveInput({
    ...toBounds(chain, parameters),
    market,
    tokenIn,
    tokenOut: toEngineToken(chain, parameters.tokenOut),
    gasPrice: gasPriceIn(chain, { market, token: tokenIn, options }),
    search: (question) => searchRoute(deps, { chain, market, mode, options, asker, ...question }),
    mostSearches,
  })
}

/** What has to leave the pools, and the most that may arrive at them. */
function toBounds(
  chain: RoutingChain,
  { tokenIn, tokenOut, targetOutput, maxInput }: ExactOutputParameters,
) {
  return {
    target: beforeTax(targetOutput, taxOf(chain, tokenOut)),
    most: afterTax(maxInput, taxOf(chain, tokenIn)),
  }
}

/** When the whole of max_input gives nothing. */
function withoutRoute(quote: Quote): Quote {
  const none = {
    amountOut: 0n,
    minAmountOut: 0n,
    gasEstimate: 0n,
    priceImpactBps: 0,
    marketImpactBps: undefined,
  }
  return {
    ...quote,
    ...none,
    inputConsumed: 0n,
    routePath: '',
    poolGrades: [],
    stepImpactsBps: [],
    areStepsQuoted: [],
    steps: [],
  }
}

function withoutPayload(quote: Quote): Quote {
  return {
    ...quote,
    execution: undefined,
    executable: false,
    readiness: 'target_unreachable',
    unexecutableReason: 'target_unreachable',
    verification: undefined,
  }
}
