import { createHash, randomUUID } from 'node:crypto'
import type { Charge, ChargeRequest } from '../http/access.ts'
import { type HttpError, httpError } from '../http/httpError.ts'
import { reply } from '../http/reply.ts'
import { tooManyRequests } from '../http/tooManyRequests.ts'
import type { ChargeParameters, ChargeResult } from '../store/ledger.ts'
import { endOfMonthMs } from '../store/plans.ts'
import { isStoreError } from './isStoreError.ts'
import type { AccessDeps } from './sale/accessConfig.ts'
import { createPaymentRequired, encodeHeader } from './sale/paymentRequired.ts'
import { decodePaymentHeader, type PaymentPayload } from './x402/paymentPayload.ts'
import { readOffers } from './x402/readOffers.ts'
import { fromSettling } from './x402/settlementResponse.ts'
import { type Settling, settlePayment } from './x402/settlePayment.ts'

/** Charges a request, after settling the payment it carries when its quota does not suffice. */
export async function chargeRequest(
  deps: AccessDeps,
  request: ChargeRequest,
  { unitsPerMonth }: Pick<ChargeParameters, 'unitsPerMonth'> = {},
): Promise<Charge> {
  const payment = readPayment(request)
  const { now, bookNow = now } = deps
  // Requests under one name are told apart by their holder: one that comes late gives nothing of another's back.
  const named = readIdempotency(request) ?? readPaymentIdentifier(request, payment)
  const parameters: ChargeParameters = {
    keyId: request.caller.keyId,
    units: request.cost,
    ref: request.requestId,
    atMs: now(),
    unitsPerMonth,
    idempotency: named && { ...named, holder: randomUUID(), steadyMs: bookNow() },
  }
  const result = await deps.store.ledger.charge(parameters)
  if (result.status !== 'insufficient') return toCharge(deps, parameters, result)

  if (!payment) return uncharged(await paymentRequired(deps, request, result.balance.remaining))
  const settling = await settlePayment(deps, { payment, keyId: request.caller.keyId })
  if (settling.status === 'unavailable')
    return uncharged(
      httpError('unavailable', 'this payment cannot be settled right now; nothing was taken', {
        headers: { 'retry-after': '5' },
      }),
    )
  if (settling.status === 'pending')
    return uncharged(
      httpError('conflict', 'the payment is on its way; send the same request again', {
        headers: { 'retry-after': '2', ...responseHeader(settling) },
      }),
    )
  const paid = await deps.store.ledger.charge(parameters)
  if (paid.status === 'insufficient')
    return uncharged(await paymentRequired(deps, request, paid.balance.remaining, settling))
  return toCharge(deps, parameters, paid, responseHeader(settling))
}

const uncharged = (error: HttpError): Charge => ({ status: 'refused', error })

const responseHeader = (settling: Exclude<Settling, { status: 'unavailable' }>) => ({
  'payment-response': encodeHeader(fromSettling(settling)),
  'cache-control': 'no-store, private',
})

function toCharge(
  deps: AccessDeps,
  parameters: ChargeParameters,
  result: Exclude<ChargeResult, { status: 'insufficient' }>,
  headers: Readonly<Record<string, string>> = {},
): Charge {
  switch (result.status) {
    case 'charged':
      return {
        status: 'charged',
        headers: { 'x-quota-remaining': String(result.balance.remaining), ...headers },
        isPaying: result.balance.total > deps.config.freeQuota,
        conclude: (answer) => conclude(deps, { ...parameters, month: result.month }, answer),
      }
    case 'answered':
      return {
        status: 'replayed',
        reply: reply({
          status: result.answer.status,
          body: result.answer.body,
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'idempotent-replayed': 'true',
            ...headers,
          },
        }),
      }
    case 'capped':
      return uncharged(monthIsOver(result.atMs, parameters, headers))
    case 'in_progress':
      return uncharged(
        httpError('conflict', 'the first request with this Idempotency-Key is still running', {
          headers: { 'retry-after': '1' },
        }),
      )
    case 'mismatch':
      return uncharged(
        httpError(
          'conflict',
          'this Idempotency-Key or payment identifier was used for another request',
        ),
      )
  }
}

