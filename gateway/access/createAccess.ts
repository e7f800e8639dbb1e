import { createHash } from 'node:crypto'
import type { Access, Caller, Charge, ChargeRequest } from '../http/access.ts'
import { httpError } from '../http/httpError.ts'
import { reply } from '../http/reply.ts'
import type { ChargeParameters } from '../store/ledger.ts'
import type { AccessDeps } from './accessConfig.ts'
import { hashApiKey, isApiKey } from './apiKey.ts'
import { createPaymentRequired, encodeHeader } from './paymentRequired.ts'
import { createRateLimit, type TakeUnits } from './rateLimit.ts'

/** A 401 leaves this long after its request came, whatever was wrong: the work differs by microseconds. */
const refusalAfterMs = 5
const loopback = /^(127\.|::1$)/

/** Keys, limits and quota of the keyed service, as the port that `http/` calls. */
export function createAccess(deps: AccessDeps): Access {
  const { config, log } = deps
  const perKey = createRateLimit(config.keyLimit)
  const perIp = config.ipLimit && createRateLimit(config.ipLimit)
  const isFree = (ip: string) => !config.isLoopbackLimited && loopback.test(ip)

  return {
    identify: async ({ headers, ip }) => {
      const started = performance.now()
      const caller = await findCaller(deps, headers['x-api-key'])
      if (caller) return caller
      if (perIp && !isFree(ip)) refuseFlood(perIp, ip)
      await new Promise((resolve) =>
        setTimeout(resolve, started + refusalAfterMs - performance.now()),
      )
      return undefined
    },
    limit: async ({ caller, ip, weight }) => {
      if (caller) return perKey(caller.keyId, weight)
      return perIp && !isFree(ip) ? perIp(ip, weight) : undefined
    },
    charge: async (request) => {
      try {
        return await charge(deps, request)
      } catch (cause) {
        if (!isStoreError(cause)) throw cause
        log.error({ err: cause, requestId: request.requestId }, 'the ledger refused a charge')
        return { status: 'refused', error: httpError('unavailable', undefined, { cause }) }
      }
    },
  }
}

async function findCaller(
  { store, config }: AccessDeps,
  header: string | string[] | undefined,
): Promise<Caller | undefined> {
  if (typeof header !== 'string' || !isApiKey(header, { prefix: config.keyPrefix }))
    return undefined
  const key = await store.keys.findBySecretHash(hashApiKey(header, config))
  return key && { keyId: key.id, wallet: key.wallet, scopes: key.scopes }
}

/** Guessing keys is limited per address, under a name of its own: honest calls are not slowed by it. */
function refuseFlood(take: TakeUnits, ip: string): void {
  const { allowed, retryAfterSecs } = take(`401 ${ip}`, 1)
  if (allowed) return
  throw httpError(
    'rateLimited',
    `too many requests; the next one is answered in ${retryAfterSecs} s`,
    {
      headers: { 'retry-after': String(retryAfterSecs) },
      extra: { retryAfterSec: retryAfterSecs },
    },
  )
}

async function charge(deps: AccessDeps, request: ChargeRequest): Promise<Charge> {
  const { store, now } = deps
  const parameters: ChargeParameters = {
    keyId: request.caller.keyId,
    units: request.cost,
    ref: request.requestId,
    atMs: now(),
    idempotency: readIdempotency(request),
  }
  const result = await store.ledger.charge(parameters)
  switch (result.status) {
    case 'charged':
      return {
        status: 'charged',
        headers: { 'x-quota-remaining': String(result.balance.remaining) },
        conclude: (answer) => conclude(deps, parameters, answer),
      }
    case 'insufficient':
      return { status: 'refused', error: paymentRequired(deps, request, result.balance.remaining) }
    case 'answered':
      return {
        status: 'replayed',
        reply: reply({
          status: result.answer.status,
          body: result.answer.body,
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'idempotent-replayed': 'true',
          },
        }),
      }
    case 'in_progress':
      return {
        status: 'refused',
        error: httpError(
          'conflict',
          'the first request with this Idempotency-Key is still running',
          {
            headers: { 'retry-after': '1' },
          },
        ),
      }
    case 'mismatch':
      return {
        status: 'refused',
        error: httpError('conflict', 'this Idempotency-Key was used for another request'),
      }
  }
}

async function conclude(
  { store, log, now }: AccessDeps,
  parameters: ChargeParameters,
  { status, body }: { status: number; body: string },
): Promise<void> {
  const isSuccess = status >= 200 && status < 300
  try {
    await store.ledger.conclude({
      ...parameters,
      atMs: now(),
      answer: isSuccess ? { status, body } : undefined,
    })
  } catch (cause) {
    if (!isStoreError(cause)) throw cause
    // The charge stands: an operator finds it by its reference and grants it back.
    log.error(
      { err: cause, ref: parameters.ref, keyId: parameters.keyId },
      'a charge was not concluded',
    )
  }
}

/** Refusal of the disk or the database (full, read-only, locked), not a mistake of ours. */
function isStoreError(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN)/.test(code)
}

function readIdempotency({ method, path, headers, rawBody }: ChargeRequest) {
  const key = headers['idempotency-key']
  if (method !== 'POST' || typeof key !== 'string') return undefined
  if (!/^[\x21-\x7e]{1,128}$/.test(key))
    throw httpError('invalidRequest', 'Idempotency-Key must be 1 to 128 printable characters')
  const fingerprint = createHash('sha256').update(`${method} ${path}\n${rawBody}`).digest()
  return { key, fingerprint }
}

function paymentRequired(deps: AccessDeps, request: ChargeRequest, remaining: number) {
  const { config } = deps
  const sentence = `this request costs ${request.cost} quotes and the key has ${Math.max(0, remaining)}; buy more as PAYMENT-REQUIRED says`
  const required = createPaymentRequired(config, {
    error: sentence,
    path: request.path.split('?')[0] ?? '/',
    quotaUnitsRequired: request.cost,
    quotaRemaining: remaining,
  })
  const { error: _, ...decoded } = required
  return httpError('paymentRequired', sentence, {
    headers: { 'payment-required': encodeHeader(required), 'cache-control': 'no-store' },
    extra: decoded,
  })
}
