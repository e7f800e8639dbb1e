import { uint } from './checkedUint.ts'

/** Amounts inside the x3y + y3x maths have 18 decimals. */
export const stableOne = 10n ** 18n

/** x3y + y3x of amounts with 18 decimals, rounded as Solidly and its descendants do. */
export function stableInvariant(x: bigint, y: bigint): bigint {
  const product = uint(x * y) / stableOne
  const squares = uint(uint(x * x) / stableOne + uint(y * y) / stableOne)
  return uint(product * squares) / stableOne
}

/** Raw amount to 18 decimals; `unit` is 10 ^ decimals of the token. */
export function toStableAmount(amount: bigint, unit: bigint): bigint {
  return uint(amount * stableOne) / unit
}
