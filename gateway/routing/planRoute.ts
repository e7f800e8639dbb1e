import type { Address } from 'viem'
import { isNative } from '../chain/chains.ts'
import { findRouteInSlices } from './engine/findRoute.ts'
import type { Market } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { afterTax } from './protocols/taxedPool.ts'
import {
  type QuoteDeps,
  type QuoteParameters,
  type RoutingMode,
  toEngineToken,
} from './quoteRequest.ts'
import { type Replayed, replayShares } from './replayShares.ts'
import type { RoutingChain } from './routingChain.ts'
import { type Asking, findShared } from './searchQueue.ts'
import { settleRoute, toLocalMarket, usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** A followed state older than this is not trusted where the pools of a route can be read anew. */
export const hintAfterMs = 3_000

/** Where the state behind a quote came from. */
export type QuoteSource = 'local' | 'path_hint' | 'rpc'

/**
 * 30,000 units of work are about a millisecond; the deadline is for machines that are not well. A step
 * is some 130,000 gas on a chain where a block has tens of millions.
 */
export const searchLimits = {
  deep: { maxHops: 3, maxSteps: 48, maxWork: 600_000, deadlineMs: 250 },
  ultra: { maxHops: 4, maxSteps: 64, maxWork: 1_500_000, deadlineMs: 1_000 },
} as const

export type PreparedState = {
  readonly state: SyncedState
  /** Tokens of the engine whose pools were read for this very request. */
  readonly read: ReadonlySet<string>
}
export type Prepared =
  | ({ readonly status: 'ok' } & PreparedState)
  | { readonly status: 'unavailable'; readonly reason: string }

/** A state that knows all these tokens and their taxes, reading from the chain at once what is missing. */
export async function prepareState(
  chain: RoutingChain,
  tokens: readonly Address[],
): Promise<Prepared> {
  const followed = await chain.sync.fresh()
  if (!followed) return { status: 'unavailable', reason: 'the chain has not been read yet' }
  const wanted = [...new Set(tokens.map((token) => toEngineToken(chain, token) as Address))]
  const found = await discover(chain, { followed, wanted })
  if (found.status === 'unavailable') return found
  const samples = wanted
    .filter((token) => chain.taxes.get(token) === undefined)
    .flatMap((address) => {
      const info = chain.sync.tokens().get(address)
      return info ? [{ address: info.address, amount: 10n ** BigInt(info.decimals) * 100n }] : []
    })
  if (samples.length === 0 || !(await chain.taxes.measure(samples))) return found
  return { ...found, state: (await chain.sync.reprice(wanted)) ?? found.state }
}

/** Whoever could not look has no answer: none of the tokens counts as sought then. */
async function discover(
  { sync, sought }: RoutingChain,
  { followed, wanted }: { readonly followed: SyncedState; readonly wanted: readonly Address[] },
): Promise<Prepared> {
  const isKnown = (token: string, { market }: SyncedState) => market.tokenIndex.has(token)
  const unknown = wanted.filter((token) => !isKnown(token, followed) && sought.isDue(token))
  if (unknown.length === 0) return { status: 'ok', state: followed, read: new Set() }
  const refuse = (reason: string) => ({ status: 'unavailable', reason }) as const
  const looked = await sync.discover(unknown).catch(() => undefined)
  if (!looked) return refuse('the chain did not answer')
  if (looked.status === 'busy') return refuse('too many new tokens are waiting to be looked for')
  sought.add(unknown)
  const state = looked.state ?? followed
  return { status: 'ok', state, read: new Set(unknown.filter((token) => isKnown(token, state))) }
}

/** Where the state behind a quote of these tokens came from, when nothing was read anew since. */
export function sourceOf(
  chain: RoutingChain,
  { read }: PreparedState,
  tokens: readonly Address[],
): QuoteSource {
  return tokens.some((token) => read.has(toEngineToken(chain, token))) ? 'rpc' : 'local'
}

/** A request that needs no search waits no longer than this for one that does. */
export const sliceMs = 2

export type SearchParameters = {
  readonly chain: RoutingChain
  readonly market: Market
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly mode: RoutingMode
  readonly isGone?: Asking['isGone']
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

/** The same, but for what is known already nobody asks whether the pools swap. */
export async function searchUntried(
  deps: Pick<QuoteDeps, 'now'>,
  { chain, market, tokenIn, tokenOut, amountIn, mode, isGone }: SearchParameters,
): Promise<Route | undefined> {
  if (tokenIn === tokenOut) return { amountIn, amountOut: amountIn, gas: 0, steps: [] }
  const parameters = {
    ...{ tokenIn, tokenOut, amountIn, ...searchLimits[mode] },
    gasPriceWei: chain.gasPriceWei(),
    nativeToken: chain.chainClient.chain.wrappedNative.toLowerCase(),
    now: deps.now,
  }
  const usable = chain.probes?.usable(market) ?? market
  const route = await chain.searches(() => findRouteInSlices(usable, parameters, { sliceMs }), {
    ...{ chainId: chain.chainId, isGone },
  })
  return route && route.amountOut > 0n ? route : undefined
}

/** A quoter that gives this much less than its samples promised has another route stand against it. */
const toleratedBps = 10n
const oneBps = 10_000n

/**
 * The best route with what its pools really give, and the pools as it leaves them: where it uses pools
 * without local maths, the chain is asked. Should they refuse, or give less than the search believed,
 * the best route without any of them is compared.
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
  const { chain, market, tokenIn, tokenOut } = parameters
  const replay = (found: Route) =>
    replayShares(market, { route: found, tokenIn, tokenOut, amountIn: found.amountIn })
  if (!usesQuoted(state, route)) return replay(route) ?? { route, pools: [] }
  const settled = await settleRoute({ chain, state, market, route, tokenIn, tokenOut }).catch(
    // The node's trouble is reported by sync; pools with maths of their own serve on.
    () => undefined,
  )
  const least = (route.amountOut * (oneBps - toleratedBps)) / oneBps
  if (settled && settled.route.amountOut >= least) return settled
  const local = await searchRoute(deps, { ...parameters, market: toLocalMarket(market, state) })
  if (!local || (settled && settled.route.amountOut >= local.amountOut)) return settled
  return replay(local) ?? { route: local, pools: [] }
}

/** The route for what arrives at the executor, from the cache of this state where it was asked before. */
export async function planRoute(
  deps: Pick<QuoteDeps, 'now'>,
  {
    chain,
    state,
    parameters,
  }: {
    readonly chain: RoutingChain
    readonly state: SyncedState
    readonly parameters: QuoteParameters
  },
): Promise<Route | undefined> {
  const tokenIn = toEngineToken(chain, parameters.tokenIn)
  const tokenOut = toEngineToken(chain, parameters.tokenOut)
  const mode = parameters.mode ?? 'deep'
  const amountIn = afterTax(parameters.amountIn, taxOf(chain, parameters.tokenIn))
  const { isGone } = parameters
  const question = { chain, market: state.market, tokenIn, tokenOut, amountIn, mode, isGone }
  const key = `${tokenIn}:${tokenOut}:${amountIn}:${mode}`
  const find = () => chain.routes.find(state, key, () => searchRoute(deps, question))
  const found = await findShared(find, question)
  const settle = async () => {
    const settled = found && (await settleFound(deps, { ...question, state, route: found }))
    return settled?.route
  }
  // A quoter's answer is of one block, whether or not an event told of a change.
  const route =
    found && usesQuoted(state, found)
      ? await findShared(
          () => chain.routes.find(state, `${key}:${state.head.hash}`, settle),
          question,
        )
      : found
  if (!route) return undefined
  return route.amountIn < amountIn && !parameters.allowPartial ? undefined : route
}

/** Native currency is wrapped by itself and never taxed. */
export function taxOf(chain: RoutingChain, token: Address): number {
  return isNative(token) ? 0 : (chain.taxes.get(token.toLowerCase()) ?? 0)
}
