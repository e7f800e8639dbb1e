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
import { readKeystore } from './keystore.ts'

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

/** A signer over a key in memory. Production gets it from `createFileSigner`. */
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

/** The production signer: a V3 keystore and the file with its password. */
export function createFileSigner({
  chainId,
  factory,
  keystorePath,
  passwordPath,
}: {
  readonly chainId: number
  readonly factory: Address
  readonly keystorePath: string
  readonly passwordPath: string
}): Signer {
  return createSigner({
    chainId,
    factory,
    privateKey: readKeystore({ keystorePath, passwordPath }),
  })
}

/**
 * A signer over a key from the environment, for labs: variables show in process lists, crash reports
 * and container inspections.
 * @throws Error in live mode
 */
export function createEnvironmentSigner({
  mode,
  ...key
}: {
  readonly mode: 'offline' | 'forked' | 'live'
  readonly chainId: number
  readonly factory: Address
  readonly privateKey: Hex
}): Signer {
  if (mode === 'live')
    throw new Error(`chain ${key.chainId}: a relayer key from the environment is for labs only`)
  return createSigner(key)
}
