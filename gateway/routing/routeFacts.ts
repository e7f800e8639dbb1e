import { type Address, getAddress } from 'viem'
import { isNative } from '../chain/native.ts'
import { encodeSteps } from './buildExecution.ts'
import { describeRoute } from './describeRoute.ts'
import type { Route, RouteStep } from './engine/route.ts'
import { estimateGas } from './gasModel.ts'
import {
  countCrossedTicks,
  marketImpactBps,
  priceImpactBps,
  stepImpactBps,
} from './measureRoute.ts'
import { type PoolRecord, toPoolId } from './protocols/poolRecord.ts'
import { toEngineToken } from './quoteRequest.ts'
import type { QuoteStep, RouteFacts } from './routeCache.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'

type Parameters = {
  readonly chain: RoutingChain
  readonly state: SyncedState
  readonly route: Route
  /** As the caller named them: native or wrapped. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** What arrives, after the tax of the token out. */
  readonly amountOut: bigint
}

/** From the cache where the same steps were described before; what other pools say is of the state. */
export function findRouteFacts(
  parameters: Parameters,
): RouteFacts & { readonly marketImpactBps: number | undefined } {
  const { chain, state, route, tokenIn, tokenOut, amountOut } = parameters
  const { routes, taxes } = chain
  const variant = `${isNative(tokenIn)} ${isNative(tokenOut)} ${taxes.measured()}`
  const facts = routes.facts(route.steps, variant, () => computeFacts(parameters))
  const impactBps = routes.marketImpactBps(route, variant, () =>
    marketImpactBps(route, {
      ...endsOf(parameters),
      ...state,
      amountIn: route.amountIn,
      amountOut,
    }),
  )
  return { ...facts, marketImpactBps: impactBps }
}

const endsOf = ({ chain, tokenIn, tokenOut }: Parameters) => ({
  tokenIn: toEngineToken(chain, tokenIn),
  tokenOut: toEngineToken(chain, tokenOut),
})

function computeFacts(parameters: Parameters): RouteFacts {
  const { chain, state, route, tokenIn, tokenOut, amountOut } = parameters
  const { pools, market } = state
  const hops = route.steps.flatMap((step) => {
    const pool = pools.get(step.poolId)
    return pool ? [{ step, pool }] : []
  })
  const ends = endsOf(parameters)
  return {
    routePath: describeRoute({
      route,
      tokenIn,
      tokenOut,
      pools,
      dexes: chain.dexes,
      tokens: chain.sync.tokens(),
    }),
    gasEstimate: estimateGas({
      steps: hops.map(({ step, pool }) => ({
        pool,
        tokenIn: step.tokenIn,
        tokenOut: step.tokenOut,
        crossedTicks: countCrossedTicks(step, pool, market),
      })),
      paidToken: isNative(tokenIn) ? undefined : ends.tokenIn,
      receivedToken: isNative(tokenOut) ? undefined : ends.tokenOut,
      extraTransferGas: chain.taxes.extraTransferGas,
    }),
    priceImpactBps: priceImpactBps(route, { ...ends, pools, amountIn: route.amountIn, amountOut }),
    hops: hops.map(({ pool }) => ({ pool })),
    impactsBps: hops.map(({ step, pool }) => stepImpactBps(step, pool)),
    steps: hops.map((hop) => toQuoteStep(hop, chain.sync.tokens())),
    encodedSteps: encodeSteps({ route, pools }),
  }
}

function toQuoteStep(
  { step, pool }: { readonly step: RouteStep; readonly pool: PoolRecord },
  tokens: ReturnType<RoutingChain['sync']['tokens']>,
): QuoteStep {
  // A checksum takes longer than all else of a step.
  const nameOf = (token: string) => tokens.get(token)?.address ?? getAddress(token)
  const { amountIn, amountOut, path, shareBps } = step
  const poolId = toPoolId(pool)
  return {
    protocol: pool.protocol,
    dex: pool.dex,
    pool: pool.address,
    ...(poolId && { poolId }),
    tokenIn: nameOf(step.tokenIn),
    tokenOut: nameOf(step.tokenOut),
    feePips: pool.feePips,
    amountIn,
    amountOut,
    path,
    shareBps,
  }
}
