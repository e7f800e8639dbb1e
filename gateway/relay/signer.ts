import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { DigestKey } from '../signing/digestKey.ts'
import { type CallPrices, type SignedCall, signCall } from '../signing/signCall.ts'

/** All that varies in what the relay has signed: the contract, the selector and the value are fixed. */
export type DeployOrder = CallPrices & { readonly owner: Address; readonly nonce: number }

/**
 * Signs `factory.deploy(owner)` on one chain, value 0, and can express nothing else.
 * Synchronous, because it runs inside the database transaction that takes the nonce; a key service behind
 * it is asked through `createBlockingCall`.
 */
export type Signer = {
  readonly address: Address
  readonly chainId: number
  readonly factory: Address
  signDeploy(order: DeployOrder): SignedCall
}

const factoryAbi = parseAbi(['function deploy(address owner) returns (address proxy)'])

export function encodeDeploy(owner: Address): Hex {
  return encodeFunctionData({ abi: factoryAbi, args: [owner] })
}

/** A signer over any key that signs digests: in memory, or in a key service. */
export function createSigner({
  chainId,
  factory,
  key,
}: {
  readonly chainId: number
  readonly factory: Address
  readonly key: DigestKey
}): Signer {
  return {
    address: key.address,
    chainId,
    factory,
    signDeploy: ({ owner, ...order }) =>
      signCall(key, { ...order, chainId, to: factory, data: encodeDeploy(owner) }),
  }
}
