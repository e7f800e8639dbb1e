import { tracingChannel } from 'node:diagnostics_channel'
import { negligiblePart } from '../amounts/amounts.ts'
import { type Route, withoutGap } from './engine/route.ts'
import type { QuoteDeps } from './quoteRequest.ts'
import { type Replayed, replayShares } from './replayShares.ts'
import { gasPriceIn, type SearchParameters, searchRoute } from './searchRoute.ts'
import { settleRoute, toLocalMarket, usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'

const settlings = tracingChannel('forkyard.settle')

/** Whether what was believed holds for what the chain says; less has another route stand against it. */
export const isAsBelieved = (one: bigint, atLeast: bigint): boolean =>
  one >= atLeast - atLeast / negligiblePart

/** The node's trouble is reported by sync; pools with maths of their own serve on. */
export async function settleIfAnswered(
  settling: Parameters<typeof settleRoute>[0],
): Promise<Replayed | undefined> {
  const attributes = { chainId: settling.chain.chainId, steps: settling.route.steps.length }
  const settled = await settlings
    .tracePromise(() => settleRoute(settling), { attributes })
    .catch(() => undefined)
  // Samples bound nothing: a quoter may give more between them.
  return settled && { ...settled, route: withoutGap(settled.route) }
}

/**
 * The best route with what its pools really give, and the pools as it leaves them: where it uses pools
 * without local maths, the chain is asked. Should they refuse, or give less than the search believed,
 * the best route without any of them is compared; where a stranger has a say in it, the best without
 * strangers: bait is no reason to do without every other quoter.
 */
export async function searchSettled(
  deps: Pick<QuoteDeps, 'now'>,
  { state, ...parameters }: SearchParameters & { readonly state: SyncedState },
): Promise<Replayed | undefined> {
  const route = await searchRoute(deps, parameters)
  return route && settleFound(deps, { ...parameters, state, route })
}

/** A route that was found, with what its pools really give. */
export async function settleFound(
  deps: Pick<QuoteDeps, 'now'>,
  {
    state,
    route,
    ...parameters
  }: SearchParameters & { readonly state: SyncedState; readonly route: Route },
): Promise<Replayed | undefined> {
  const { chain, market, tokenIn, tokenOut, options } = parameters
  const replay = (found: Route) =>
    replayShares(market, { route: found, tokenIn, tokenOut, amountIn: found.amountIn })
  if (!usesQuoted(state, route)) return replay(route) ?? { route, pools: [] }
  const settled = await settleIfAnswered({ chain, state, market, route, tokenIn, tokenOut })
  if (settled && isAsBelieved(settled.route.amountOut, route.amountOut)) return settled
  const isBait = chain.trust.listDoubtful(state, route).length > 0
  const other = isBait
    ? await searchSettled(deps, {
        ...parameters,
        state,
        market: chain.trust.ofKnown(state, market),
      })
    : await searchLocal()
  const gasPrice = gasPriceIn(chain, { market, token: tokenOut, options })
  return !other || (settled && isBetter(settled.route, other.route, gasPrice)) ? settled : other

  async function searchLocal(): Promise<Replayed | undefined> {
    const local = await searchRoute(deps, { ...parameters, market: toLocalMarket(market, state) })
    if (!local) return undefined
    return replay(withoutGap(local)) ?? { route: withoutGap(local), pools: [] }
  }
}

/** What sells more is better; then what brings more, net of its gas. */
function isBetter(one: Route, other: Route, gasPrice: number): boolean {
  if (one.amountIn !== other.amountIn) return one.amountIn > other.amountIn
  const gain = Number(one.amountOut - other.amountOut) - (one.gas - other.gas) * gasPrice
  return gain >= 0
}
