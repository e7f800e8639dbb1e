import type { Address } from 'viem'
import { isNative } from '../chain/chains.ts'
import { buildExecution, type Execution } from './buildExecution.ts'
import { describeRoute } from './describeRoute.ts'
import type { Route } from './engine/route.ts'
import { estimateGas } from './gasModel.ts'
import { type Grade, gradePool } from './gradePool.ts'
import { countCrossedTicks, priceImpactBps, stepImpactBps } from './measureRoute.ts'
import { type QuoteSource, taxOf } from './planRoute.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { afterTax } from './protocols/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, toEngineToken } from './quoteRequest.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { type Verification, verifyExecution } from './verifyExecution.ts'

export type Readiness =
  | 'ready'
  | 'verified'
  | 'custody_invalid'
  | 'stale'
  | 'unverified'
  | 'no_executor'
  | 'target_unreachable'

export type QuoteStep = {
  readonly protocol: string
  readonly dex: string
  readonly pool: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly feePips: number
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** Number of the parallel path, from 0. */
  readonly path: number
  /** Part of the route's input that flows through this step. */
  readonly shareBps: number
}

export type Quote = {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** What the caller asked to sell. */
  readonly amountIn: bigint
  /** What the pools take of it; less only with `allowPartial`. */
  readonly inputConsumed: bigint
  /** What the taker receives when the state has not moved. */
  readonly amountOut: bigint
  /** What the payload enforces: amountOut less slippage, rounded down. */
  readonly minAmountOut: bigint
  readonly gasEstimate: bigint
  readonly source: QuoteSource
  readonly routePath: string
  readonly priceImpactBps: number
  /** One per step. */
  readonly poolGrades: readonly Grade[]
  readonly execution: Execution | undefined
  readonly readiness: Readiness
  readonly steps: readonly QuoteStep[]
  readonly lastSyncBlock: bigint
  readonly syncLagMs: number
  readonly taxInBps: number
  readonly taxOutBps: number
  readonly executable: boolean
  readonly unexecutableReason?: string | undefined
  readonly optimalityGapBps?: number | undefined
  readonly verification?: Verification | undefined
}

/** Time within which a payload can be sent. */
const deadlineSecs = 1_200n
const oneBps = 10_000n

export type Planned = {
  readonly chain: RoutingChain
  readonly state: SyncedState
  readonly source: QuoteSource
  readonly route: Route
  readonly parameters: QuoteParameters
}

/** From a route to a quote: payload, measures, and the dry run where it was asked for. Undefined when nothing arrives. */
export async function finishQuote(deps: QuoteDeps, planned: Planned): Promise<Quote | undefined> {
  const { chain, state, source, route, parameters } = planned
  const { chainId, tokenIn, tokenOut, amountIn, slippageBps } = parameters
  const taxOutBps = taxOf(chain, tokenOut)
  const amountOut = afterTax(route.amountOut, taxOutBps)
  if (amountOut <= 0n) return undefined
  const minAmountOut = (amountOut * (oneBps - BigInt(slippageBps))) / oneBps
  const { readiness, reason, execution, verification } = await prepareExecution(deps, {
    planned,
    amountOut,
    minAmountOut,
  })
  return {
    chainId,
    tokenIn,
    tokenOut,
    amountIn,
    inputConsumed: consumedOf(planned),
    amountOut,
    minAmountOut,
    source,
    routePath: describeRoute({
      ...{ route, tokenIn, tokenOut },
      ...{ pools: state.pools, dexes: chain.dexes, tokens: chain.sync.tokens() },
    }),
    ...measure(planned, amountOut),
    execution,
    readiness,
    lastSyncBlock: state.head.number,
    syncLagMs: chain.sync.lagMs(),
    taxInBps: taxOf(chain, tokenIn),
    taxOutBps,
    executable: execution !== undefined,
    unexecutableReason: reason,
    optimalityGapBps: route.gapBps,
    verification,
  }
}

