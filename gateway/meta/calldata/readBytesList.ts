import { type Address, type Hex, size, zeroAddress } from 'viem'

/** Calldata that names a place it does not have, or a place more than once. */
export class TangledCalldata extends Error {
  override readonly name = 'TangledCalldata'
}

/** The word at a place in bytes. */
export function wordAt(data: Hex, at: number): bigint {
  const word = data.slice(2 + 2 * at, 66 + 2 * at)
  if (word.length !== 64) throw new TangledCalldata('a word is behind the end')
  return BigInt(`0x${word}`)
}

/** An address in a word. Contracts differ in what they make of a wider one. */
export function addressAt(data: Hex, at: number): Address {
  const word = wordAt(data, at)
  if (word >> 160n !== 0n) throw new TangledCalldata('an address is wider than that')
  return `0x${word.toString(16).padStart(40, '0')}`
}

/** Whom a router pays that takes an address as it stands: of others the zero address is whoever sends. */
export function payee(address: Address): Address {
  if (address === zeroAddress) throw new TangledCalldata('what is paid is lost')
  return address
}

/** A place or a length in bytes; one behind the end is none. */
export function placeAt(data: Hex, at: number): number {
  const place = Number(wordAt(data, at))
  if (place > size(data)) throw new TangledCalldata('a place is behind the end')
  return place
}

/** The `bytes` whose length stands at a place. */
function bytesAt(data: Hex, at: number): Hex {
  const [start, length] = [at + 32, placeAt(data, at)]
  if (start + length > size(data)) throw new TangledCalldata('bytes end behind the end')
  return `0x${data.slice(2 + 2 * start, 2 + 2 * (start + length))}`
}

/** An argument by its number; all begin behind so many bytes, as those of a selector. */
type Place = { readonly argument: number; readonly behind: number }

/** An argument of type `bytes`. */
export const readBytes = (data: Hex, { argument, behind }: Place): Hex =>
  bytesAt(data, behind + placeAt(data, behind + 32 * argument))

/**
 * An argument of type `bytes[]`. A decoder copies each entry out, and entries may all name the same bytes: a
 * few thousand calls of calls of calls, out of a few thousand bytes. Here all entries are no longer than the whole.
 */
export function readBytesList(data: Hex, { argument, behind }: Place): readonly Hex[] {
  const list = behind + placeAt(data, behind + 32 * argument)
  const start = list + 32
  let left = size(data)
  return Array.from({ length: placeAt(data, list) }, (_, index) => {
    const entry = bytesAt(data, start + placeAt(data, start + 32 * index))
    left -= size(entry)
    if (left < 0) throw new TangledCalldata('entries of a list share their bytes')
    return entry
  })
}
