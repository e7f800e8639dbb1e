import { type Address, decodeFunctionData, type Hex, parseAbi } from 'viem'
import { encodeCall } from '../../chain/encodeCall.ts'

export type TransferAuthorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

/** The form with one `bytes` signature takes ordinary accounts and ERC-1271 wallets alike. */
export const eip3009Abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])

/** What its payer signs (EIP-712). */
export const transferTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export function encodeTransfer(authorization: TransferAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  return encodeCall({
    abi: eip3009Abi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  })
}

/** Undefined for anything but what `encodeTransfer` writes, byte for byte. */
export function decodeTransfer(calldata: Hex): TransferAuthorization | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: eip3009Abi, data: calldata })
    if (functionName !== 'transferWithAuthorization') return undefined
    const [from, to, value, validAfter, validBefore, nonce, signature] = args
    const read = { from, to, value, validAfter, validBefore, nonce, signature }
    return encodeTransfer(read) === calldata.toLowerCase() ? read : undefined
  } catch {
    // No function of the token's that is known here.
    return undefined
  }
}
