import { hash } from 'node:crypto'
import type { Address } from 'viem'
import { lessBps } from '../amounts/amounts.ts'
import { type AutoSlippage, autoSlippage } from './autoSlippage.ts'
import { type BuildExecutionParameters, buildExecution, type Execution } from './buildExecution.ts'
import type { Route } from './engine/route.ts'
import { isWithinCap } from './gasCap.ts'
import { type Grade, gradePool } from './gradePool.ts'
import { clockSecs, type QuoteSource } from './prepareState.ts'
import { isQuoted } from './protocols/families.ts'
import { afterTax, beforeTax } from './protocols/maths/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, taxOf } from './quoteRequest.ts'
import type { QuoteStep, RouteFacts } from './routeCache.ts'
import { findRouteFacts } from './routeFacts.ts'
import type { RoutingChain } from './routingChain.ts'
import { usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { tryDisguised, type Verification, verifyExecution } from './verifyExecution.ts'

export type Readiness =
  | 'ready'
  | 'verified'
  | 'custody_invalid'
  | 'stale'
  | 'unverified'
  | 'no_executor'
  | 'target_unreachable'
  | 'unbounded_estimate'

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
  /** Where the caller left it to the pools. */
  readonly autoSlippage?: AutoSlippage | undefined
  readonly gasEstimate: bigint
  readonly source: QuoteSource
  readonly routePath: string
  readonly priceImpactBps: number
  readonly marketImpactBps: number | undefined
  /** One per step: what it costs against the mid price of its pool. */
  readonly stepImpactsBps: readonly number[]
  /** One per step: whether its pool was priced by its protocol, on the chain. */
  readonly areStepsQuoted: readonly boolean[]
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
  /** Where the caller asked for a dry run. */
  readonly verification?: Verification | undefined
  /** Where one was made, whoever asked for it. */
  readonly dryRun?: Verification | undefined
  /** Where the caller asked for some. */
  readonly alternatives?: readonly Quote[] | undefined
}

/** Time within which a payload can be sent where the caller names no deadline. */
const usualSecs = 1_200n

export type Planned = {
  readonly chain: RoutingChain
  readonly state: SyncedState
  readonly source: QuoteSource
  readonly route: Route
  readonly parameters: QuoteParameters
}

