import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { chunk } from './chunk.ts'
import { decodePool, encodePool } from './poolCodec.ts'
import type { BlockHead } from './readHead.ts'
import type { TokenInfo } from './readTokens.ts'
import type { SyncedState } from './syncedState.ts'

export type Restored = {
  readonly head: BlockHead
  readonly records: readonly PoolRecord[]
  readonly tokens: readonly TokenInfo[]
}

/** Some tens of microseconds each. */
const encodedAtOnce = 20

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
  let savedTokens = 0
  /** The store has pools that nobody follows: they would pass for those of the next head. */
  let hasStale = false
  let tail: Promise<unknown> = Promise.resolve()

  function forget(): void {
    saved = new Map()
    savedHash = ''
    savedTokens = 0
  }

  async function write(state: SyncedState, tokens: readonly TokenInfo[]): Promise<void> {
    if (state.head.hash === savedHash && state.pools === saved) return
    hasStale ||= [...saved.keys()].some((id) => !state.pools.has(id))
    if (hasStale) {
      await snapshots.clear(chainId)
      forget()
      hasStale = false
    }
    // Records are never changed in place: another object is another state.
    const changed = [...state.pools.values()].filter((record) => saved.get(record.id) !== record)
    const pools: { id: string; state: string }[] = []
    for (const part of chunk(changed, encodedAtOnce)) {
      for (const record of part) pools.push({ id: record.id, state: encodePool(record) })
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    // Tokens only ever become more.
    const news = tokens.slice(savedTokens)
    try {
      await snapshots.save(chainId, { head: state.head, pools, tokens: news })
    } catch (error) {
      // How much of it was written is not known: the next attempt writes everything.
      forget()
      throw error
    }
    saved = state.pools
    savedHash = state.head.hash
    savedTokens = tokens.length
  }

  return {
    /** What an earlier process left, of the DEXes that are still configured. */
    async restore(dexes: ReadonlySet<string>): Promise<Restored | undefined> {
      const snapshot = await snapshots.load(chainId)
      if (!snapshot) return undefined
      const records = snapshot.pools.flatMap(({ state }) => {
        const record = decodePool(state)
        return record && dexes.has(record.dex) ? [record] : []
      })
      hasStale = records.length < snapshot.pools.length
      return { head: snapshot.head, records, tokens: snapshot.tokens }
    },
    /** Encodes and writes bit by bit, so that quotes go on; one call after the other. */
    save(state: SyncedState, tokens: readonly TokenInfo[]): Promise<void> {
      const run = tail.then(() => write(state, tokens))
      tail = run.catch(() => undefined)
      return run
    },
  }
}
