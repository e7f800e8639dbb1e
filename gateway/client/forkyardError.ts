/** Every code that a service answers, and those of the client itself; a test finds them in the sources. */
export const errorCodes = [
  'body_too_large',
  'chain_unreachable',
  'conflict',
  'deploy_cap_reached',
  'fee_ceiling_exceeded',
  'forbidden',
  'gas_cap_exceeded',
  'headers_too_large',
  'insufficient_token_balance',
  'internal_error',
  'invalid_json',
  'invalid_payment',
  'invalid_request',
  'method_not_allowed',
  'network_cap_reached',
  'no_native_balance',
  'no_quotes',
  'no_route',
  'nonce_gap',
  'not_found',
  'owner_signature_invalid',
  'owner_signature_required',
  'payment_required',
  'pool_not_found',
  'quote_not_found',
  'rate_limited',
  'relay_not_funded',
  'relay_paused',
  'request_timeout',
  'simulation_reverted',
  'simulation_unavailable',
  'spend_budget_exhausted',
  'unauthorized',
  'unavailable',
  'unknown_transaction',
  'unsigned_share_exhausted',
  'unsupported_encoding',
  'unsupported_media_type',
] as const

export type ErrorCode =
  | (typeof errorCodes)[number]
  /** Nobody answered, or not in time. */
  | 'unreachable'
  | 'timeout'
  /** What came is no answer of a service: a proxy's page, half a body, a stream that ended without `done`. */
  | 'unreadable_answer'
  | 'stream_cut'
  /** It asks the wallet for what was not ordered; nothing of it was signed. */
  | 'refused_answer'

export type ErrorFacts = {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  readonly code: ErrorCode
  /** By which an operator finds the request in the log. */
  readonly requestId?: string | undefined
  readonly retryAfterSecs?: number | undefined
  readonly details?: readonly { readonly field: string; readonly reason: string }[] | undefined
  /** The PAYMENT-REQUIRED header of a 402, as x402's libraries read it. */
  readonly paymentRequired?: string | undefined
  /** The answer as it came: `failures` of a 502 stand there. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

/** Whatever a call throws, but for the caller's own abort. */
export class ForkyardError extends Error implements ErrorFacts {
  override readonly name = 'ForkyardError'
  readonly status: number
  readonly code: ErrorCode
  readonly requestId: string | undefined
  readonly retryAfterSecs: number | undefined
  readonly details: ErrorFacts['details']
  readonly paymentRequired: string | undefined
  readonly body: Readonly<Record<string, unknown>>

  constructor(sentence: string, facts: ErrorFacts & { readonly cause?: unknown }) {
    super(sentence, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.requestId
    this.retryAfterSecs = facts.retryAfterSecs
    this.details = facts.details
    this.paymentRequired = facts.paymentRequired
    this.body = facts.body ?? {}
  }
}
