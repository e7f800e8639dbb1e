import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { readToldBlock } from '../reads/readHead.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { isSameSwaps } from './isSameSwaps.ts'
import { loadPools } from './loadPools.ts'
import { refreshPools } from './refreshPools.ts'
import { advanceState, type SyncedState } from './syncedState.ts'

type Compared = {
  /** As the chain has them. */
  readonly wrong: readonly PoolRecord[]
  /** They no longer answer as pools. */
  readonly gone: readonly string[]
}

/** Of these pools, those that are not what the chain has at the state's block. */
export async function comparePools(
  deps: SyncDeps,
  { state, records }: { readonly state: SyncedState; readonly records: readonly PoolRecord[] },
): Promise<Compared> {
  const pools = records.flatMap((record): PoolRef[] => {
    const dex = deps.dexes.find(({ name }) => name === record.dex)
    return dex ? [toRef(record, dex)] : []
  })
  const blockNumber = state.head.number
  const [read, { fields }] = await Promise.all([
    loadPools(deps, { pools, blockNumber, followed: state.pools }),
    // What moves without events was read some blocks ago, and is no mistake.
    refreshPools(deps, { pools: records, blockNumber }),
  ])
  const byId = new Map(read.map((record) => [record.id, record]))
  const ids = pools.map(idOf)
  return {
    wrong: ids.flatMap((id) => {
      const [followed, fresh] = [state.pools.get(id), byId.get(id)]
      if (!followed || !fresh) return []
      const known = { ...followed, ...fields.get(id) } as PoolRecord
      return isSameSwaps(known, fresh) ? [] : [fresh]
    }),
    gone: ids.filter((id) => state.pools.has(id) && !byId.has(id)),
  }
}

/**
 * The view with these pools as the chain has them, and how many of them were something else; undefined where the
 * view's block was replaced meanwhile, so that nothing is changed.
 */
export async function healPools(
  deps: SyncDeps,
  { view, ids }: { readonly view: Following; readonly ids: readonly string[] },
): Promise<{ readonly view: Following; readonly healed: number | undefined }> {
  const { state } = view
  const records = ids.flatMap((id) => state.pools.get(id) ?? [])
  const { wrong, gone } = await comparePools(deps, { state, records })
  const healed = wrong.length + gone.length
  if (healed === 0) return { view, healed }
  // Events of a block that took the state's place would count twice in what was read of it.
  const head = (await readToldBlock(deps, state.head.number))?.head
  if (head?.hash !== state.head.hash) return { view, healed: undefined }
  const next = advanceState(deps, { state, head, changed: wrong, gone: new Set(gone) })
  deps.observe({ event: 'healed', chainId: deps.chainId, pools: healed })
  return { view: { ...view, state: next }, healed }
}
