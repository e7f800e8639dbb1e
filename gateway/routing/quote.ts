import { finishQuote, type Quote } from './finishQuote.ts'
import { planRoute, prepareState } from './planRoute.ts'
import type { QuoteDeps, QuoteParameters } from './quoteRequest.ts'

export type QuoteOutcome =
  | { readonly status: 'ok'; readonly quote: Quote }
  | { readonly status: 'no_route' }
  | { readonly status: 'unavailable'; readonly reason: string }

/** The best exact-input route and its payload. */
export async function quote(deps: QuoteDeps, parameters: QuoteParameters): Promise<QuoteOutcome> {
  const chain = deps.chains.get(parameters.chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const found = await prepareState(chain, parameters)
  if (!found) return { status: 'unavailable', reason: 'the chain has not been read yet' }
  const { state, source } = found
  const route = planRoute(deps, { chain, state, parameters })
  if (!route) return { status: 'no_route' }
  const finished = await finishQuote(deps, { chain, state, source, route, parameters })
  return finished ? { status: 'ok', quote: finished } : { status: 'no_route' }
}
