import type { Address } from 'viem'
import { encodeTransfer } from '../../access/x402/eip3009.ts'
import { FacilitatorBody, type PaymentPayload } from '../../access/x402/paymentPayload.ts'
import {
  type InvalidReason,
  toAuthorization,
  verifyPayment,
} from '../../access/x402/verifyPayment.ts'
import { createValidate } from '../../http/validate.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import { type Fields, readText, toAddress, toAmount, toObject } from './call.ts'
import type { Answer, EmulatedApi, EmulatedRoute } from './emulatedProvider.ts'
import { describeRefusal, invalid, type Refusal, Refused } from './refusal.ts'
import type { Trades } from './trades.ts'

/** Pays the gas; a lab's chain sends for whoever it is told to, so that nobody has its key. */
const facilitator: Address = '0x0402040204020402040204020402040204020402'
const version = 2
const scheme = 'exact'
const network = /^eip155:(\d+)$/
const validate = createValidate(FacilitatorBody, 'body')

type Payment = ReturnType<typeof readPayment>

function readPayment(body: Fields) {
  const refusal = validate(body)
  if (refusal) throw invalid('body', refusal.message)
  // The compiled schema has just proved the shape.
  const { paymentPayload } = body as { readonly paymentPayload: PaymentPayload }
  const requirements = toObject(body, 'paymentRequirements')
  const extra = toObject(requirements, 'extra')
  return {
    accepted: paymentPayload.accepted,
    authorization: toAuthorization(paymentPayload.payload),
    scheme: readText(requirements, 'scheme'),
    network: readText(requirements, 'network'),
    payTo: toAddress(requirements, 'payTo'),
    amount: toAmount(requirements, 'amount'),
    token: {
      address: toAddress(requirements, 'asset'),
      name: readText(extra, 'name'),
      version: readText(extra, 'version'),
    },
  }
}

/** Whether the client has signed what the resource server asks for. */
function compare({ accepted, authorization, ...asked }: Payment): InvalidReason | undefined {
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  if (asked.scheme !== scheme || accepted.scheme !== scheme || accepted.network !== asked.network)
    return 'invalid_payment_requirements'
  if (!same(accepted.asset, asked.token.address)) return 'invalid_payment_requirements'
  if (!same(authorization.to, asked.payTo)) return 'invalid_exact_evm_recipient_mismatch'
  if (authorization.value !== asked.amount)
    return 'invalid_exact_evm_payload_authorization_value_mismatch'
  return undefined
}

async function judge(trades: Trades, payment: Payment): Promise<InvalidReason | undefined> {
  const chainId = toChainId(payment)
  const mismatch = compare(payment)
  if (mismatch !== undefined) return mismatch
  const verified = await verifyPayment({
    chain: { client: trades.clientOf(chainId) },
    contract: { chainId, token: payment.token },
    settlement: { signer: { address: facilitator } },
    authorization: payment.authorization,
    calldata: encodeTransfer(payment.authorization),
  })
  if (verified.status === 'unreachable')
    throw new Refused({ kind: 'unavailable', reason: verified.reason })
  return verified.status === 'invalid' ? verified.reason : undefined
}

function toChainId({ network: named }: Payment): number {
  const [, chainId] = network.exec(named) ?? []
  if (chainId === undefined) throw new Refused({ kind: 'unknown_chain', chain: named })
  return Number(chainId)
}

const verify: EmulatedRoute = {
  method: 'post',
  path: '/verify',
  async handle(trades, { body }) {
    const payment = readPayment(body)
    const { from: payer } = payment.authorization
    const invalidReason = await judge(trades, payment)
    return { body: { isValid: invalidReason === undefined, invalidReason, payer } }
  },
}

/** Lends a chain of the lab for as long as `use` takes. */
export type OnChain = <value>(
  chainId: number,
  use: (chain: LeasedChain) => Promise<value>,
) => Promise<value>

const settle = (onChain: OnChain): EmulatedRoute => {
  /** One after the other: the chain is told whom to send for, and told to stop. */
  let last: Promise<unknown> = Promise.resolve()
  return {
    method: 'post',
    path: '/settle',
    async handle(trades, { body }) {
      const payment = readPayment(body)
      const { authorization, token, amount } = payment
      const answer = { payer: authorization.from, network: payment.network }
      const send = async (): Promise<Answer> => {
        const errorReason = await judge(trades, payment)
        if (errorReason !== undefined)
          return { body: { success: false, errorReason, transaction: '', ...answer } }
        const transaction = await onChain(toChainId(payment), (chain) =>
          chain
            .impersonate(facilitator)
            .send({ to: token.address, data: encodeTransfer(authorization) }),
        )
        return { body: { success: true, transaction, amount: amount.toString(), ...answer } }
      }
      const settled = last.then(send, send)
      last = settled
      return settled
    },
  }
}

const supported: EmulatedRoute = {
  method: 'get',
  path: '/supported',
  handle: async (trades) => ({
    body: {
      kinds: trades.chains.map(({ chainId }) => ({
        x402Version: version,
        scheme,
        network: `eip155:${chainId}`,
      })),
      extensions: [],
      signers: { 'eip155:*': [facilitator] },
    },
  }),
}

const statuses: Partial<Readonly<Record<Refusal['kind'], number>>> = {
  not_found: 404,
  unavailable: 503,
}

/** An x402 facilitator for other people's resource servers: whatever they sell, to whomever they are paid. */
export const createFacilitator = (onChain: OnChain): EmulatedApi => ({
  routes: [verify, settle(onChain), supported],
  toError: (refusal) => ({
    status: statuses[refusal.kind] ?? 400,
    body: { error: describeRefusal(refusal) },
  }),
})
