import type { Route } from './engine/route.ts'
import { toRef } from './protocols/poolRecord.ts'
import type { PoolRef } from './reads/poolRef.ts'
import { readHead } from './reads/readHead.ts'
import type { RoutingChain } from './routingChain.ts'
import { oldMs } from './sync/chainSync.ts'
import { loadPools } from './sync/loadPools.ts'
import { createSyncedState, type SyncedState } from './sync/syncedState.ts'

/**
 * When the followed state is old: the pools of routes found on it, read anew at the node's head.
 * A market of those pools only; undefined when the state is not old, or the node does not answer.
 */
export async function repriceHint(
  chain: RoutingChain,
  { state, routes }: { readonly state: SyncedState; readonly routes: readonly Route[] },
): Promise<SyncedState | undefined> {
  if (chain.sync.lagMs() <= oldMs) return undefined
  const { client } = chain.chainClient
  const ids = new Set(routes.flatMap(({ steps }) => steps.map(({ poolId }) => poolId)))
  const pools = [...ids].flatMap((poolId): PoolRef[] => {
    const record = state.pools.get(poolId)
    const dex = chain.dexes.find(({ name }) => name === record?.dex)
    return record && dex ? [toRef(record, dex)] : []
  })
  try {
    const head = await readHead({ client })
    if (!head || pools.length === 0) return undefined
    const records = await loadPools({ client }, { pools, blockNumber: head.number })
    const taxOf = (token: string) => chain.taxes.get(token) ?? 0
    return createSyncedState({ taxOf }, { head, records })
  } catch {
    // The old state and its lag are the answer then; sync reports the node's trouble itself.
    return undefined
  }
}
