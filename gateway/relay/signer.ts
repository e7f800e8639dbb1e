import { type Address, type Hex, parseAbi } from 'viem'
import { encodeCall } from '../chain/encodeCall.ts'
import type { DigestKey } from '../signing/digestKey.ts'
import { type CallPrices, type SignedCall, signCall } from '../signing/signCall.ts'
import { createTurns, type Turns } from '../signing/turns.ts'

/** All that varies in what the relay has signed: the contract, the selector and the value are fixed. */
export type DeployOrder = CallPrices & { readonly owner: Address; readonly nonce: number }

/**
 * Signs `factory.deploy(owner)` on one chain, value 0, and can express nothing else.
 */
export type Signer = {
  readonly address: Address
  readonly chainId: number
  readonly factory: Address
  /** Whoever takes a nonce for it takes a turn: see `signAndReserve`. */
  readonly turns: Turns
  signDeploy(order: DeployOrder): Promise<SignedCall>
}

const factoryAbi = parseAbi(['function deploy(address owner) returns (address proxy)'])

export function encodeDeploy(owner: Address): Hex {
  return encodeCall({ abi: factoryAbi, functionName: 'deploy', args: [owner] })
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
    turns: createTurns(),
    signDeploy: ({ owner, ...order }) =>
      signCall(key, { ...order, chainId, to: factory, data: encodeDeploy(owner) }),
  }
}
