import { toHex } from 'viem'

/** 32 distinct bytes, so that any field cut out of it tells where it was; top bit clear, since some tokens keep a flag there. */
export const sentinel = BigInt(
  `0x${Array.from({ length: 32 }, (_, i) => (0x71 - i * 3).toString(16).padStart(2, '0')).join('')}`,
)
export const sentinelWord = toHex(sentinel, { size: 32 })

/** The field of the sentinel that the token showed as a balance, if it is one. */
export function readSentinel(
  balance: bigint,
): { readonly shiftBits: number; readonly widthBits: number } | undefined {
  if (balance === sentinel) return { shiftBits: 0, widthBits: 256 }
  for (let shiftBits = 0; shiftBits < 256; shiftBits += 8) {
    const shifted = sentinel >> BigInt(shiftBits)
    for (let widthBits = 32; widthBits <= 256 - shiftBits; widthBits += 8)
      if ((shifted & ((1n << BigInt(widthBits)) - 1n)) === balance) return { shiftBits, widthBits }
  }
  return undefined
}
