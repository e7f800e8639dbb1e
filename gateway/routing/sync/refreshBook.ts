import { familyOf, isQuoted } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

export type RefreshBook = {
  /** Pools that are to be read for what moves without events, once a state of `from` is one of `to`. */
  due(
    pools: readonly PoolRecord[],
    blocks: { readonly from: bigint; readonly to: bigint },
  ): readonly PoolRecord[]
  /** Something of a pool was found to have moved. */
  moved(id: string, blockNumber: bigint): void
}

type Standing = {
  /** The round since which nothing of a pool has moved, or it is known. */
  readonly since: bigint
  readonly hasMoved: boolean
}

/** Of the time that nothing of a pool has moved for, the part that may pass until it is looked at again. */
const laterPart = 16n
const mostRounds = 4n

/**
 * When fees, rates and parameters are read that nobody tells of: once in so many blocks, and ever more rarely where
 * they have stood still. Where no event is a reason to, what has moved once may again with any swap: Slipstream's
 * fee follows the price.
 */
export function createRefreshBook({
  refreshMs,
  blockTimeMs,
}: {
  /** 0: at every block, and never more rarely. */
  readonly refreshMs: number
  readonly blockTimeMs: number
}): RefreshBook {
  const roundBlocks = BigInt(Math.max(1, Math.round(refreshMs / blockTimeMs)))
  let standing = new Map<string, Standing>()

  function roundsOf(record: PoolRecord, now: bigint): bigint {
    const { since = now, hasMoved } = standing.get(record.id) ?? {}
    if (refreshMs === 0 || (hasMoved && familyOf(record).movesApart)) return 1n
    let rounds = 1n
    while (rounds < mostRounds && now - since >= 2n * rounds * laterPart) rounds *= 2n
    return rounds
  }

  return {
    due(pools, { from, to }) {
      const [before, now] = [from / roundBlocks, to / roundBlocks]
      if (before >= now) return []
      standing = new Map(
        pools.map(({ id }) => [id, standing.get(id) ?? { since: now, hasMoved: false }]),
      )
      return pools.filter((record) => {
        // Their quoters are asked in turns of their own.
        if (isQuoted(record)) return true
        const rounds = roundsOf(record, now)
        return familyOf(record).refresh !== undefined && before / rounds < now / rounds
      })
    },
    moved(id, blockNumber) {
      standing.set(id, { since: blockNumber / roundBlocks, hasMoved: true })
    },
  }
}
