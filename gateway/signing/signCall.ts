import { type Address, type Hex, keccak256, serializeTransaction } from 'viem'
import type { DigestKey } from './digestKey.ts'

export type CallPrices = {
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}

export type SignedCall = { readonly hash: Hex; readonly raw: Hex }

/**
 * The one place where the relayer's key signs: a call with value 0. Who may have what signed is for the two
 * signers to say, the relay's and the settlements'; nothing else calls this.
 */
export async function signCall(
  key: DigestKey,
  {
    chainId,
    to,
    data,
    nonce,
    gasLimit,
    maxFeePerGasWei,
    maxPriorityFeePerGasWei,
  }: CallPrices & {
    readonly chainId: number
    readonly to: Address
    readonly data: Hex
    readonly nonce: number
  },
): Promise<SignedCall> {
  const transaction = {
    type: 'eip1559',
    chainId,
    nonce,
    to,
    value: 0n,
    data,
    gas: gasLimit,
    maxFeePerGas: maxFeePerGasWei,
    maxPriorityFeePerGas: maxPriorityFeePerGasWei,
  } as const
  const signature = await key.signDigest(keccak256(serializeTransaction(transaction)))
  const raw = serializeTransaction(transaction, signature)
  return { hash: keccak256(raw), raw }
}
