import { type Address, domainSeparator, type Hex, parseAbi, parseSignature, size } from 'viem'
import { readContract } from 'viem/actions'
import { type Approval, type OnChain, type Reader, signerOf } from './wallet.ts'

const abi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])
const types = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
}
const usableForSecs = 1_200
/** Of a key. Those of a contract that is still to be made are longer. */
const signatureBytes = 65
/** Of methods that a wallet does not have: EIP-1193, JSON-RPC, EIP-1474. */
const unsupported: readonly unknown[] = [4200, -32601, -32004]
/** Of the code of an account that EIP-7702 delegates: its key signs as before. */
const delegation = '0xef0100'

export type Permit = {
  readonly deadline: bigint
  readonly v: number
  readonly r: Hex
  readonly s: Hex
}

/**
 * The wallet's EIP-2612 permit for exactly this amount. Undefined where nobody can be asked for one that counts:
 * the token has none or hashes it otherwise than its name and version say, the wallet signs no typed data, or is
 * a contract, whose signatures such tokens do not check.
 */
export async function signPermit(
  { wallet, reader, chainId }: OnChain,
  { token, spender, amount }: Approval,
): Promise<Permit | undefined> {
  const sign = signerOf(wallet)
  const facts = sign && (await readFacts(reader, { token, owner: wallet.address }))
  if (!facts) return undefined
  const domain = { name: facts.name, version: facts.version, chainId, verifyingContract: token }
  if (domainSeparator({ domain }) !== facts.separator) return undefined
  const deadline = BigInt(Math.floor(Date.now() / 1_000) + usableForSecs)
  const message = { owner: wallet.address, spender, value: amount, nonce: facts.nonce, deadline }
  const signature = await sign({ domain, types, primaryType: 'Permit', message }).catch(passOver)
  if (signature === undefined || size(signature) !== signatureBytes) return undefined
  const { r, s, yParity } = parseSignature(signature)
  return { deadline, r, s, v: 27 + yParity }
}

/** Nothing was asked of the person: an approval can be. */
function passOver(error: unknown): undefined {
  if (!(error instanceof Object && 'code' in error && unsupported.includes(error.code))) throw error
}

async function readFacts(
  reader: Reader,
  { token: address, owner }: { readonly token: Address; readonly owner: Address },
) {
  const contract = { address, abi } as const
  const [name, version, nonce, separator, code] = await Promise.allSettled([
    readContract(reader, { ...contract, functionName: 'name' }),
    readContract(reader, { ...contract, functionName: 'version' }),
    readContract(reader, { ...contract, functionName: 'nonces', args: [owner] }),
    readContract(reader, { ...contract, functionName: 'DOMAIN_SEPARATOR' }),
    reader.request({ method: 'eth_getCode', params: [owner, 'latest'] }),
  ])
  if (
    name.status === 'rejected' ||
    nonce.status === 'rejected' ||
    separator.status === 'rejected' ||
    code.status === 'rejected' ||
    !(code.value === '0x' || code.value.startsWith(delegation))
  )
    return undefined
  return {
    name: name.value,
    // Most tokens tell no version, and hash this one.
    version: version.status === 'fulfilled' ? version.value : '1',
    nonce: nonce.value,
    separator: separator.value,
  }
}
