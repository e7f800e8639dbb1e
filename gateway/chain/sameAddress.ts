import type { Address } from 'viem'

/**
 * Whether two addresses are one, however they are written. viem's `isAddressEqual` looks both up in a cache of the
 * addresses that it has checked, which takes 17 µs once it has seen 8,192 of them.
 */
export const isSameAddress = (one: Address, other: Address): boolean =>
  one.toLowerCase() === other.toLowerCase()
