import type { Address } from 'viem'

/** Both ways in which clients write "the native currency". */
export const nativeAddresses: readonly Address[] = [
  '0x0000000000000000000000000000000000000000',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
]

/** True for either spelling of the native currency, in any case. */
export function isNative(token: string): boolean {
  const lower = token.toLowerCase()
  return nativeAddresses.some((address) => address.toLowerCase() === lower)
}
