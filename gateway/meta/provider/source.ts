import type { Address, Hex } from 'viem'
import { moreBps } from '../../amounts/amounts.ts'
import type { Ticket } from './ticket.ts'

/** What a caller wants to trade. Raw amounts; the zero address is the native currency. */
export type Trade =
  | { readonly type: 'exactInput'; readonly amountIn: bigint }
  | { readonly type: 'exactOutput'; readonly targetOut: bigint; readonly maxIn: bigint }

export type SourceRequest = {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly trade: Trade
  /** Who sends the transaction to the target: the taker, or the taker's proxy. */
  readonly sender: Address
  /** Who receives the output: always the taker. */
  readonly recipient: Address
  readonly slippageBps: number
  /** The caller guards the output itself: sources lower their own guard as far as they can. */
  readonly relaxMinReturn: boolean
}

export type SourceQuote = {
  readonly provider: string
  /** What the payload is expected to take. */
  readonly amountIn: bigint
  /** What the payload takes at most: allowance, value and proxy amount. amountIn for exact input. */
  readonly maxAmountIn: bigint
  readonly amountOut: bigint
  /** What the payload itself guarantees. */
  readonly minAmountOut: bigint
  readonly target: Address
  /** Undefined for native input. */
  readonly approveTarget: Address | undefined
  readonly calldata: Hex
  readonly value: bigint
  readonly gasEstimate: bigint
  readonly taxInBps: number
  readonly taxOutBps: number
  /** Nobody vouches for its contracts, or for their function: it wins only after a successful dry run. */
  readonly mustBeProved?: boolean | undefined
  /** Of our own search: it cannot lure, and others are measured by it. */
  readonly isReference?: boolean | undefined
  readonly route?: string | undefined
}

export const failureReasons = [
  'timeout',
  'rate_limited',
  'no_route',
  'unsupported_chain',
  'unsupported_token',
  'unsupported_exact_output',
  'invalid_response',
  'target_not_allowed',
  'calldata_mismatch',
  'upstream_error',
  'circuit_open',
  'not_configured',
] as const

/** The fixed first word of `failures[].reason`. */
export type FailureReason = (typeof failureReasons)[number]

export type SourceFailure = {
  readonly status: 'failure'
  readonly reason: FailureReason
  readonly detail?: string | undefined
  /** Worth one more try at once: a reset connection, a gateway's 502. */
  readonly transient?: boolean | undefined
  /** How long the source asked not to be called. */
  readonly retryAfterMs?: number | undefined
}

export type SourceOutcome =
  | { readonly status: 'quote'; readonly quote: SourceQuote }
  /** A price that nobody can execute through us: an order book's estimate. */
  | { readonly status: 'reference'; readonly amountOut: bigint }
  | SourceFailure

export type SourceContext = {
  readonly signal: AbortSignal
  /** Called before each further attempt. */
  readonly onRetry: () => void
  /** For whom: places of a source are shared by caller. */
  readonly caller?: string | undefined
  /** Whom the caller is one of many of: its addresses and keys take turns together. Default: the caller. */
  readonly site?: string | undefined
  /** In whose names it waits for its turns. Default: the caller's. */
  readonly ticket?: Ticket | undefined
  /** Told the ticket of the call that answers this one. */
  readonly onTicket?: ((ticket: Ticket) => void) | undefined
}

export type Source = {
  readonly name: string
  quote(request: SourceRequest, context: SourceContext): Promise<SourceOutcome>
  /** How long it asked not to be called, where that is kept by call. */
  readonly pausedForMs?: (() => number) | undefined
}

export const nativeToken: Address = '0x0000000000000000000000000000000000000000'

export const isTimeout = (outcome: SourceOutcome) =>
  outcome.status === 'failure' && outcome.reason === 'timeout'

export function fail(reason: FailureReason, detail?: string): SourceFailure {
  return { status: 'failure', reason, detail }
}

/** The wire sentence of a failure: the fixed word, then what is known. */
export function describeFailure({ reason, detail }: SourceFailure): string {
  return detail === undefined ? reason : `${reason}: ${detail}`
}

/** `amount` and `bps` more, rounded up, but never over what the caller allows. */
export function inputCap(
  amount: bigint,
  { slippageBps, maxIn }: { slippageBps: number; maxIn: bigint },
): bigint {
  const cap = moreBps(amount, slippageBps)
  return cap < maxIn ? cap : maxIn
}

/** The guard to ask a source for: the caller's own, or the loosest that the source takes. */
export function guardBps(request: SourceRequest, loosestBps: number): number {
  return request.relaxMinReturn ? Math.max(loosestBps, request.slippageBps) : request.slippageBps
}
