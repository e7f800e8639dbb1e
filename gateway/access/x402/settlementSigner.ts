import type { Address } from 'viem'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { DigestKey } from '../../signing/digestKey.ts'
import { signCall } from '../../signing/signCall.ts'
import { createTurns } from '../../signing/turns.ts'
import type { SettlementSigner } from '../sale/accessConfig.ts'
import { decodeTransfer } from './eip3009.ts'

/** What was asked of the signer is no settlement, or dearer than one may be. A bug: callers look first. */
export class SettlementRefused extends Error {
  override readonly name = 'SettlementRefused'
}

export function createSettlementSigner({
  chainId,
  token,
  payTo,
  maxFeeWei,
  key,
}: {
  readonly chainId: number
  readonly token: Address
  /** The quota contract: where settled money goes. */
  readonly payTo: Address
  /** Gas limit x fee of the signed bytes. */
  readonly maxFeeWei: bigint
  readonly key: DigestKey
}): SettlementSigner {
  return {
    address: key.address,
    chainId,
    token,
    turns: createTurns(),
    async sign({ calldata, ...order }) {
      const authorization = decodeTransfer(calldata)
      if (!authorization) throw new SettlementRefused('this is no transfer by authorization')
      if (!isSameAddress(authorization.to, payTo))
        throw new SettlementRefused('this transfer does not go to the quota contract')
      if (order.gasLimit * order.maxFeePerGasWei > maxFeeWei)
        throw new SettlementRefused('this settlement is dearer than its ceiling')
      const { raw, hash } = await signCall(key, { ...order, chainId, to: token, data: calldata })
      return { rawTx: raw, txHash: hash }
    },
  }
}
