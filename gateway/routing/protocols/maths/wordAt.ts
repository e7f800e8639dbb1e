import type { Hex } from 'viem'

/** The word of event data at a place, unsigned: an ABI decoder's answer at a tenth of its time. */
export function wordAt(data: Hex, place: number): bigint {
  const digits = data.slice(2 + 64 * place, 66 + 64 * place)
  if (digits.length !== 64) throw new RangeError(`the event's data has no word ${place}`)
  return BigInt(`0x${digits}`)
}

/** The same as a two's complement number of 256 bits. */
export function signedWordAt(data: Hex, place: number): bigint {
  return BigInt.asIntN(256, wordAt(data, place))
}
