import type { Address } from 'viem'
import type { DigestKey } from './digestKey.ts'
import { type CallPrices, type SignedCall, signCall } from './signCall.ts'
import { createTurns, type Turns } from './turns.ts'

/** Signs a call of the key's own account with value 0 and no data: it uses a nonce up and does nothing else. */
export type FillSigner = {
  readonly address: Address
  readonly chainId: number
  readonly turns: Turns
  signFill(order: CallPrices & { readonly nonce: number }): Promise<SignedCall>
}

export function createFillSigner({
  chainId,
  key,
}: {
  readonly chainId: number
  readonly key: DigestKey
}): FillSigner {
  const { address } = key
  return {
    address,
    chainId,
    turns: createTurns(),
    signFill: ({ nonce, gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }) =>
      signCall(key, {
        nonce,
        gasLimit,
        maxFeePerGasWei,
        maxPriorityFeePerGasWei,
        chainId,
        to: address,
        data: '0x',
      }),
  }
}
