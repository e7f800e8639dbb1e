import { lessBps } from '../amounts/amounts.ts'
import { findAlternatives } from './findAlternatives.ts'
import type { Planned, Quote } from './finishQuote.ts'
import { finishTrusted } from './finishTrusted.ts'
import { planRoute } from './planRoute.ts'
import { type PreparedState, prepareState, sourceOf } from './prepareState.ts'
import type { QuoteDeps, QuoteParameters } from './quoteRequest.ts'
import { repriceHint } from './repriceHint.ts'
import type { RoutingChain } from './routingChain.ts'
import { toUnavailable } from './searchQueue.ts'
import { toleranceBps } from './verifyExecution.ts'

/** More than any pool counts; the pools of a partial quote are offered no more. */
const mostTaken = 2n ** 127n

export type QuoteOutcome =
  | { readonly status: 'ok'; readonly quote: Quote }
  | { readonly status: 'no_route' }
  | { readonly status: 'unavailable'; readonly reason: string }

/** The best exact-input route and its payload. */
export async function quote(deps: QuoteDeps, asked: QuoteParameters): Promise<QuoteOutcome> {
  const chain = deps.chains.get(asked.chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const prepared = await prepareState(chain, [asked.tokenIn, asked.tokenOut])
  if (prepared.status === 'unavailable') return prepared
  return quoteOn(deps, { chain, prepared, asked })
}

export type Asked = {
  readonly chain: RoutingChain
  /** Knows both tokens. */
  readonly prepared: PreparedState
  readonly asked: QuoteParameters
}

/** The same on a state that is at hand, with the alternatives that were asked for. */
export async function quoteOn(deps: QuoteDeps, request: Asked): Promise<QuoteOutcome> {
  const outcome = await findQuote(deps, request).catch(toUnavailable)
  const { alternatives: count = 0 } = request.asked
  if (outcome.status !== 'ok' || count === 0) return outcome
  const find = async (asked: QuoteParameters) => {
    const other = await findQuote(deps, { ...request, asked }).catch(toUnavailable)
    return other.status === 'ok' ? other.quote : undefined
  }
  const { quote: best } = outcome
  const alternatives = await findAlternatives(find, { best, count, asked: request.asked })
  return { status: 'ok', quote: { ...best, alternatives } }
}

async function findQuote(
  deps: QuoteDeps,
  { chain, prepared, asked }: Asked,
): Promise<QuoteOutcome> {
  const isBeyond = asked.allowPartial && asked.amountIn > mostTaken
  const parameters = isBeyond ? { ...asked, amountIn: mostTaken } : asked
  const tokens = [parameters.tokenIn, parameters.tokenOut]
  const { state } = prepared
  const route = await planRoute(deps, { chain, state, parameters })
  if (!route) return { status: 'no_route' }
  const planned = { chain, state, source: sourceOf(chain, prepared, tokens), route, parameters }
  const hint = async (plan: Planned) => (await takeHint(deps, plan)) ?? plan
  const finished = await finishTrusted(deps, {
    planned: await hint(planned),
    isAsGood: (known, other) =>
      known.route.amountOut >= lessBps(other.route.amountOut, toleranceBps),
    async replan(choice) {
      const again = await planRoute(deps, { chain, state, parameters, choice })
      return again && hint({ ...planned, route: again })
    },
  })
  if (finished.status !== 'ok' || !isBeyond) return finished
  return { status: 'ok', quote: { ...finished.quote, amountIn: asked.amountIn } }
}

/** The same path on fresh reads of its pools, when the followed state has not been confirmed for long. */
async function takeHint(deps: QuoteDeps, planned: Planned): Promise<Planned | undefined> {
  const { asker } = planned.parameters
  const state = await repriceHint(planned.chain, { ...planned, routes: [planned.route], asker })
  if (!state) return undefined
  const route = await planRoute(deps, { ...planned, state })
  return route && { ...planned, state, route, source: 'path_hint' }
}
