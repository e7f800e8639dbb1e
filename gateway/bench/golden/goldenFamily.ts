import type { Fields } from './readVectors.ts'

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