/** From a route to a quote: payload, measures, and the dry run where it was asked for. Undefined when nothing arrives, or can be mined. */
export async function finishQuote(deps: QuoteDeps, planned: Planned): Promise<Quote | undefined> {
  const { chain, state, source, route, parameters } = planned
  const { chainId, tokenIn, tokenOut, amountIn, slippageBps } = parameters
  const taxOutBps = taxOf(chain, tokenOut)
  const amountOut = afterTax(route.amountOut, taxOutBps)
  if (amountOut <= 0n) return undefined
  const slippage =
    slippageBps === 'auto' ? autoSlippage(chain.moves, route.steps) : { bps: slippageBps }
  const minAmountOut = lessBps(amountOut, slippage.bps)
  const facts = findRouteFacts({ ...planned, tokenIn, tokenOut, amountOut })
  if (!isWithinCap(chain, facts.gasEstimate)) return undefined
  for (const { pool } of facts.hops) chain.taxWatch.traded(pool.tokens)
  const { readiness, reason, execution, dryRun } = await makePayload(deps, {
    planned,
    facts,
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
    autoSlippage: 'moveBps' in slippage ? slippage : undefined,
    source: source === 'local' && usesQuoted(state, route) ? 'rpc' : source,
    routePath: facts.routePath,
    gasEstimate: facts.gasEstimate,
    priceImpactBps: facts.priceImpactBps,
    marketImpactBps: facts.marketImpactBps,
    stepImpactsBps: facts.impactsBps,
    areStepsQuoted: facts.hops.map(({ pool }) => isQuoted(pool)),
    poolGrades: gradeHops(planned, facts),
    steps: facts.steps,
    execution,
    readiness,
    lastSyncBlock: state.head.number,
    syncLagMs: chain.sync.lagMs(),
    taxInBps: taxOf(chain, tokenIn),
    taxOutBps,
    executable: execution !== undefined,
    unexecutableReason: reason,
    // A hint is the best of its own pools only.
    optimalityGapBps: source === 'path_hint' ? undefined : route.gapBps,
    verification: parameters.verify ? dryRun : undefined,
    dryRun,
  }
}

/** `ultra` is verified by simulation before it answers. */
export const asksForDryRun = ({ verify, mode }: QuoteParameters) =>
  verify === true || mode === 'ultra'

function consumedOf({ chain, route, parameters }: Planned): bigint {
  const { tokenIn, amountIn } = parameters
  const taxInBps = taxOf(chain, tokenIn)
  return route.amountIn === afterTax(amountIn, taxInBps)
    ? amountIn
    : beforeTax(route.amountIn, taxInBps)
}

/** Depth is the route's; how old and how busy its pools are changes with every look. */
function gradeHops({ chain, state }: Planned, { hops, impactsBps }: RouteFacts): readonly Grade[] {
  const stateAgeMs = chain.sync.lagMs()
  const { blockTimeMs } = chain.chainClient.chain
  return hops.map(({ pool }, index) =>
    gradePool({
      impactBps: impactsBps[index] ?? 0,
      stateAgeMs,
      idleMs: Number(state.head.number - pool.changedBlock) * blockTimeMs,
      taxBps: Math.max(...pool.tokens.map((token) => chain.taxes.get(token) ?? 0)),
    }),
  )
}

type Payload = {
  readonly readiness: Readiness
  readonly execution?: Execution | undefined
  readonly reason?: string | undefined
  readonly dryRun?: Verification | undefined
}

async function makePayload(
  deps: QuoteDeps,
  {
    planned,
    facts,
    amountOut,
    minAmountOut,
  }: {
    readonly planned: Planned
    readonly facts: RouteFacts
    readonly amountOut: bigint
    readonly minAmountOut: bigint
  },
): Promise<Payload> {
  const { chain, state, parameters } = planned
  if (!chain.executor) return { readiness: 'no_executor', reason: 'executor_not_deployed' }
  if (chain.sync.lagMs() > deps.maxLagMs && planned.source === 'local')
    return { readiness: 'stale', reason: 'stale_state' }
  const usualDeadline = clockSecs(state) + usualSecs
  const forAnybody = {
    ...parameters,
    taker: undefined,
    // A pool that is offered more than it takes looks for more liquidity up to its last price.
    amountIn: consumedOf(planned),
    executor: chain.executor,
    minAmountOut: 0n,
    deadlineSecs: usualDeadline,
    encodedSteps: facts.encodedSteps,
  }
  const { taker, deadlineSecs = usualDeadline } = parameters
  const execution = buildExecution({ ...forAnybody, taker, minAmountOut, deadlineSecs })
  const dryRun = await runDry(deps, { planned, facts, execution, forAnybody, amountOut })
  if (!dryRun) return { readiness: 'ready', execution }
  if (dryRun.status === 'failed')
    chain.probes?.doubt(planned.route.steps.map(({ poolId }) => poolId))
  if (dryRun.status === 'verified') return { readiness: 'verified', execution, dryRun }
  if (dryRun.status === 'unavailable')
    return { readiness: 'unverified', reason: 'verification_unavailable', dryRun }
  return { readiness: 'custody_invalid', reason: 'dry_run_failed', dryRun }
}

/**
 * Undefined where nobody asked for one and nobody unknown has a say in the route. Where somebody has, the
 * run is disguised, and what falls for everybody is left alone for a while.
 */
async function runDry(
  deps: QuoteDeps,
  {
    planned: { chain, state, route, parameters },
    facts,
    execution,
    forAnybody,
    amountOut,
  }: {
    readonly planned: Planned
    readonly facts: RouteFacts
    readonly execution: Execution
    /** The same without what only this caller asks for. */
    readonly forAnybody: BuildExecutionParameters
    readonly amountOut: bigint
  },
): Promise<Verification | undefined> {
  const doubtful = chain.trust.listDoubtful(state, route)
  const asked = { ...parameters, execution, amountOut, stateBlock: state.head.number }
  if (doubtful.length === 0)
    return asksForDryRun(parameters) ? verifyExecution(deps, asked) : undefined
  const asSent = {
    gasUsed: facts.gasEstimate,
    gasPriceWei: chain.gasPriceWei(),
    blockTimeMs: chain.chainClient.chain.blockTimeMs,
  }
  const judge = async () => {
    const neutral = buildExecution(forAnybody)
    const trial = await tryDisguised(deps, { ...asked, asSent, forAnybody: neutral })
    if (trial.fellForAnybody) chain.trust.rest(state, doubtful)
    return trial.verification
  }
  // Senders drawn by lot: kept, a verdict could be asked for until a lot passes, and stands for others.
  if (!parameters.taker) return judge()
  return chain.trust.trials.once(nameRun(asked, { state, facts }), judge, {
    isFinal: ({ status }) => status !== 'unavailable',
  })
}

/** All that a dry run depends on but the usual deadline. */
function nameRun(
  { tokenIn, tokenOut, amountIn, taker, slippageBps, deadlineSecs }: QuoteParameters,
  { state, facts }: { readonly state: SyncedState; readonly facts: RouteFacts },
): string {
  const asked = [tokenIn, tokenOut, amountIn, taker, slippageBps, deadlineSecs].join(':')
  return hash('sha256', [state.head.hash, asked, facts.encodedSteps].join(':'))
}
