import type { DexCoverage } from '../coverage.ts'
import type { LeftOut } from '../verifyDexes.ts'

type Row = readonly [
  dex: string,
  known: number,
  isSearched: boolean,
  loaded: number,
  refused: readonly (readonly [reason: number, pools: number])[],
]

/** Coverage as it stands in a feed's head, which is written with every block: each reason once. */
export type CoverageRows = { readonly reasons: readonly string[]; readonly rows: readonly Row[] }

export function toCoverageRows(coverage: readonly DexCoverage[]): CoverageRows {
  const reasons = [...new Set(coverage.flatMap(({ refused }) => [...refused.keys()]))]
  const rows = coverage.map(({ dex, known, isSearched, loaded, refused }): Row => {
    const counts = [...refused].map(([reason, pools]) => [reasons.indexOf(reason), pools] as const)
    return [dex, known, isSearched, loaded, counts]
  })
  return { reasons, rows }
}

/** What is left out stands in the head beside it. */
export function fromCoverageRows(
  { reasons, rows }: CoverageRows,
  leftOut: readonly LeftOut[],
): readonly DexCoverage[] {
  return rows.map(([dex, known, isSearched, loaded, refused]) => ({
    dex,
    known,
    isSearched,
    loaded,
    refused: new Map(refused.map(([reason, pools]) => [reasons[reason] ?? '', pools])),
    leftOut: leftOut.find((one) => one.dex === dex)?.reason,
  }))
}
