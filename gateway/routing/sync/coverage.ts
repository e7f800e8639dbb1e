import type { Dex } from '../../chain/dex.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import type { PoolBounds } from './bounds/poolBounds.ts'
import type { TroubledPools } from './troubledPools.ts'
import type { LeftOut } from './verifyDexes.ts'

/** Of one DEX; what is known and neither loaded nor refused is still to be read. */
export type DexCoverage = {
  readonly dex: string
  readonly known: number
  /** Whether its pools have been looked for; what there is of them is not known before. */
  readonly isSearched: boolean
  readonly loaded: number
  /** Pools by why they are not loaded. */
  readonly refused: ReadonlyMap<string, number>
  /** Why the whole DEX is left out. */
  readonly leftOut: string | undefined
}

/** Said of a pool whose family does not serve pools of its kind, or that is to be read again at once. */
const withoutFault = 'swaps do not follow from its state, or it waits to be read again'
const tooShallow = 'it holds less than POOL_FLOOR_USD'
const outbid = 'deeper pools have its place (MAX_POOLS_PER_CHAIN, MAX_TOKENS_PER_CHAIN)'

/** What a load has found, until it has read it, and where it has looked. */
export type FoundPools = {
  begin(pools: readonly PoolRef[]): void
  /** Looked at these exchanges, it found these pools more. */
  add(dexes: readonly Dex[], pools: readonly PoolRef[]): void
  end(): void
  all(): readonly PoolRef[]
  hasSearched(dex: string): boolean
}

export function createFoundPools(): FoundPools {
  let found: readonly PoolRef[] = []
  const searched = new Set<string>()
  return {
    begin(pools) {
      found = pools
      searched.clear()
    },
    add(dexes, pools) {
      found = [...found, ...pools]
      for (const { name } of dexes) searched.add(name)
    },
    end() {
      found = []
      searched.clear()
    },
    all: () => found,
    hasSearched: (dex) => searched.has(dex),
  }
}

/** Of each configured DEX, what there is of its pools. */
export function listCoverage({
  dexes,
  leftOut,
  loaded,
  troubled,
  outside,
  found,
  isSearched,
}: {
  readonly dexes: readonly Dex[]
  readonly leftOut: readonly LeftOut[]
  readonly loaded: ReadonlyMap<string, PoolRecord>
  readonly troubled: Pick<TroubledPools, 'out'>
  /** Left outside by the market's bounds. */
  readonly outside: ReturnType<PoolBounds['outside']>
  readonly found: readonly PoolRef[]
  readonly isSearched: (dex: string) => boolean
}): readonly DexCoverage[] {
  // What could not be read is not followed, whatever else was to become of it.
  const refused = new Map<string, { readonly pool: PoolRef; readonly reason: string }>()
  for (const { pool, isShallow } of outside)
    refused.set(idOf(pool), { pool, reason: isShallow ? tooShallow : outbid })
  for (const { pool, reason = withoutFault } of troubled.out())
    refused.set(idOf(pool), { pool, reason })
  const waiting = new Map(found.map((pool) => [idOf(pool), pool.dex.name]))
  for (const id of loaded.keys()) refused.delete(id)
  for (const id of [...loaded.keys(), ...refused.keys()]) waiting.delete(id)

  const loadedOf = countBy(loaded.values(), ({ dex }) => dex)
  const waitingOf = countBy(waiting.values(), (dex) => dex)
  const refusedOf = Map.groupBy(refused.values(), ({ pool }) => pool.dex.name)
  return dexes.map(({ name: dex }) => {
    const [read, unread] = [loadedOf.get(dex) ?? 0, waitingOf.get(dex) ?? 0]
    const kept = refusedOf.get(dex) ?? []
    return {
      dex,
      known: read + kept.length + unread,
      isSearched: isSearched(dex),
      loaded: read,
      refused: countBy(kept, ({ reason }) => reason),
      leftOut: leftOut.find((one) => one.dex === dex)?.reason,
    }
  })
}

function countBy<item>(items: Iterable<item>, nameOf: (item: item) => string) {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1)
  return counts
}
