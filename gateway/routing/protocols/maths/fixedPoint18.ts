import { divUp, uint } from './checkedUint.ts'

/** One in fixed point with 18 decimals. */
export const one18 = 10n ** 18n

/** a * b / 1e18, rounded down. */
export function mulDown(a: bigint, b: bigint): bigint {
  return uint(a * b) / one18
}

/** a * b / 1e18, rounded up. */
export function mulUp(a: bigint, b: bigint): bigint {
  return divUp(a * b, one18)
}

/** a * 1e18 / b, rounded down. */
export function divDown(a: bigint, b: bigint): bigint {
  return uint(a * one18) / b
}

/** 1 - x, not below 0. */
export function complement(x: bigint): bigint {
  return x < one18 ? one18 - x : 0n
}
