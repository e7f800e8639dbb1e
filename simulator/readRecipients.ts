import { type Address, getAddress, type Hex, hexToBytes } from 'viem'

const maxRecipients = 8
/** Where words start: after a selector, after that of a call in a call (and once more), or without one. */
const alignments = [4, 8, 12, 0] as const
/** Fewer leading bytes of zero than this is an address; more is rather an amount. */
const maxZeroBytes = 7
/** What a word of an amount shows when it is read out of step. */
const trailingBytes = 3

/**
 * Addresses that a payload may pay: left-padded words of its calldata, at any depth of ABI nesting
 * that is seen in practice. May name others as well, which costs a balance read each.
 */
export function readRecipients(
  data: Hex,
  { exclude, most = maxRecipients }: { exclude: readonly Address[]; most?: number | undefined },
): readonly Address[] {
  const bytes = hexToBytes(data)
  const seen = new Set(exclude.map((address) => address.toLowerCase()))
  const found: Address[] = []
  for (const first of alignments)
    for (let at = first; at + 32 <= bytes.length; at += 32) {
      if (!isAddressWord(bytes, at)) continue
      const address = `0x${Buffer.from(bytes.subarray(at + 12, at + 32)).toString('hex')}` as const
      if (seen.has(address)) continue
      seen.add(address)
      found.push(getAddress(address))
      if (found.length === most) return found
    }
  return found
}

function isAddressWord(bytes: Uint8Array, at: number): boolean {
  const isZero = (from: number, to: number) =>
    bytes.subarray(at + from, at + to).every((b) => b === 0)
  return isZero(0, 12) && !isZero(12, 12 + maxZeroBytes) && !isZero(32 - trailingBytes, 32)
}
