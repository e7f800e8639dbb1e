const uint256End = 1n << 256n

/**
 * A value as checked 256-bit arithmetic lets it pass. Contracts revert on overflow and underflow: so
 * do these with a RangeError, as BigInt itself does on a division by zero.
 */
export function uint(value: bigint): bigint {
  if (value < 0n || value >= uint256End) throw new RangeError('outside of 256 bits')
  return value
}

/** The value at an index; an unknown index is a revert. */
export function at(values: readonly bigint[], index: number): bigint {
  const value = values[index]
  if (value === undefined) throw new RangeError('unknown index')
  return value
}

/** Runs arithmetic that may revert; undefined where the contract would. */
export function orRefused<T>(compute: () => T): T | undefined {
  try {
    return compute()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Quotient rounded up. */
export function divUp(numerator: bigint, denominator: bigint): bigint {
  return (uint(numerator) + denominator - 1n) / denominator
}

/** The values with some of them replaced. */
export function replaceAt(
  values: readonly bigint[],
  replaced: Readonly<Record<number, bigint>>,
): readonly bigint[] {
  return values.map((value, index) => replaced[index] ?? value)
}
