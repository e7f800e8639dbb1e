import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { reply } from '../../http/reply.ts'
import { named } from '../../http/schemas.ts'
import { createAddressTurns } from '../limits/addressTurns.ts'
import { chainWorkWeight } from '../limits/chainWorkWeight.ts'
import type { AccessDeps } from '../sale/accessConfig.ts'
import * as examples from './examples.ts'
import { FacilitatorBody } from './paymentPayload.ts'
import { fromSettling, SettlementResponse } from './settlementResponse.ts'
import { settlePayment } from './settlePayment.ts'
import { matchPayment, verifyPayment } from './verifyPayment.ts'

const VerifyResponse = named(
  'VerifyResponse',
  Type.Object({
    isValid: Type.Boolean(),
    invalidReason: Type.Optional(Type.String()),
    payer: Type.String(),
  }),
)

/** The facilitator's two endpoints, for our own offers only; absent where nothing is settled. */
export function x402Endpoints(deps: AccessDeps): readonly Endpoint[] {
  if (deps.config.contracts.every(({ settlement }) => !settlement)) return []
  const takeTurn = createAddressTurns(deps, 'payment')
  return [
    endpoint({
      method: 'post',
      path: '/x402/verify',
      summary: 'Whether a signed payment would be settled now',
      input: FacilitatorBody,
      output: VerifyResponse,
      examples: examples.verify,
      auth: 'none',
      weight: chainWorkWeight,
      errors: { 503: 'The chain is out of reach' },
      handle: async ({ body }) => {
        const payer = body.paymentPayload.payload.authorization.from
        const matched = matchPayment(deps, body.paymentPayload)
        if ('reason' in matched) return { isValid: false, invalidReason: matched.reason, payer }
        const { client, keyless = client } = matched.chain
        const verified = await verifyPayment({ ...matched, chain: { client: keyless } })
        if (verified.status === 'valid') return { isValid: true, payer }
        if (verified.status === 'invalid')
          return { isValid: false, invalidReason: verified.reason, payer }
        throw httpError('unavailable', 'the chain of this payment cannot be reached')
      },
    }),
    endpoint({
      method: 'post',
      path: '/x402/settle',
      summary: 'Brings a signed payment to the chain and credits it to the calling key',
      description: 'The same payment again answers the same and moves nothing twice.',
      input: FacilitatorBody,
      output: SettlementResponse,
      examples: examples.settle,
      pending: 'The payment is on its way',
      auth: 'key',
      weight: chainWorkWeight,
      errors: {
        402: 'The payment was refused; errorReason says why',
        503: 'Nothing can be settled right now',
      },
      handle: async ({ body, caller, ip }) => {
        await takeTurn(ip, chainWorkWeight)
        const settling = await settlePayment(deps, {
          payment: body.paymentPayload,
          keyId: caller.keyId,
        })
        if (settling.status === 'unavailable')
          throw httpError('unavailable', 'this payment cannot be settled right now', {
            headers: { 'retry-after': '5' },
          })
        const answer = fromSettling(settling)
        if (settling.status === 'settled') return answer
        if (settling.status === 'pending')
          return reply({ status: 202, body: answer, headers: { 'retry-after': '2' } })
        throw httpError('paymentRequired', `the payment was refused (${settling.reason})`, {
          extra: answer,
        })
      },
    }),
  ]
}
