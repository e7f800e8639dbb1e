import { type Address, getAddress, type Hex, hexToBytes, zeroAddress } from 'viem'

const maxRecipients = 8
/** Below this a word is rather an amount than an address: 2^104 is 20 million million tokens of 18 decimals. */
const minLeadingByte = 7

/**
 * Addresses that a payload may pay: left-padded words of its calldata, at any depth of ABI nesting
 * (each level shifts by a selector, so words start at multiples of four).
 */
export function readRecipients(
  data: Hex,
  { exclude }: { exclude: readonly Address[] },
): readonly Address[] {
  const bytes = hexToBytes(data)
  const seen = new Set(exclude.map((address) => address.toLowerCase()))
  seen.add(zeroAddress)
  const found: Address[] = []
  for (let at = 0; at + 32 <= bytes.length && found.length < maxRecipients; at += 4) {
    if (!isAddressWord(bytes, at)) continue
    const address = `0x${Buffer.from(bytes.subarray(at + 12, at + 32)).toString('hex')}` as const
    if (seen.has(address)) continue
    seen.add(address)
    found.push(getAddress(address))
  }
  return found
}

function isAddressWord(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < 12; index += 1) if (bytes[at + index] !== 0) return false
  for (let index = 12; index < 12 + minLeadingByte; index += 1)
    if (bytes[at + index] !== 0) return true
  return false
}
