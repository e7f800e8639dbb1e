import { type Route, withoutGap } from './engine/route.ts'
import { afterTax } from './protocols/maths/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, taxOf, toEngineToken } from './quoteRequest.ts'
import { nameOptions } from './routeOptions.ts'
import type { RoutingChain } from './routingChain.ts'
import { findShared } from './searchQueue.ts'
import { searchRoute } from './searchRoute.ts'
import { settleFound } from './settleFound.ts'
import { usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'
import type { Choice } from './trust/trust.ts'

/** The route for what arrives at the executor, from the cache of this state where it was asked before. */
export async function planRoute(
  deps: Pick<QuoteDeps, 'now'>,
  {
    chain,
    state,
    parameters,
    choice = { kind: 'all' },
  }: {
    readonly chain: RoutingChain
    readonly state: SyncedState
    readonly parameters: QuoteParameters
    readonly choice?: Choice | undefined
  },
): Promise<Route | undefined> {
  const tokenIn = toEngineToken(chain, parameters.tokenIn)
  const tokenOut = toEngineToken(chain, parameters.tokenOut)
  const mode = parameters.mode ?? 'deep'
  const amountIn = afterTax(parameters.amountIn, taxOf(chain, parameters.tokenIn))
  const { asker } = parameters
  const options = parameters.options && { ...parameters.options, pools: state.pools }
  const market = chain.trust.choose(state, choice)
  const question = { chain, market, tokenIn, tokenOut, amountIn, mode, options, asker }
  const asked = [tokenIn, tokenOut, amountIn, mode, nameOptions(options)]
  const key = [...asked, chain.trust.nameChoice(choice)].join(':')
  const search = async () => {
    // What a caller narrows down is seldom asked again.
    const isCommon = choice.kind === 'all' && !options
    const found = await searchRoute(deps, { ...question, key: isCommon ? key : undefined })
    // The best through pools left out is not known.
    return found && choice.kind !== 'all' ? withoutGap(found) : found
  }
  const find = () => chain.routes.find(state, key, search)
  const found = await findShared(find, asker)
  const settle = async () => {
    const settled = found && (await settleFound(deps, { ...question, state, route: found }))
    return settled?.route
  }
  // A quoter's answer is of one block, whether or not an event told of a change.
  const route =
    found && usesQuoted(state, found)
      ? await findShared(() => chain.routes.find(state, `${key}:${state.head.hash}`, settle), asker)
      : found
  if (!route) return undefined
  return route.amountIn < amountIn && !parameters.allowPartial ? undefined : route
}
