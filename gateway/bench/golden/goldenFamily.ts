import { type Fields, integer, integerOrRevert } from './readVectors.ts'

/** What a row says and what we say, in the same words; undefined is a revert. */
export type PricedRow = {
  readonly expected: string | undefined
  readonly actual: string | undefined
}

export type GoldenFamily = {
  /** How the `protocol` field of this family's files starts. */
  readonly protocol: string
  /** Makes the pricer of a case; it answers undefined for rows that are not exact input. */
  readonly openCase: (state: Fields) => (row: Fields) => PricedRow | undefined
}

export type IndexedTrade = { readonly i: number; readonly j: number; readonly amountIn: bigint }

/** A row of pools with numbered tokens: what the real swap paid counts, not what was quoted. */
export function priceExecuted(
  row: Fields,
  amountOut: (trade: IndexedTrade) => bigint | undefined,
): PricedRow | undefined {
  if (row['exactIn'] !== true) return undefined
  const [i, j] = [Number(integer(row, 'i')), Number(integer(row, 'j'))]
  const trade = { i, j, amountIn: integer(row, 'amount') }
  return {
    expected: integerOrRevert(row, 'executed')?.toString(),
    actual: amountOut(trade)?.toString(),
  }
}