function consumedOf({ chain, route, parameters }: Planned): bigint {
  const { tokenIn, amountIn } = parameters
  return route.amountIn === afterTax(amountIn, taxOf(chain, tokenIn)) ? amountIn : route.amountIn
}

/** What is computed from the steps and their pools. */
function measure({ chain, state, route, parameters }: Planned, amountOut: bigint) {
  const { tokenIn, tokenOut } = parameters
  const hops = route.steps.flatMap((step) => {
    const pool = state.pools.get(step.poolId)
    return pool ? [{ step, pool }] : []
  })
  return {
    gasEstimate: estimateGas({
      steps: hops.map(({ step, pool }) => ({
        ...{ pool, tokenIn: step.tokenIn, tokenOut: step.tokenOut },
        crossedTicks: countCrossedTicks(step, pool, state.market),
      })),
      paidToken: isNative(tokenIn) ? undefined : toEngineToken(chain, tokenIn),
      receivedToken: isNative(tokenOut) ? undefined : toEngineToken(chain, tokenOut),
      extraTransferGas: chain.taxes.extraTransferGas,
    }),
    priceImpactBps: priceImpactBps(route, {
      pools: state.pools,
      tokenIn: toEngineToken(chain, tokenIn),
      tokenOut: toEngineToken(chain, tokenOut),
      amountIn: route.amountIn,
      amountOut,
    }),
    poolGrades: hops.map(({ step, pool }) =>
      gradePool({
        impactBps: stepImpactBps(step, pool),
        stateAgeMs: chain.sync.lagMs(),
        idleMs: Number(state.head.number - pool.changedBlock) * chain.chainClient.chain.blockTimeMs,
        taxBps: Math.max(...pool.tokens.map((token) => chain.taxes.get(token) ?? 0)),
      }),
    ),
    steps: hops.map(({ step, pool }) => toQuoteStep(step, pool)),
  }
}

function toQuoteStep(step: Route['steps'][number], pool: PoolRecord): QuoteStep {
  const { amountIn, amountOut, path, shareBps } = step
  return {
    protocol: pool.protocol,
    dex: pool.dex,
    pool: pool.address,
    // Lower-case ids of the engine are addresses; the wire gives them their checksum.
    tokenIn: step.tokenIn as Address,
    tokenOut: step.tokenOut as Address,
    feePips: pool.feePips,
    amountIn,
    amountOut,
    path,
    shareBps,
  }
}

type Prepared = {
  readonly readiness: Readiness
  readonly execution?: Execution | undefined
  readonly reason?: string | undefined
  readonly verification?: Verification | undefined
}

async function prepareExecution(
  deps: QuoteDeps,
  {
    planned,
    amountOut,
    minAmountOut,
  }: { readonly planned: Planned; readonly amountOut: bigint; readonly minAmountOut: bigint },
): Promise<Prepared> {
  const { chain, state, route, parameters } = planned
  if (!chain.executor) return { readiness: 'no_executor', reason: 'executor_not_deployed' }
  if (chain.sync.lagMs() > deps.maxLagMs && planned.source === 'local')
    return { readiness: 'stale', reason: 'stale_state' }
  const nowSecs = BigInt(Math.floor(Date.now() / 1000))
  const { timestampSecs } = state.head
  const execution = buildExecution({
    ...parameters,
    executor: chain.executor,
    minAmountOut,
    // A chain's clock may run ahead of ours (a lab chain's does when its time is moved).
    deadlineSecs: (nowSecs > timestampSecs ? nowSecs : timestampSecs) + deadlineSecs,
    route,
    pools: state.pools,
  })
  if (!parameters.verify && parameters.mode !== 'ultra') return { readiness: 'ready', execution }
  const verification = await verifyExecution(deps, {
    ...parameters,
    execution,
    amountOut,
    stateBlock: state.head.number,
  })
  if (verification.status === 'verified') return { readiness: 'verified', execution, verification }
  if (verification.status === 'unavailable')
    return { readiness: 'unverified', reason: 'verification_unavailable', verification }
  return { readiness: 'custody_invalid', reason: 'dry_run_failed', verification }
}
