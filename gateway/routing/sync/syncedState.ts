import { createMarket, type Market, updateMarket } from '../engine/market.ts'
import { toEnginePool } from '../protocols/family.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { BlockHead } from './readHead.ts'

/** All pools as of one block. Never changed: the next block is another value. */
export type SyncedState = {
  readonly head: BlockHead
  readonly pools: ReadonlyMap<string, PoolRecord>
  readonly market: Market
}

export function createSyncedState(head: BlockHead, records: Iterable<PoolRecord>): SyncedState {
  const pools = new Map([...records].map((record) => [record.id, record]))
  return { head, pools, market: createMarket([...pools.values()].map(toEnginePool)) }
}

/** The state at `head` after some pools changed or came. */
export function advanceState(
  state: SyncedState,
  { head, changed }: { readonly head: BlockHead; readonly changed: Iterable<PoolRecord> },
): SyncedState {
  const records = [...changed]
  if (records.length === 0) return { ...state, head }
  const pools = new Map(state.pools)
  for (const record of records) pools.set(record.id, record)
  return { head, pools, market: updateMarket(state.market, records.map(toEnginePool)) }
}
