import { finishQuote, type Planned, type Quote } from './finishQuote.ts'
import { planRoute, prepareState } from './planRoute.ts'
import type { QuoteDeps, QuoteParameters } from './quoteRequest.ts'
import { repriceHint } from './repriceHint.ts'

/** A state older than this is not trusted where its pools can be read anew. */
const hintAfterMs = 3_000

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
  const route = await planRoute(deps, { chain, state, parameters })
  if (!route) return { status: 'no_route' }
  const planned = { chain, state, source, route, parameters }
  const hinted = chain.sync.lagMs() > hintAfterMs ? await takeHint(deps, planned) : undefined
  const finished = await finishQuote(deps, hinted ?? planned)
  return finished ? { status: 'ok', quote: finished } : { status: 'no_route' }
}

/** The same path on fresh reads of its pools, when the followed state has not been confirmed for long. */
async function takeHint(deps: QuoteDeps, planned: Planned): Promise<Planned | undefined> {
  const state = await repriceHint(planned.chain, planned)
  if (!state) return undefined
  const route = await planRoute(deps, { ...planned, state })
  return route && { ...planned, state, route, source: 'path_hint' }
}
