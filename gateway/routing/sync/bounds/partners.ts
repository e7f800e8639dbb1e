import type { Address } from 'viem'
import type { PoolRecord } from '../../protocols/poolRecord.ts'

const mostDeep = 30
/** Who is deep stays so for longer. */
const sortEveryMs = 10 * 60_000

/**
 * Tokens that an unknown one is likely to have pools with: the hubs, and those others that stand in the
 * deepest pools, the deepest first.
 */
export function createPartners({
  hubs,
  sortByDepth,
  now,
}: {
  readonly hubs: readonly Address[]
  readonly sortByDepth: (records: readonly PoolRecord[]) => readonly PoolRecord[]
  readonly now: () => number
}): (pools: ReadonlyMap<string, PoolRecord>) => readonly Address[] {
  const first = hubs.map((hub) => hub.toLowerCase() as Address)
  let deep: readonly Address[] = []
  let sortedAtMs = Number.NEGATIVE_INFINITY

  return (pools) => {
    if (now() - sortedAtMs >= sortEveryMs) {
      sortedAtMs = now()
      const tokens = new Set(sortByDepth([...pools.values()]).flatMap((record) => record.tokens))
      for (const hub of first) tokens.delete(hub)
      deep = [...tokens].slice(0, mostDeep) as Address[]
    }
    return [...first, ...deep]
  }
}
