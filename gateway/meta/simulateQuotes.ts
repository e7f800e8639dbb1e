import type { Address, Hex } from 'viem'
import { type ProxyTx, proxyTx } from './proxyTx.ts'
import type { SourceQuote, SourceRequest } from './source.ts'

/** What meta needs of the simulator: a subset of its own types, so that tests can stand in for it. */
export type Candidate = {
  readonly target: Address
  readonly data: Hex
  readonly value: bigint
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly spender: Address | undefined
  readonly taker?: Address
  readonly recipient?: Address
}
export type CandidateResult =
  | { readonly status: 'ok'; readonly amountOut: bigint; readonly gasUsed: bigint }
  | { readonly status: 'simulation_failed'; readonly reason: string }
  | {
      readonly status: 'simulation_unavailable'
      readonly reason: string
      readonly cause: 'slot_not_found' | 'rpc_error' | 'unsupported'
    }
export type DryRun = (p: {
  readonly chainId: number
  readonly candidates: readonly Candidate[]
  readonly signal?: AbortSignal
}) => Promise<{ readonly blockNumber: bigint; readonly results: readonly CandidateResult[] }>

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

export type SimulateDeps = {
  /** Undefined for a chain without a simulator. */
  readonly dryRunOf: (chainId: number) => DryRun | undefined
}

export type SimulatedQuotes = {
  /** In the order of the quotes. */
  readonly simulations: readonly QuoteSimulation[]
  readonly blockNumber: bigint | undefined
}

/** The payload as a dry run sees it. Through a proxy, the owner is the taker and the proxy the target. */
function toCandidate(
  request: SourceRequest,
  quote: SourceQuote,
  through: ProxyTx | undefined,
): Candidate {
  const { tokenIn, tokenOut, recipient, sender } = request
  const common = { tokenIn, tokenOut, amountIn: quote.maxAmountIn, recipient }
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
  if (result.status === 'ok')
    return {
      status: 'success',
      actualOutput: result.amountOut,
      accuracyBps: Number((result.amountOut * 10_000n) / quote.amountOut),
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
 * is deployed. An unreachable simulator is a state of each quote, never a throw.
 */
export async function simulateQuotes(
  { dryRunOf }: SimulateDeps,
  {
    quotes,
    request,
    proxy,
    nowMs,
    signal,
  }: {
    readonly quotes: readonly SourceQuote[]
    readonly request: SourceRequest
    /** A deployed proxy to run through; undefined sends straight from `request.sender`. */
    readonly proxy: Address | undefined
    readonly nowMs: number
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
  const candidates = quotes.map((quote) =>
    toCandidate(request, quote, proxy && proxyTx({ proxy, request, quote, nowMs })),
  )
  try {
    const { chainId } = request
    const report = await dryRun({ chainId, candidates, signal })
    return {
      simulations: quotes.map((quote, index) => {
        const result = report.results[index]
        if (!result) return { status: 'rpcError', error: 'the simulator gave no result' }
        return toSimulation(quote, result, report.blockNumber)
      }),
      blockNumber: report.blockNumber,
    }
  } catch {
    return all({ status: 'rpcError', error: 'the simulator could not be reached' })
  }
}
