import type { Access, Caller, Charge, ChargeRequest } from '../http/access.ts'
import { httpError } from '../http/httpError.ts'
import { tooManyRequests } from '../http/tooManyRequests.ts'
import type { StoredKey } from '../store/keys.ts'
import { hashApiKey, isApiKey } from './apiKey.ts'
import { chargeRequest } from './chargeRequest.ts'
import { isStoreError } from './isStoreError.ts'
import { createAddressLimit } from './limits/addressLimit.ts'
import { createAddressTurns, isLimited } from './limits/addressTurns.ts'
import { chainWorkWeight } from './limits/chainWorkWeight.ts'
import { createPlanBook } from './limits/planBook.ts'
import { createPlanPlaces } from './limits/planPlaces.ts'
import { chooseRateLimit } from './limits/sharedRateLimit.ts'
import { createRefundPauses } from './refundPauses.ts'
import type { AccessDeps } from './sale/accessConfig.ts'
import { decodePaymentHeader } from './x402/paymentPayload.ts'

/**
 * A 401 leaves this long after its request came, whatever was wrong: whether a key was looked up, and how
 * long that took, does not show as long as it took less.
 */
export const refusalAfterMs = 5

type Pause = (ms: number) => Promise<unknown>
type LimitRequest = { caller: KeyHolder | undefined; ip: string; weight: number }
type EnterRequest = { caller: KeyHolder; asked: string; isStream: boolean }
const realPause: Pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Its plan by name: what that allows may change while a stream goes on. */
type KeyHolder = Caller & { readonly plan?: string | undefined }

/** When somebody whose plan has no place left may look again. */
const placeRetrySecs = 1

/** Keys, limits and quota of the keyed service, as the port that `http/` calls. */
export function createAccess(
  deps: AccessDeps,
  { pause = realPause }: { readonly pause?: Pause } = {},
): Access {
  const { config, log, buckets } = deps
  const perKey = chooseRateLimit({ buckets }, { ...config.keyLimit, name: 'key' })
  const perIp = config.ipLimit && createAddressLimit(deps, config.ipLimit)
  // Guessing keys is limited by address.
  const takeGuess = createAddressTurns(deps, '401')
  const takePayment = createAddressTurns(deps, 'payment')

  const plans = createPlanBook(deps.store.plans)
  const places = createPlanPlaces()
  const refunds = createRefundPauses()
  type Charged = Extract<Charge, { status: 'charged' }>
  const noted = (charge: Charged, { caller, questions, ip }: ChargeRequest): Charged => ({
    ...charge,
    conclude(answer) {
      refunds.note(caller.keyId, { ...answer, questions, ip })
      return charge.conclude(answer)
    },
  })

  return {
    identify: async ({ headers, ip }) => {
      requireReadablePayment(headers['payment-signature'])
      const cameAt = performance.now()
      const caller = await findCaller(deps, headers['x-api-key'])
      if (caller) {
        if (headers['payment-signature'] !== undefined) await takePayment(ip, chainWorkWeight)
        return caller
      }
      await takeGuess(ip, 1)
      await waitUntil(cameAt + refusalAfterMs, pause)
      return undefined
    },
    limit: async ({ caller, ip, weight }: LimitRequest) => {
      if (caller) return perKey(caller.keyId, weight, await plans.find(caller.plan))
      return perIp && isLimited(config, ip) ? perIp(ip, weight) : undefined
    },
    enter: async ({ caller, asked, isStream }: EnterRequest) => {
      const plan = await plans.find(caller.plan)
      const { methods } = plan ?? {}
      if (methods && !methods.includes(asked))
        throw httpError('forbidden', `the key's plan allows ${methods.join(', ')}, not ${asked}`)
      const leave = places.take({ keyId: caller.keyId, isStream, plan })
      if (leave) return leave
      const kind = isStream ? 'streams' : 'requests'
      throw tooManyRequests(placeRetrySecs, `the key has as many ${kind} open as its plan allows`)
    },
    charge: async (request: ChargeRequest & { readonly caller: KeyHolder }) => {
      const { keyId, plan } = request.caller
      const pausedMs = refunds.leftMs(keyId, request.ip)
      if (pausedMs > 0)
        return {
          status: 'refused',
          error: tooManyRequests(
            Math.ceil(pausedMs / 1_000),
            'too many requests of this key in a row were refused, or left before their answer, and refunded',
          ),
        }
      try {
        const unitsPerMonth = (await plans.find(plan))?.unitsPerMonth
        const charge = await chargeRequest(deps, request, { unitsPerMonth })
        deps.observeCharge?.('taken')
        return charge.status === 'charged' ? noted(charge, request) : charge
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
async function waitUntil(atMs: number, pause: Pause): Promise<void> {
  await pause(Math.max(1, Math.floor(atMs - performance.now())))
  while (performance.now() < atMs) await new Promise((resolve) => setImmediate(resolve))
}

/** Before any lookup: a payment that cannot be read is the caller's mistake whoever calls. */
function requireReadablePayment(header: string | string[] | undefined): void {
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
  deps: AccessDeps,
  header: string | string[] | undefined,
): Promise<KeyHolder | undefined> {
  const { store, config, now } = deps
  if (typeof header !== 'string' || !isApiKey(header, { prefix: config.keyPrefix }))
    return undefined
  const secretHash = hashApiKey(header, config)
  const key =
    (await store.keys.findBySecretHash(secretHash, now())) ??
    (await findByFormerPepper(deps, header, secretHash))
  if (!key) return undefined
  const { id: keyId, wallet, walletChainId, scopes, plan } = key
  return { keyId, wallet, walletChainId, scopes, plan }
}

/** A key that is found under the former pepper is found under the new one from then on, also when that is gone. */
async function findByFormerPepper(
  { store, config: { formerPepper }, now, log }: AccessDeps,
  header: string,
  twin: Buffer,
): Promise<StoredKey | undefined> {
  if (formerPepper === undefined || now() >= formerPepper.untilMs) return undefined
  const secretHash = hashApiKey(header, formerPepper)
  const key = await store.keys.findBySecretHash(secretHash, now())
  if (!key) return undefined
  await store.keys.addTwin({ secretHash, twin }).catch((cause: unknown) => {
    if (!isStoreError(cause)) throw cause
    log.warn({ err: cause, keyId: key.id }, 'a key was not taken over to the new pepper')
  })
  return key
}
