import { secp256k1 } from '@noble/curves/secp256k1'
import {
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  parseAbi,
  serializeTransaction,
} from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/** All that varies in what the relayer signs: the contract, the selector and the value are fixed. */
export type DeployOrder = {
  readonly owner: Address
  readonly nonce: number
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}

export type SignedDeploy = { readonly hash: Hex; readonly raw: Hex }

/**
 * Signs `factory.deploy(owner)` on one chain, value 0, and can express nothing else.
 * Synchronous, because it runs inside the database transaction that takes the nonce; a KMS behind it
 * waits in a worker thread.
 */
export type Signer = {
  readonly address: Address
  readonly chainId: number
  readonly factory: Address
  signDeploy(order: DeployOrder): SignedDeploy
}

const factoryAbi = parseAbi(['function deploy(address owner) returns (address proxy)'])

export function encodeDeploy(owner: Address): Hex {
  return encodeFunctionData({ abi: factoryAbi, args: [owner] })
}

/** A signer over a key in memory; `readKeystore` and `readEnvironmentKey` bring the key. */
export function createSigner({
  chainId,
  factory,
  privateKey,
}: {
  readonly chainId: number
  readonly factory: Address
  readonly privateKey: Hex
}): Signer {
  const secret = hexToBytes(privateKey, { size: 32 })
  const publicKey =
    `0x${Buffer.from(secp256k1.getPublicKey(secret, false)).toString('hex')}` as const
  return {
    address: publicKeyToAddress(publicKey),
    chainId,
    factory,
    signDeploy({ owner, nonce, gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }) {
      const transaction = {
        type: 'eip1559',
        chainId,
        nonce,
        to: factory,
        value: 0n,
        data: encodeDeploy(owner),
        gas: gasLimit,
        maxFeePerGas: maxFeePerGasWei,
        maxPriorityFeePerGas: maxPriorityFeePerGasWei,
      } as const
      const digest = hexToBytes(keccak256(serializeTransaction(transaction)))
      // RFC 6979: the same order gives the same bytes.
      const { r, s, recovery } = secp256k1.sign(digest, secret)
      const raw = serializeTransaction(transaction, {
        r: numberToHex(r, { size: 32 }),
        s: numberToHex(s, { size: 32 }),
        yParity: recovery,
      })
      return { hash: keccak256(raw), raw }
    },
  }
}
