export type ErrorDetail = { readonly field: string; readonly reason: string }

type HttpErrorOptions = {
  readonly details?: readonly ErrorDetail[] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** More members of the body beside `error`, `code`, the request id and `details`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
  /** Of a 5xx: what was asked for brings it about, and would at any time. It counts as the caller's mistakes do. */
  readonly isOfQuestion?: boolean | undefined
}

/** A refusal the caller may read: thrown by `http/` and `routes.ts` only. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly code: string
  readonly details: readonly ErrorDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly extra: Readonly<Record<string, unknown>>
  readonly isOfQuestion: boolean

  constructor(status: number, code: string, sentence: string, options: HttpErrorOptions = {}) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
    this.extra = options.extra ?? {}
    this.isOfQuestion = options.isOfQuestion ?? status < 500
  }
}

/** The one table of what `http/` and `access/` refuse: status, code, sentence. Services add their own rows. */
const errorTable = {
  invalidRequest: [400, 'invalid_request', 'the request is not valid'],
  invalidJson: [400, 'invalid_json', 'the body is not valid JSON'],
  invalidPayment: [400, 'invalid_payment', 'the PAYMENT-SIGNATURE header is not a valid payment'],
  unauthorized: [401, 'unauthorized', 'a valid API key is needed in the X-API-Key header'],
  paymentRequired: [402, 'payment_required', 'the quota of this API key is used up'],
  forbidden: [403, 'forbidden', 'this is not yours'],
  unknownTransaction: [404, 'unknown_transaction', 'the chain does not know this transaction'],
  notFound: [404, 'not_found', 'there is nothing at this path'],
  noRoute: [404, 'no_route', 'no executable route found'],
  requestTimeout: [408, 'request_timeout', 'the request was not received in time'],
  methodNotAllowed: [405, 'method_not_allowed', 'this path does not answer that method'],
  conflict: [409, 'conflict', 'the request conflicts with an earlier one'],
  bodyTooLarge: [413, 'body_too_large', 'the body is too large'],
  unsupportedMediaType: [415, 'unsupported_media_type', 'pages must send application/json'],
  unsupportedEncoding: [415, 'unsupported_encoding', 'the body must not be compressed'],
  rateLimited: [429, 'rate_limited', 'too many requests'],
  headersTooLarge: [431, 'headers_too_large', 'the request headers are too large'],
  internal: [500, 'internal_error', 'the service failed to answer; nothing was charged'],
  chainUnreachable: [502, 'chain_unreachable', 'the chain could not be reached'],
  unavailable: [503, 'unavailable', 'the service cannot answer right now'],
} as const satisfies Record<string, readonly [status: number, code: string, sentence: string]>

export type ErrorName = keyof typeof errorTable

/** An error of the table, with a more precise sentence where there is one. */
export function httpError(
  name: ErrorName,
  sentence?: string,
  options?: HttpErrorOptions,
): HttpError {
  const [status, code, usual] = errorTable[name]
  return new HttpError(status, code, sentence ?? usual, options)
}
