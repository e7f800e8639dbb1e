import { type Static, Type } from 'typebox'
import { named } from '../../http/schemas.ts'
import type { Settling } from './settlePayment.ts'

/** x402 v2's SettlementResponse: the PAYMENT-RESPONSE header and the answer of `/x402/settle`. */
export const SettlementResponse = named(
  'SettlementResponse',
  Type.Object({
    success: Type.Boolean(),
    errorReason: Type.Optional(Type.String()),
    payer: Type.Optional(Type.String()),
    transaction: Type.String({ description: 'Empty when nothing was brought to the chain' }),
    network: Type.String(),
    amount: Type.Optional(Type.String()),
  }),
)
export type SettlementResponse = Static<typeof SettlementResponse>

export function fromSettling(
  settling: Exclude<Settling, { status: 'unavailable' }>,
): SettlementResponse {
  const { network } = settling
  switch (settling.status) {
    case 'settled': {
      const { payer, txHash, amount } = settling
      return { success: true, payer, transaction: txHash, network, amount }
    }
    case 'pending':
      return {
        success: false,
        errorReason: 'settlement_pending',
        transaction: settling.txHash,
        network,
      }
    case 'refused': {
      const { reason: errorReason, payer } = settling
      return { success: false, errorReason, payer, transaction: '', network }
    }
  }
}
