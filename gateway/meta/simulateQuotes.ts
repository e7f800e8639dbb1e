import type { Address } from 'viem'
import type { Candidate, CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { wholeBps } from '../amounts/amounts.ts'
import type { FanOutDeps } from './fanOut.ts'
import type { SourceQuote, SourceRequest } from './provider/source.ts'
import { type ProxyTx, proxyTx } from './proxyTx.ts'
import { watchHoldings } from './watchHoldings.ts'

/** The simulator's own method; a chain without a simulator has none. */
export type DryRun = Simulator['simulateCandidates']

export type SimulationStatus =
  | 'success'
  | 'reverted'
  | 'slotNotFound'
  | 'rpcError'
  | 'notConfigured'
  | 'disabled'
  | 'pending'

export type QuoteSimulation = {
  readonly status: SimulationStatus
  readonly actualOutput?: bigint | undefined
  /** actualOutput / amountOut, 10,000 = as quoted. */
  readonly accuracyBps?: number | undefined
  readonly gasUsed?: bigint | undefined
  readonly error?: string | undefined
  readonly blockNumber?: bigint | undefined
}

export const disabled: QuoteSimulation = { status: 'disabled' }
export const pending: QuoteSimulation = { status: 'pending' }

export type SimulateDeps = Pick<FanOutDeps, 'onFault'> & {
  /** Undefined for a chain without a simulator. */
  readonly dryRunOf: (chainId: number) => DryRun | undefined
  /** Tokens that a taker is likely to hold, and must not lose beside a trade. Default none. */
  readonly commonTokensOf?: ((chainId: number) => readonly Address[]) | undefined
}

/** A proxy that has code, and the block at which it was first seen to. */
export type DeployedProxy = { readonly address: Address; readonly sinceBlock: bigint }

export type SimulatedQuotes = {
  /** In the order of the quotes. */
  readonly simulations: readonly QuoteSimulation[]
  readonly blockNumber: bigint | undefined
}

/** The payload as a dry run sees it. Through a proxy, the owner is the taker and the proxy the target. */
function toCandidate(
  request: SourceRequest,
  {
    quote,
    through,
    commonTokens,
  }: {
    readonly quote: SourceQuote
    readonly through: ProxyTx | undefined
    readonly commonTokens: readonly Address[]
  },
): Candidate {
  const { tokenIn, tokenOut, recipient, sender } = request
  const common = {
    tokenIn,
    tokenOut,
    amountIn: quote.maxAmountIn,
    recipient,
    holdings: watchHoldings(quote, { request, tokens: commonTokens }),
    // With more than it sells in its hands, a taker shows who would take it all.
    ...(quote.mustBeProved && { heldAmount: quote.maxAmountIn * 2n, keepsWealth: true }),
  }
  if (through)
    return {
      ...common,
      taker: recipient,
      target: through.to,
      data: through.data,
      value: through.value,
      spender: quote.approveTarget && through.to,
    }
  return {
    ...common,
    taker: sender,
    target: quote.target,
    data: quote.calldata,
    value: quote.value,
    spender: quote.approveTarget,
  }
}

function toSimulation(
  quote: SourceQuote,
  result: CandidateResult,
  blockNumber: bigint,
): QuoteSimulation {
  if (result.status === 'ok' && result.sideEffect !== undefined)
    return { status: 'reverted', error: result.sideEffect, blockNumber }
  if (result.status === 'ok')
    return {
      status: 'success',
      actualOutput: result.amountOut,
      accuracyBps: Number((result.amountOut * wholeBps) / quote.amountOut),
      gasUsed: result.gasUsed,
      blockNumber,
    }
  if (result.status === 'simulation_failed')
    return { status: 'reverted', error: result.reason, blockNumber }
  const status = result.cause === 'slot_not_found' ? 'slotNotFound' : 'rpcError'
  return { status, error: result.reason, blockNumber }
}

/**
 * Dry runs of all quotes, on one block, in one batch; through the caller's proxy where that
 * is deployed. A simulator that fails is a state of each quote, never a throw.
 */
export async function simulateQuotes(
  { dryRunOf, commonTokensOf, onFault }: SimulateDeps,
  {
    quotes,
    request,
    proxy,
    nowMs,
    caller,
    signal,
  }: {
    readonly quotes: readonly SourceQuote[]
    readonly request: SourceRequest
    /** A deployed proxy to run through; undefined sends straight from `request.sender`. */
    readonly proxy: DeployedProxy | undefined
    readonly nowMs: number
    readonly caller?: string | undefined
    readonly signal: AbortSignal
  },
): Promise<SimulatedQuotes> {
  const all = (simulation: QuoteSimulation): SimulatedQuotes => ({
    simulations: quotes.map(() => simulation),
    blockNumber: undefined,
  })
  if (quotes.length === 0) return all(pending)
  const dryRun = dryRunOf(request.chainId)
  if (!dryRun) return all({ status: 'notConfigured', error: 'this chain has no simulator' })
  // With a proxy, that is how the payload will run: simulating it from the wallet would prove nothing.
  const through = (quote: SourceQuote) =>
    proxy && proxyTx({ proxy: proxy.address, request, quote, nowMs })
  try {
    const { chainId } = request
    const commonTokens = commonTokensOf?.(chainId) ?? []
    const candidates = quotes.map((quote) =>
      toCandidate(request, { quote, through: through(quote), commonTokens }),
    )
    const minBlock = proxy?.sinceBlock
    const report = await dryRun({ chainId, candidates, minBlock, caller, signal })
    return {
      simulations: quotes.map((quote, index) => {
        const result = report.results[index]
        if (!result) return { status: 'rpcError', error: 'the simulator gave no result' }
        return toSimulation(quote, result, report.blockNumber)
      }),
      blockNumber: report.blockNumber,
    }
  } catch (error) {
    const isOutage = error instanceof SimulatorUnavailable || signal.aborted
    if (!isOutage) onFault({ provider: 'simulator', error })
    return all({ status: 'rpcError', error: 'the simulator could not be reached' })
  }
}
