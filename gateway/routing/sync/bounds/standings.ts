import type { PoolRecord } from '../../protocols/poolRecord.ts'
import type { AskedTokens } from './askedTokens.ts'
import { blankGauge, countLeaning, depthOf, type Gauge, measureDepths } from './measureDepths.ts'
import type { ReferenceAssets } from './referencePrices.ts'
import type { RecencyOf, Standing } from './standing.ts'

type Known = { readonly isKnown: boolean }

/** What speaks for pools: what they hold, and who asks for their tokens. */
export type Standings = {
  /** Of all that there are, measured together. */
  measure(records: readonly PoolRecord[], p: Known): readonly Standing[]
  /** Of one between two measurements. */
  of(record: PoolRecord, p: Known): Standing
  /** Of those that come: one after the other, or a thousand of a block would all be as deep as the first. */
  inTurn(records: readonly PoolRecord[]): readonly Standing[]
  recencyOf: RecencyOf
  /** Tokens that are no reference assets. */
  listOthers(tokens: readonly string[]): readonly string[]
}

export function createStandings({
  assets,
  asked,
}: {
  readonly assets: ReferenceAssets
  readonly asked: Pick<AskedTokens, 'recency'>
}): Standings {
  let gauge: Gauge = blankGauge

  const listOthers = (tokens: readonly string[]) =>
    tokens.filter((token) => !gauge.prices.has(token))
  const of = (record: PoolRecord, { isKnown }: Known): Standing => {
    const { id, tokens } = record
    return { id, tokens, depthUsd: depthOf(record, gauge), isKnown }
  }

  return {
    of,
    listOthers,
    measure(records, { isKnown }) {
      const measured = measureDepths(records, assets)
      gauge = measured.gauge
      return records.map(({ id, tokens }) => {
        const depthUsd = measured.depths.get(id)
        return { id, tokens, depthUsd, isKnown }
      })
    },
    inTurn: (records) =>
      records.map((record) => {
        const standing = of(record, { isKnown: false })
        countLeaning(record, gauge)
        return standing
      }),
    /** The token asked for longest ago tells; reference assets are always asked for. */
    recencyOf(tokens) {
      const others = listOthers(tokens)
      return others.length === 0 ? 0 : Math.min(...others.map(asked.recency))
    },
  }
}
