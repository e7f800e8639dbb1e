import { type Static, Type } from 'typebox'
import * as schemas from '../../http/schemas.ts'
import { createValidate } from '../../http/validate.ts'

const requirements = schemas.named(
  'PaymentRequirements',
  Type.Object({
    scheme: Type.String(),
    network: Type.String(),
    amount: schemas.uint256(),
    asset: schemas.address(),
    payTo: schemas.address(),
  }),
)

/** The client's own name for a payment, of the extension `payment-identifier`; what else it echoes is ignored. */
const paymentIdentifier = schemas.named(
  'PaymentIdentifier',
  Type.Object({
    info: Type.Object({
      id: Type.Optional(
        Type.String({ minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' }),
      ),
    }),
  }),
)

/** An x402 v2 payment of the `exact` scheme with an EIP-3009 authorization: all numbers are strings. */
export const PaymentPayload = schemas.named(
  'PaymentPayload',
  Type.Object({
    x402Version: Type.Unsafe<2>({ type: 'integer', enum: [2] }),
    accepted: requirements,
    payload: Type.Object({
      signature: schemas.bytes({ maxLength: 16_386 }),
      authorization: Type.Object({
        from: schemas.address(),
        to: schemas.address(),
        value: schemas.uint256(),
        validAfter: schemas.uint256(),
        validBefore: schemas.uint256(),
        nonce: schemas.bytes32(),
      }),
    }),
    extensions: Type.Optional(
      Type.Object({ 'payment-identifier': Type.Optional(paymentIdentifier) }),
    ),
  }),
)
export type PaymentPayload = Static<typeof PaymentPayload>

export const FacilitatorBody = schemas.named(
  'FacilitatorRequest',
  Type.Object({
    x402Version: Type.Unsafe<2>({ type: 'integer', enum: [2] }),
    paymentPayload: PaymentPayload,
    paymentRequirements: Type.Optional(requirements),
  }),
)

const validate = createValidate(PaymentPayload, 'body')
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Reads a `PAYMENT-SIGNATURE` header; a sentence when it is none. */
export function decodePaymentHeader(header: string): PaymentPayload | { readonly problem: string } {
  if (!base64.test(header)) return { problem: 'it is not base64' }
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    return { problem: 'it is not base64 of JSON' }
  }
  const refusal = validate(value)
  // The compiled schema has just proved the shape.
  return refusal ? { problem: refusal.message } : (value as PaymentPayload)
}