/** The plan may change before the month is over: nobody is sent away for longer. */
const longestRetrySecs = 86_400

function monthIsOver(
  atMs: number,
  { units, unitsPerMonth }: ChargeParameters,
  headers: Readonly<Record<string, string>>,
): HttpError {
  const sentence = `this request costs ${units} of the ${unitsPerMonth} quotes that the key's plan allows in a month, which has fewer left`
  const leftSecs = Math.ceil((endOfMonthMs(atMs) - atMs) / 1_000)
  return tooManyRequests(Math.min(leftSecs, longestRetrySecs), sentence, headers)
}

async function conclude(
  { store, log, now }: AccessDeps,
  parameters: ChargeParameters & { readonly month: string | undefined },
  { status, body }: { status: number; body: string },
): Promise<void> {
  const isSuccess = status >= 200 && status < 300
  const answer = isSuccess ? { status, body } : undefined
  const isPaid = await store.ledger
    .conclude({ ...parameters, atMs: now(), answer })
    .catch((cause: unknown) => {
      if (!isStoreError(cause)) throw cause
      const { ref, keyId } = parameters
      // The charge stands: an operator finds it by its reference and grants it back.
      log.error({ err: cause, ref, keyId }, 'a charge was not concluded')
      return true
    })
  if (!isPaid) throw overtaken()
}

const overtaken = () =>
  httpError(
    'conflict',
    'a later request with this Idempotency-Key has failed and was given its charge back; send it again',
  )

/** Malformed ones are refused before anybody looks at the key. */
function readPayment({ headers }: ChargeRequest): PaymentPayload | undefined {
  const header = headers['payment-signature']
  const payment = typeof header === 'string' ? decodePaymentHeader(header) : undefined
  return payment && 'problem' in payment ? undefined : payment
}

/**
 * A payment with an identifier (x402's extension) is answered once: the same identifier, payment and
 * request get the stored answer, anything else under that identifier is refused.
 */
function readPaymentIdentifier(request: ChargeRequest, payment: PaymentPayload | undefined) {
  const id = payment?.extensions?.['payment-identifier']?.info.id
  if (!payment || id === undefined) return undefined
  const { signature, authorization } = payment.payload
  const paid = `${signature} ${JSON.stringify(authorization)}\n`
  return { key: `payment-identifier:${id}`, fingerprint: fingerprintOf(request, paid) }
}

/** Also of a GET: one that is charged is not safe to repeat without it. */
function readIdempotency(request: ChargeRequest) {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return undefined
  if (!/^[\x21-\x7e]{1,128}$/.test(key))
    throw httpError('invalidRequest', 'Idempotency-Key must be 1 to 128 printable characters')
  return { key, fingerprint: fingerprintOf(request) }
}

/** What was asked: a GET asks in its address, a POST in its body. */
const fingerprintOf = ({ method, path, search, rawBody }: ChargeRequest, paid = '') =>
  createHash('sha256').update(`${method} ${path}${search}\n${paid}${rawBody}`).digest()

async function paymentRequired(
  deps: AccessDeps,
  request: ChargeRequest,
  remaining: number,
  settling?: Exclude<Settling, { status: 'unavailable' }>,
): Promise<HttpError> {
  const { config } = deps
  const left = Math.max(0, remaining)
  const price = `this request costs ${request.cost} quotes and the key has ${left}`
  const sentence =
    settling?.status === 'refused'
      ? `the payment was refused (${settling.reason}); ${price}`
      : `${price}; buy more as PAYMENT-REQUIRED says`
  // Nothing is sold, so there is nothing to offer: x402 knows no empty list.
  if (config.contracts.length === 0) return httpError('paymentRequired', price)
  const required = createPaymentRequired(config, {
    error: sentence,
    url: (request.baseUrl ?? config.publicUrl) + request.path,
    offers: await readOffers(deps, request.caller),
    quotaUnitsRequired: request.cost,
    quotaRemaining: remaining,
  })
  const { error: _, ...decoded } = required
  return httpError('paymentRequired', sentence, {
    headers: {
      ...(settling && responseHeader(settling)),
      'payment-required': encodeHeader(required),
      'cache-control': 'no-store',
    },
    extra: decoded,
  })
}
