import type { Address } from 'viem'
import { updateMarket } from './engine/market.ts'
import { finishQuote, type Quote } from './finishQuote.ts'
import { prepareState, searchSettled, taxOf } from './planRoute.ts'
import { afterTax } from './protocols/taxedPool.ts'
import { isSameToken, type QuoteDeps, type RoutingMode, toEngineToken } from './quoteRequest.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { priceFor, type UsdPrice } from './usdPrices.ts'

export type DisposalLeg = {
  readonly token: Address
  /** USD times 10^18. Ignored where `amount` is given. */
  readonly valueUsdE18?: bigint | undefined
  readonly valueUsd?: number | undefined
  readonly amount?: bigint | undefined
  readonly maxAmount?: bigint | undefined
}

export type DisposalParameters = {
  readonly chainId: number
  readonly targetToken: Address
  readonly legs: readonly DisposalLeg[]
  readonly slippageBps: number
  /** Taken off value-derived amounts, rounded down. */
  readonly haircutBps: number
  readonly taker?: Address | undefined
  readonly mode: RoutingMode
  readonly allowPartial: boolean
  readonly signal?: AbortSignal | undefined
}

export type LegResult = {
  readonly token: Address
  readonly valueUsd: number
  readonly amountIn: bigint
  readonly amountSource: 'value_usd' | 'explicit'
  readonly capped: boolean
  /** What a value-derived amount was computed with. */
  readonly price?: UsdPrice | undefined
  readonly passthrough: boolean
  readonly quote?: Quote | undefined
  readonly error?: string | undefined
}

export type Disposal = {
  readonly chainId: number
  readonly targetToken: Address
  readonly complete: boolean
  readonly failedLegs: number
  readonly totalOutput: bigint
  readonly legs: readonly LegResult[]
}

export type DisposalOutcome =
  | { readonly status: 'ok'; readonly disposal: Disposal }
  | { readonly status: 'unpriced'; readonly leg: number }
  | { readonly status: 'no_route'; readonly leg: number }
  | { readonly status: 'unavailable'; readonly reason: string }

const oneBps = 10_000n
const e18 = 10n ** 18n

/**
 * Routes all tokens of a position into one. Legs run in their order on one state, each on the pools
 * as the legs before leave them: no liquidity is counted twice.
 */
export async function quoteLpDisposal(
  deps: QuoteDeps,
  parameters: DisposalParameters,
): Promise<DisposalOutcome> {
  const { chainId, targetToken, legs } = parameters
  const chain = deps.chains.get(chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const state = await prepareAll(chain, parameters)
  if (!state) return { status: 'unavailable', reason: 'the chain has not been read yet' }
  const prices = await chain.usdPrices(state)
  const sized: Sized[] = []
  for (const [index, leg] of legs.entries()) {
    const token = toEngineToken(chain, leg.token)
    const price = priceFor(prices, { token, valueUsd: leg.valueUsd ?? 0 })
    const one = sizeLeg(leg, { parameters, price })
    if (!one) return { status: 'unpriced', leg: index }
    sized.push(one)
  }
  const results: LegResult[] = []
  let left = state
  for (const [index, leg] of sized.entries()) {
    if (isSameToken(leg.token, targetToken)) {
      results.push({ ...leg, passthrough: true })
      continue
    }
    const routed = await routeLeg(deps, { chain, state: left, leg, parameters })
    if (!routed && !parameters.allowPartial) return { status: 'no_route', leg: index }
    results.push({
      ...{ ...leg, passthrough: false },
      ...(routed ? { quote: routed.quote } : { error: 'no executable route found' }),
    })
    left = routed?.left ?? left
  }
  return { status: 'ok', disposal: sumUp(parameters, results) }
}

function sumUp({ chainId, targetToken }: DisposalParameters, legs: readonly LegResult[]): Disposal {
  const failedLegs = legs.filter(({ error }) => error !== undefined).length
  const outputs = legs.map(({ passthrough, amountIn, quote }) =>
    passthrough ? amountIn : (quote?.amountOut ?? 0n),
  )
  return {
    ...{ chainId, targetToken, legs, failedLegs },
    complete: failedLegs === 0,
    totalOutput: outputs.reduce((sum, output) => sum + output, 0n),
  }
}

/** One state that knows every token of the request. */
async function prepareAll(
  chain: RoutingChain,
  { legs, targetToken }: DisposalParameters,
): Promise<SyncedState | undefined> {
  let state: SyncedState | undefined
  for (const { token } of legs)
    state = (await prepareState(chain, { tokenIn: token, tokenOut: targetToken }))?.state ?? state
  return state
}

type Sized = Omit<LegResult, 'passthrough' | 'quote' | 'error'>

/** The raw amount of a leg: value over price, floored, less the haircut, floored, then clamped. */
function sizeLeg(
  leg: DisposalLeg,
  {
    parameters,
    price,
  }: { readonly parameters: DisposalParameters; readonly price: UsdPrice | undefined },
): Sized | undefined {
  const { token, amount, maxAmount, valueUsdE18, valueUsd = 0 } = leg
  const clamp = (resolved: bigint) =>
    maxAmount !== undefined && resolved > maxAmount
      ? { amountIn: maxAmount, capped: true }
      : { amountIn: resolved, capped: false }
  if (amount !== undefined) return { token, valueUsd, amountSource: 'explicit', ...clamp(amount) }
  if (!price || valueUsdE18 === undefined) return undefined
  const held = (valueUsdE18 * e18) / price.usdPerRawE36
  const resolved = (held * (oneBps - BigInt(parameters.haircutBps))) / oneBps
  return { token, valueUsd, price, amountSource: 'value_usd', ...clamp(resolved) }
}

/** A leg's quote, and the state with the pools as its route leaves them. */
async function routeLeg(
  deps: QuoteDeps,
  {
    chain,
    state,
    leg,
    parameters,
  }: {
    readonly chain: RoutingChain
    readonly state: SyncedState
    readonly leg: Sized
    readonly parameters: DisposalParameters
  },
): Promise<{ readonly quote: Quote; readonly left: SyncedState } | undefined> {
  const { chainId, targetToken, slippageBps, taker, mode, signal } = parameters
  const { market } = state
  const tokens = {
    tokenIn: toEngineToken(chain, leg.token),
    tokenOut: toEngineToken(chain, targetToken),
  }
  const amountIn = afterTax(leg.amountIn, taxOf(chain, leg.token))
  const settled = await searchSettled(deps, { chain, state, market, ...tokens, amountIn, mode })
  if (!settled || settled.route.amountIn < amountIn) return undefined
  const { route, pools } = settled
  const quote = await finishQuote(deps, {
    ...{ chain, state, source: 'local', route },
    parameters: {
      ...{ chainId, slippageBps, taker, mode, signal, amountIn: leg.amountIn },
      ...{ tokenIn: leg.token, tokenOut: targetToken },
    },
  })
  if (!quote) return undefined
  return { quote, left: { ...state, market: updateMarket(market, pools) } }
}
