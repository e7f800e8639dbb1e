import type { Route } from './engine/route.ts'
import { finishQuote, type Quote } from './finishQuote.ts'
import { prepareState, searchRoute, sourceOf, taxOf } from './planRoute.ts'
import { afterTax } from './protocols/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, toEngineToken } from './quoteRequest.ts'
import { toUnavailable } from './searchQueue.ts'
import { toLocalMarket } from './settleRoute.ts'
import { solveInput } from './solveInput.ts'

export type ExactOutputParameters = Omit<QuoteParameters, 'amountIn' | 'allowPartial'> & {
  readonly targetOutput: bigint
  readonly maxInput: bigint
  /** Refuse quotes without a payload; an unreachable target is answered all the same. */
  readonly executableOnly: boolean
}

export type ExactOutputOutcome =
  | { readonly status: 'ok'; readonly quote: Quote }
  | { readonly status: 'no_route' }
  | { readonly status: 'unavailable'; readonly reason: string }

const oneBps = 10_000n

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
  const { tokenIn, tokenOut, targetOutput, maxInput, executableOnly, isGone } = parameters
  const chain = deps.chains.get(parameters.chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const found = await prepareState(chain, [tokenIn, tokenOut])
  if (found.status === 'unavailable') return found
  // Searching for an input takes many evaluations: only pools with maths of their own bear that.
  const market = toLocalMarket(found.state.market, found.state)
  const solution = await solveInput({
    market,
    tokenIn: toEngineToken(chain, tokenIn),
    tokenOut: toEngineToken(chain, tokenOut),
    target: beforeTax(targetOutput, taxOf(chain, tokenOut)),
    most: afterTax(maxInput, taxOf(chain, tokenIn)),
    search: (question) =>
      searchRoute(deps, { chain, market, mode: parameters.mode ?? 'deep', isGone, ...question }),
  })
  if (solution.status === 'no_route') return solution
  const finish = (route: Route, amountIn: bigint, verify = parameters.verify) =>
    finishQuote(deps, {
      ...{ chain, state: found.state, source: sourceOf(chain, found, [tokenIn, tokenOut]), route },
      parameters: { ...parameters, amountIn, verify },
    })
  if (solution.status === 'unreachable') {
    const shown = await finish(solution.shown, maxInput, false)
    if (!shown) return { status: 'no_route' }
    return { status: 'ok', quote: withoutPayload(solution.isLimit ? shown : withoutRoute(shown)) }
  }
  const { route } = solution
  const quote = await finish(route, beforeTax(route.amountIn, taxOf(chain, tokenIn)))
  if (!quote) return { status: 'no_route' }
  return executableOnly && !quote.executable ? { status: 'no_route' } : { status: 'ok', quote }
}

/** When the whole of max_input gives nothing. */
function withoutRoute(quote: Quote): Quote {
  const none = { amountOut: 0n, minAmountOut: 0n, gasEstimate: 0n, priceImpactBps: 0 }
  return { ...quote, ...none, routePath: '', poolGrades: [], steps: [] }
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

/** The least amount of which `amount` arrives. */
function beforeTax(amount: bigint, taxBps: number): bigint {
  if (taxBps <= 0) return amount
  if (taxBps >= 10_000) return amount
  let gross = (amount * oneBps) / (oneBps - BigInt(taxBps))
  while (afterTax(gross, taxBps) < amount) gross += 1n
  while (gross > 0n && afterTax(gross - 1n, taxBps) >= amount) gross -= 1n
  return gross
}
