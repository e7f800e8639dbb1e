import type { Address } from 'viem'
import { lessBps } from '../amounts/amounts.ts'
import { finishLegs } from './finishLegs.ts'
import type { Planned, Quote } from './finishQuote.ts'
import { type PreparedState, prepareState, sourceOf } from './prepareState.ts'
import { afterTax } from './protocols/maths/taxedPool.ts'
import {
  isSameToken,
  type QuoteDeps,
  type QuoteParameters,
  type RoutingMode,
  taxOf,
  toEngineToken,
} from './quoteRequest.ts'
import { type LegRoute, routeLegs } from './routeLegs.ts'
import type { RouteOptions } from './routeOptions.ts'
import type { RoutingChain } from './routingChain.ts'
import { type Asker, toUnavailable } from './searchQueue.ts'
import { priceFor, type UsdPrice } from './usdPrices.ts'

export type DisposalLeg = {
  readonly token: Address
  /** USD times 10^18; undefined where `amount` is given. */
  readonly valueUsdE18?: bigint | undefined
  readonly valueUsd?: number | undefined
  readonly amount?: bigint | undefined
  readonly maxAmount?: bigint | undefined
}

export type DisposalParameters = {
  readonly chainId: number
  readonly targetToken: Address
  readonly legs: readonly DisposalLeg[]
  readonly slippageBps: QuoteParameters['slippageBps']
  /** Taken off value-derived amounts, rounded down. */
  readonly haircutBps: number
  readonly taker?: Address | undefined
  readonly mode: RoutingMode
  readonly options?: RouteOptions | undefined
  readonly deadlineSecs?: bigint | undefined
  readonly allowPartial: boolean
  readonly signal?: AbortSignal | undefined
  readonly asker?: Asker | undefined
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

const e18 = 10n ** 18n

/**
 * Routes all tokens of a position into one, on one state: what is missing of it is read for all legs
 * together, and each leg sees the pools as the legs before leave them. No liquidity is counted twice.
 */
export function quoteLpDisposal(
  deps: QuoteDeps,
  parameters: DisposalParameters,
): Promise<DisposalOutcome> {
  return findDisposal(deps, parameters).catch(toUnavailable)
}

async function findDisposal(
  deps: QuoteDeps,
  parameters: DisposalParameters,
): Promise<DisposalOutcome> {
  const { chainId, targetToken, legs, allowPartial } = parameters
  const chain = deps.chains.get(chainId)
  if (!chain) return { status: 'unavailable', reason: 'the chain is not configured' }
  const preparing = prepareState(chain, [...legs.map(({ token }) => token), targetToken])
  const prices = await chain.usdPrices(
    preparing.then((prepared) => (prepared.status === 'ok' ? prepared.state : undefined)),
  )
  const prepared = await preparing
  if (prepared.status === 'unavailable') return prepared
  const sized: Sized[] = []
  for (const [index, leg] of legs.entries()) {
    const token = toEngineToken(chain, leg.token)
    const { amount, valueUsd = 0 } = leg
    const price = amount === undefined ? priceFor(prices, { token, valueUsd }) : undefined
    const one = sizeLeg(leg, { parameters, price })
    if (!one) return { status: 'unpriced', leg: index }
    sized.push(one)
  }
  const results = await routeAll(deps, { chain, prepared, sized, parameters })
  const failed = results.findIndex(({ error }) => error !== undefined)
  if (failed >= 0 && !allowPartial) return { status: 'no_route', leg: failed }
  return { status: 'ok', disposal: sumUp(parameters, results) }
}

function sumUp({ chainId, targetToken }: DisposalParameters, legs: readonly LegResult[]): Disposal {
  const failedLegs = legs.filter(({ error }) => error !== undefined).length
  const outputs = legs.map(({ passthrough, amountIn, quote }) =>
    passthrough ? amountIn : (quote?.amountOut ?? 0n),
  )
  return {
    chainId,
    targetToken,
    legs,
    failedLegs,
    complete: failedLegs === 0,
    totalOutput: outputs.reduce((sum, output) => sum + output, 0n),
  }
}

type Sized = Omit<LegResult, 'passthrough' | 'quote' | 'error'> & {
  /** A price made the amount, and no bound holds it. */
  readonly isUnbounded: boolean
}

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
  if (amount !== undefined)
    return { token, valueUsd, amountSource: 'explicit', isUnbounded: false, ...clamp(amount) }
  if (!price || valueUsdE18 === undefined) return undefined
  const held = (valueUsdE18 * e18) / price.usdPerRawE36
  const resolved = lessBps(held, parameters.haircutBps)
  const isUnbounded = maxAmount === undefined
  return { token, valueUsd, price, amountSource: 'value_usd', isUnbounded, ...clamp(resolved) }
}

/** Every leg with its quote; payloads are built, and dry-run where the mode asks for it, side by side. */
async function routeAll(
  deps: QuoteDeps,
  {
    chain,
    prepared,
    sized,
    parameters,
  }: {
    readonly chain: RoutingChain
    readonly prepared: PreparedState
    readonly sized: readonly Sized[]
    readonly parameters: DisposalParameters
  },
): Promise<readonly LegResult[]> {
  const { targetToken, mode, asker } = parameters
  const options = parameters.options && { ...parameters.options, pools: prepared.state.pools }
  const isPassthrough = ({ token }: Sized) => isSameToken(token, targetToken)
  const swapped = sized.filter((leg) => !isPassthrough(leg))
  const legs = swapped.map(({ token, amountIn }) => ({
    tokenIn: toEngineToken(chain, token),
    tokenOut: toEngineToken(chain, targetToken),
    amountIn: afterTax(amountIn, taxOf(chain, token)),
  }))
  const quotes = await finishLegs(deps, {
    async plan(choice) {
      const state = { ...prepared.state, market: chain.trust.choose(prepared.state, choice) }
      const routes = await routeLegs(deps, { chain, mode, options, state, asker, legs })
      return swapped.map((leg, at) => toPlan(leg, routes[at], { chain, prepared, parameters }))
    },
  })
  return sized.map((leg) => {
    if (isPassthrough(leg)) return { ...leg, passthrough: true }
    const quote = quotes[swapped.indexOf(leg)]
    const outcome = quote
      ? { quote: leg.isUnbounded ? withoutPayload(quote) : quote }
      : { error: 'no executable route found' }
    return { ...leg, passthrough: false, ...outcome }
  })
}

/** Nothing says that the owner holds so much: an estimate is not for sending. */
function withoutPayload(quote: Quote): Quote {
  const reason = 'unbounded_estimate'
  const { unexecutableReason = reason } = quote
  const readiness = quote.executable ? reason : quote.readiness
  return { ...quote, execution: undefined, executable: false, readiness, unexecutableReason }
}

/** A leg's route as a request of its own. */
function toPlan(
  { token, amountIn }: Sized,
  found: LegRoute | undefined,
  {
    chain,
    prepared,
    parameters,
  }: {
    readonly chain: RoutingChain
    readonly prepared: PreparedState
    readonly parameters: DisposalParameters
  },
): Planned | undefined {
  if (!found) return undefined
  const { chainId, targetToken, slippageBps, taker, mode, options, deadlineSecs, signal, asker } =
    parameters
  const asked = { chainId, slippageBps, taker, mode, options, deadlineSecs, signal, asker }
  const [tokenIn, tokenOut] = [token, targetToken]
  return {
    chain,
    state: found.state,
    route: found.route,
    source: found.source ?? sourceOf(chain, prepared, [token, targetToken]),
    parameters: { ...asked, amountIn, tokenIn, tokenOut },
  }
}
