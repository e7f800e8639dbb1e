import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { decodePool, encodePool } from './poolCodec.ts'
import type { BlockHead } from './readHead.ts'
import type { TokenInfo } from './readTokens.ts'
import type { SyncedState } from './syncedState.ts'

export type Restored = {
  readonly head: BlockHead
  readonly records: readonly PoolRecord[]
  readonly tokens: readonly TokenInfo[]
}

/** Keeps a chain's pools in the store: what changed since the last time, all at one block. */
export function createSnapshotWriter({
  chainId,
  snapshots,
}: {
  readonly chainId: number
  readonly snapshots: PoolSnapshots
}) {
  let saved: SyncedState['pools'] = new Map()
  let savedHash = ''
  return {
    /** What an earlier process left, of the DEXes that are still configured. */
    async restore(dexes: ReadonlySet<string>): Promise<Restored | undefined> {
      const snapshot = await snapshots.load(chainId)
      if (!snapshot) return undefined
      const records = snapshot.pools.flatMap(({ state }) => {
        const record = decodePool(state)
        return record && dexes.has(record.dex) ? [record] : []
      })
      return { head: snapshot.head, records, tokens: snapshot.tokens }
    },
    async save(state: SyncedState, tokens: readonly TokenInfo[]): Promise<void> {
      if (state.head.hash === savedHash && state.pools === saved) return
      // Records are never changed in place: another object is another state.
      const changed = [...state.pools.values()].filter((record) => saved.get(record.id) !== record)
      await snapshots.save(chainId, {
        head: state.head,
        pools: changed.map((record) => ({ id: record.id, state: encodePool(record) })),
        tokens,
      })
      saved = state.pools
      savedHash = state.head.hash
    },
  }
}
