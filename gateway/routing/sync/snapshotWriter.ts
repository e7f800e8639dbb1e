import type { Address } from 'viem'
import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { chunk } from '../reads/chunk.ts'
import type { BlockHead } from '../reads/readHead.ts'
import type { TokenInfo } from '../reads/readTokens.ts'
import { listNews, noPools } from './followedPools.ts'
import { scanRow } from './keptRows.ts'
import { decodePool, encodePool } from './poolCodec.ts'
import type { SyncedState } from './syncedState.ts'

export type Restored = {
  readonly head: BlockHead
  readonly records: readonly PoolRecord[]
  readonly tokens: readonly TokenInfo[]
  /** Where the scan of creations was; undefined where none had begun. */
  readonly scanned?: string | undefined
}

/** Some tens of microseconds each. */
const encodedAtOnce = 20

type Saved = Pick<Restored, 'tokens' | 'scanned'> & { readonly state: SyncedState }

/** Keeps a chain's pools in the store: what changed since the last time, all at one block. */
export function createSnapshotWriter({
  chainId,
  snapshots,
}: {
  readonly chainId: number
  readonly snapshots: PoolSnapshots
}) {
  let saved: SyncedState['pools'] = noPools
  let savedHash = ''
  let savedScan: string | undefined
  let savedTokens: ReadonlySet<Address> = new Set()
  /** What may stand in the store, written now or by an earlier process: who follows it no more deletes it. */
  const rows = { pools: new Set<string>(), tokens: new Set<Address>() }
  /** The store has pools of DEXes that are configured no more: they would pass for those of the next head. */
  let hasStale = false
  let tail: Promise<unknown> = Promise.resolve()

  function forget(): void {
    saved = noPools
    savedHash = ''
    savedScan = undefined
    savedTokens = new Set()
  }

  async function write({ state, tokens, scanned }: Saved): Promise<void> {
    if (state.head.hash === savedHash && state.pools === saved && scanned === savedScan) return
    if (hasStale) {
      await snapshots.clear(chainId)
      rows.pools.clear()
      rows.tokens.clear()
      forget()
      hasStale = false
    }
    const changed = listNews(state.pools, saved)
    const pools: { id: string; state: string }[] = []
    for (const part of chunk(changed, encodedAtOnce)) {
      for (const record of part) pools.push({ id: record.id, state: encodePool(record) })
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    const known = new Set(tokens.map(({ address }) => address))
    const news = tokens.filter(({ address }) => !savedTokens.has(address))
    const gonePools = [...rows.pools].filter((id) => !state.pools.has(id))
    const goneTokens = [...rows.tokens].filter((token) => !known.has(token))
    for (const { id } of pools) rows.pools.add(id)
    for (const { address } of news) rows.tokens.add(address)
    const gone = { gonePools, goneTokens }
    if (scanned !== undefined && scanned !== savedScan) pools.push({ id: scanRow, state: scanned })
    try {
      await snapshots.save(chainId, { head: state.head, pools, tokens: news, ...gone })
    } catch (error) {
      // How much of it was written is not known: the next attempt writes everything.
      forget()
      throw error
    }
    for (const id of gonePools) rows.pools.delete(id)
    for (const token of goneTokens) rows.tokens.delete(token)
    saved = state.pools
    savedHash = state.head.hash
    savedScan = scanned
    savedTokens = known
  }

  return {
    /** What an earlier process left, of the DEXes that are still configured. */
    async restore(dexes: ReadonlySet<string>): Promise<Restored | undefined> {
      const snapshot = await snapshots.load(chainId)
      if (!snapshot) return undefined
      const pools = snapshot.pools.filter(({ id }) => id !== scanRow)
      const scanned = snapshot.pools.find(({ id }) => id === scanRow)?.state
      const records = pools.flatMap(({ state }) => {
        const record = decodePool(state)
        return record && dexes.has(record.dex) ? [record] : []
      })
      hasStale = records.length < pools.length
      for (const { id } of pools) rows.pools.add(id)
      for (const { address } of snapshot.tokens) rows.tokens.add(address)
      return { head: snapshot.head, records, tokens: snapshot.tokens, scanned }
    },
    /** Encodes and writes bit by bit, so that quotes go on; one call after the other. */
    save(saved: Saved): Promise<void> {
      const run = tail.then(() => write(saved))
      tail = run.catch(() => undefined)
      return run
    },
  }
}
