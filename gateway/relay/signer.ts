import {
  type Address,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  serializeTransaction,
} from 'viem'
import { createMemoryKey, type DigestKey } from './digestKey.ts'
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
 * Synchronous, because it runs inside the database transaction that takes the nonce; a key service behind
 * it is asked through `createBlockingCall`.
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
  privateKey,
  ...place
}: {
  readonly chainId: number
  readonly factory: Address
  readonly privateKey: Hex
}): Signer {
  return createKeySigner({ ...place, key: createMemoryKey(privateKey) })
}

/** A signer over any key that signs digests, a key service's too. */
export function createKeySigner({
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
      const signature = key.signDigest(keccak256(serializeTransaction(transaction)))
      const raw = serializeTransaction(transaction, signature)
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
