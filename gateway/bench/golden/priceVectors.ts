import { goldenFamilies } from './families.ts'
import type { VectorFile } from './readVectors.ts'

/** How a file fared; `differences` are sentences. */
export type FileReport =
  | { readonly status: 'priced'; readonly equal: number; readonly differences: readonly string[] }
  | { readonly status: 'unsupported' }

const refused = 'a refusal'

/** Prices every exact-input row of a file with the family that its `protocol` names. */
export function priceVectors({ protocol, cases }: VectorFile): FileReport {
  const family = goldenFamilies.find((known) => protocol.startsWith(known.protocol))
  if (!family) return { status: 'unsupported' }
  const differences: string[] = []
  let equal = 0
  for (const [caseIndex, { state, rows }] of cases.entries()) {
    const price = family.openCase(state)
    for (const [rowIndex, row] of rows.entries()) {
      const priced = price(row)
      if (!priced) continue
      if (priced.actual === priced.expected) equal++
      else {
        const { expected = refused, actual = refused } = priced
        differences.push(`case ${caseIndex} row ${rowIndex}: expected ${expected}, got ${actual}`)
      }
    }
  }
  return { status: 'priced', equal, differences }
}
