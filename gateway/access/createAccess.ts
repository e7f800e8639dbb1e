import type { Access, Caller } from '../http/access.ts'
import { httpError } from '../http/httpError.ts'
import type { AccessDeps } from './accessConfig.ts'
import { hashApiKey, isApiKey } from './apiKey.ts'
import { chargeRequest } from './chargeRequest.ts'
import { isStoreError } from './isStoreError.ts'
import { limitedNetwork } from './limitedNetwork.ts'
import type { TakeUnits } from './rateLimit.ts'
import { chooseRateLimit } from './sharedRateLimit.ts'
import { decodePaymentHeader } from './x402/paymentPayload.ts'

/**
 * A 401 leaves this long after its request came, whatever was wrong: whether a key was looked up, and how
 * long that took, does not show as long as it took less.
 */
const refusalAfterMs = 5
const loopback = /^(127\.|::1$)/

/** Keys, limits and quota of the keyed service, as the port that `http/` calls. */
export function createAccess(deps: AccessDeps): Access {
  const { config, log, buckets } = deps
  const perKey = chooseRateLimit({ buckets }, { ...config.keyLimit, name: 'key' })
  const perIp = config.ipLimit && chooseRateLimit({ buckets }, { ...config.ipLimit, name: 'ip' })
  const isFree = (ip: string) => !config.isLoopbackLimited && loopback.test(ip)

  return {
    identify: async ({ headers, ip }) => {
      refuseMalformedPayment(headers['payment-signature'])
      const cameAt = performance.now()
      const caller = await findCaller(deps, headers['x-api-key'])
      if (caller) return caller
      if (perIp && !isFree(ip)) await refuseFlood(perIp, limitedNetwork(ip))
      await waitUntil(cameAt + refusalAfterMs)
      return undefined
    },
    limit: async ({ caller, ip, weight }) => {
      if (caller) return perKey(caller.keyId, weight)
      return perIp && !isFree(ip) ? perIp(limitedNetwork(ip), weight) : undefined
    },
    charge: async (request) => {
      try {
        const charge = await chargeRequest(deps, request)
        deps.observeCharge?.('taken')
        return charge
      } catch (cause) {
        if (!isStoreError(cause)) throw cause
        deps.observeCharge?.('refused')
        log.error({ err: cause, requestId: request.requestId }, 'the ledger refused a charge')
        return {
          status: 'refused',
          error: httpError('unavailable', undefined, { cause, headers: { 'retry-after': '1' } }),
        }
      }
    },
  }
}

/** Timers count whole milliseconds; the rest is yielded away, so that both paths end at the same instant. */
async function waitUntil(atMs: number): Promise<void> {
  const leftMs = Math.max(1, Math.floor(atMs - performance.now()))
  await new Promise((resolve) => setTimeout(resolve, leftMs))
  while (performance.now() < atMs) await new Promise((resolve) => setImmediate(resolve))
}

/** Before any lookup: a payment that cannot be read is the caller's mistake whoever calls. */
function refuseMalformedPayment(header: string | string[] | undefined): void {
  if (header === undefined) return
  const payment =
    typeof header === 'string' ? decodePaymentHeader(header) : { problem: 'it was sent twice' }
  if ('problem' in payment)
    throw httpError(
      'invalidPayment',
      `the PAYMENT-SIGNATURE header is no payment: ${payment.problem}`,
    )
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

/** Guessing keys is limited per network, under a name of its own: honest calls are not slowed by it. */
async function refuseFlood(take: TakeUnits, network: string): Promise<void> {
  const { allowed, retryAfterSecs } = await take(`401 ${network}`, 1)
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
