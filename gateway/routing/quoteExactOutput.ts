import type { Route } from './engine/route.ts'
import { finishQuote, type Quote } from './finishQuote.ts'
import { prepareState, searchRoute, taxOf } from './planRoute.ts'
import { afterTax } from './protocols/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, toEngineToken } from './quoteRequest.ts'
import { findLeastInput } from './replayShares.ts'

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

/** Route evaluations in one answer: what the 16 quota units pay for. */
const mostProbes = 16
const oneBps = 10_000n
/** Large enough to give something of any token, small enough for any pool of note. */
const anyAmount = 10n ** 18n
/** Stop when a better route saves less than this part of the input. */
const negligiblePart = 1_000_000n

/** The route that reaches a target output for the least input, by exact-input probes. */
export async function quoteExactOutput(
  deps: QuoteDeps,
  parameters: ExactOutputParameters,
): Promise<ExactOutputOutcome> {
  const { tokenIn, tokenOut, targetOutput, maxInput, executableOnly } = parameters
  const chain = deps.chains.get(parameters.chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const found = await prepareState(chain, parameters)
  if (!found) return { status: 'unavailable', reason: 'the chain has not been read yet' }
  const target = beforeTax(targetOutput, taxOf(chain, tokenOut))
  const search = {
    ...{ chain, market: found.state.market, mode: parameters.mode ?? ('deep' as const) },
    tokenIn: toEngineToken(chain, tokenIn),
    tokenOut: toEngineToken(chain, tokenOut),
  }
  const probe = (amountIn: bigint) => searchRoute(deps, { ...search, amountIn })
  const most = afterTax(maxInput, taxOf(chain, tokenIn))
  const atMost = probe(most)
  // Too little to give anything is not the same as no way from token to token.
  const limit = atMost ?? probe(anyAmount)
  if (!limit) return { status: 'no_route' }
  const isReachable = atMost !== undefined && atMost.amountOut >= target
  const route = isReachable ? improve({ search, probe, target, first: atMost }) : undefined
  const amountIn = route ? beforeTax(route.amountIn, taxOf(chain, tokenIn)) : maxInput
  const quote = await finishQuote(deps, {
    ...{ chain, state: found.state, source: found.source, route: route ?? limit },
    parameters: { ...parameters, amountIn },
  })
  if (!quote) return { status: 'no_route' }
  if (!route) return { status: 'ok', quote: withoutPayload(atMost ? quote : withoutRoute(quote)) }
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

/**
 * From a route that gives more than enough to the one that gives just enough: shrink its input to the
 * least, ask for the best route at that input, and again, until nothing is gained.
 */
function improve({
  search,
  probe,
  target,
  first,
}: {
  readonly search: {
    readonly market: Parameters<typeof findLeastInput>[0]
    readonly tokenIn: string
    readonly tokenOut: string
  }
  readonly probe: (amountIn: bigint) => Route | undefined
  readonly target: bigint
  readonly first: Route
}): Route | undefined {
  const shrink = (route: Route) =>
    route.steps.length === 0
      ? { ...route, amountIn: target, amountOut: target }
      : findLeastInput(search.market, { ...search, route, target, atMost: route.amountIn })
  let best = shrink(first)
  for (let probes = 1; best && probes < mostProbes; probes += 1) {
    const better = probe(best.amountIn)
    const shrunk = better && better.amountOut >= target ? shrink(better) : undefined
    if (!shrunk || shrunk.amountIn >= best.amountIn) break
    const saved = best.amountIn - shrunk.amountIn
    const isNegligible = saved * negligiblePart < best.amountIn
    best = shrunk
    if (isNegligible) break
  }
  return best
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
