import type { RouteStep } from './engine/route.ts'
import { toRef } from './protocols/poolRecord.ts'
import type { PoolRef } from './reads/poolRef.ts'
import { readHead, readToldBlock } from './reads/readHead.ts'
import type { RoutingChain } from './routingChain.ts'
import { type Asker, type Askers, findShared } from './searchQueue.ts'
import { oldMs } from './sync/chainSync.ts'
import { loadPools } from './sync/loadPools.ts'
import { createSyncedState, type SyncedState } from './sync/syncedState.ts'

type Hinting = Pick<RoutingChain, 'chainId' | 'dexes' | 'searches' | 'hints'> & {
  readonly sync: Pick<RoutingChain['sync'], 'lagMs'>
  readonly taxes: Pick<RoutingChain['taxes'], 'get'>
  readonly chainClient: Pick<RoutingChain['chainClient'], 'client'>
}

/**
 * When the followed state is old: the pools of routes found on it, read anew at the node's head.
 * A market of those pools only; undefined when the state is not old, or the node does not answer.
 */
export async function repriceHint(
  chain: Hinting,
  {
    state,
    routes,
    asker,
  }: {
    readonly state: Pick<SyncedState, 'pools'>
    readonly routes: readonly { readonly steps: readonly Pick<RouteStep, 'poolId'>[] }[]
    readonly asker: Asker | undefined
  },
): Promise<SyncedState | undefined> {
  if (chain.sync.lagMs() <= oldMs) return undefined
  const ids = new Set(routes.flatMap(({ steps }) => steps.map(({ poolId }) => poolId)))
  const pools = [...ids].flatMap((poolId): PoolRef[] => {
    const record = state.pools.get(poolId)
    const dex = chain.dexes.find(({ name }) => name === record?.dex)
    return record && dex ? [toRef(record, dex)] : []
  })
  if (pools.length === 0) return undefined
  // A state is old where there is too much to do: each question's own reading would make it older.
  const read = (others: Askers) => readHint(chain, { pools, asker, others })
  return findShared(() => chain.hints(ids, { read, asker }), asker)
}

async function readHint(
  { chainId, chainClient: { client }, taxes, searches }: Hinting,
  {
    pools,
    asker,
    others,
  }: {
    readonly pools: readonly PoolRef[]
    readonly asker: Asker | undefined
    readonly others: Askers
  },
): Promise<SyncedState | undefined> {
  const read = async () => {
    const head = await readHead({ client })
    if (!head) return undefined
    const records = await loadPools({ client }, { pools, blockNumber: head.number })
    // They were read by its number: another block may have taken its place meanwhile.
    const told = await readToldBlock({ client }, head.number)
    return told?.head.hash === head.hash ? { head, records } : undefined
  }
  // The old state and its lag are the answer then; sync reports the node's trouble itself.
  const found = await read().catch(() => undefined)
  if (!found) return undefined
  const taxOf = (token: string) => taxes.get(token) ?? 0
  // Prices of pools are computed in the turn of whoever asks.
  return searches(async () => createSyncedState({ taxOf }, found), { ...asker, chainId, others })
}
