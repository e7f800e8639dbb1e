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

export type TransferAuthorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

export type SettlementOrder = {
  readonly calldata: Hex
  readonly nonce: number
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}

/**
 * Signs calls of one token on one chain with value 0, and can express nothing else.
 * Synchronous, because it runs inside the database transaction that takes the nonce.
 */
export type SettlementSigner = {
  readonly address: Address
  readonly chainId: number
  readonly token: Address
  sign(order: SettlementOrder): { readonly rawTx: Hex; readonly txHash: Hex }
}

/** The form with one `bytes` signature takes ordinary accounts and ERC-1271 wallets alike. */
export const eip3009Abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
])

export function encodeTransfer(authorization: TransferAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  return encodeFunctionData({
    abi: eip3009Abi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  })
}

export function createSettlementSigner({
  chainId,
  token,
  privateKey,
}: {
  readonly chainId: number
  readonly token: Address
  readonly privateKey: Hex
}): SettlementSigner {
  const secret = hexToBytes(privateKey, { size: 32 })
  const publicKey = Buffer.from(secp256k1.getPublicKey(secret, false)).toString('hex')
  return {
    address: publicKeyToAddress(`0x${publicKey}`),
    chainId,
    token,
    sign({ calldata, nonce, gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }) {
      const transaction = {
        type: 'eip1559',
        chainId,
        nonce,
        to: token,
        value: 0n,
        data: calldata,
        gas: gasLimit,
        maxFeePerGas: maxFeePerGasWei,
        maxPriorityFeePerGas: maxPriorityFeePerGasWei,
      } as const
      const digest = hexToBytes(keccak256(serializeTransaction(transaction)))
      const { r, s, recovery } = secp256k1.sign(digest, secret)
      const rawTx = serializeTransaction(transaction, {
        r: numberToHex(r, { size: 32 }),
        s: numberToHex(s, { size: 32 }),
        yParity: recovery,
      })
      return { rawTx, txHash: keccak256(rawTx) }
    },
  }
}
