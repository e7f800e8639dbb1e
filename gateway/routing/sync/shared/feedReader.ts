import type { FeedEntry, Feeds } from '../../../store/feeds.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { chunk } from '../../reads/chunk.ts'
import type { BlockHead } from '../../reads/readHead.ts'
import type { TokenInfo } from '../../reads/readTokens.ts'
import type { DexCoverage } from '../coverage.ts'
import {
  advanceState,
  createSyncedState,
  repriceState,
  type SyncedState,
  type TaxOf,
} from '../syncedState.ts'
import type { LeftOutPool } from '../troubledPools.ts'
import { createTurns, shareNextTurn } from '../turns.ts'
import type { LeftOut } from '../verifyDexes.ts'
import {
  decodeChange,
  decodeHead,
  type FeedChange,
  fromPoolEntry,
  fromTokenEntry,
} from './feedCodec.ts'
import { foldPools, foldTokens } from './foldChanges.ts'

/** What is known of a chain, and since when. */
export type Followed = {
  readonly state: SyncedState
  readonly tokens: ReadonlyMap<string, TokenInfo>
  readonly leftOut: readonly LeftOut[]
  readonly leftOutPools: readonly LeftOutPool[]
  /** Where the scan of creations is, as the feed's writer has it. */
  readonly scanned?: string | undefined
  /** Of each DEX' pools, as the feed's writer told now and then. */
  readonly coverage?: readonly DexCoverage[] | undefined
  /** When the state was last known to be the node's head, by `now`. */
  readonly confirmedAtMs: number
  /** The feed's number of this state; undefined: the state did not come from the feed. */
  readonly seq: number | undefined
}

export type FeedReaderParameters = {
  readonly feeds: Feeds
  readonly feed: string
  /** Names of the configured DEXes: pools of others are not followed. */
  readonly dexes: ReadonlySet<string>
  readonly taxOf: TaxOf
  readonly now: () => number
}

/** Some tens of microseconds each. */
const decodedAtOnce = 20

type Whole = { readonly records: PoolRecord[]; readonly tokens: TokenInfo[] }

/** Follows a feed: the snapshot first, then what changes; anything missed is read again by itself. */
export function createFeedReader({ feeds, feed, dexes, taxOf, now }: FeedReaderParameters) {
  let followed: Followed | undefined
  let readAtMs = Number.NEGATIVE_INFINITY

  /** Bit by bit, so that quotes go on. */
  async function decodeEntries(entries: readonly FeedEntry[]): Promise<Whole> {
    const whole: Whole = { records: [], tokens: [] }
    for (const part of chunk(entries, decodedAtOnce)) {
      for (const entry of part) {
        const record = fromPoolEntry(entry)
        if (record && dexes.has(record.dex)) whole.records.push(record)
        const token = fromTokenEntry(entry)
        if (token) whole.tokens.push(token)
      }
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    return whole
  }

  function begin({ records, tokens }: Whole, changes: readonly FeedChange[], head: BlockHead) {
    const pools = new Map(records.map((record) => [record.id, record]))
    const { changed, gone } = foldPools(pools, { changes, dexes })
    for (const id of gone) pools.delete(id)
    for (const [id, record] of changed) pools.set(id, record)
    return {
      state: createSyncedState({ taxOf }, { head, records: pools.values() }),
      tokens: foldTokens(toTokenMap(tokens), changes),
    }
  }

  function goOn({ state, tokens }: Followed, changes: readonly FeedChange[], head: BlockHead) {
    const { changed, gone } = foldPools(state.pools, { changes, dexes })
    const news = { state, head, changed: changed.values(), gone }
    return { state: advanceState({ taxOf }, news), tokens: foldTokens(tokens, changes) }
  }

  async function readOnce(): Promise<void> {
    const askedAtMs = now()
    const seen = followed?.seq
    const reading = await feeds.read(feed, seen)
    readAtMs = askedAtMs
    if (!reading) return
    const { seq, news } = reading
    const { head, ...leftOut } = decodeHead(reading.head)
    const confirmedAtMs = askedAtMs - reading.ageMs
    const whole = news.kind === 'whole' ? await decodeEntries(news.entries) : undefined
    // Another state was served meanwhile: what was read does not follow it.
    if (followed?.seq !== seen) return
    if (whole) {
      const changes = news.kind === 'whole' ? news.changes.map(decodeChange) : []
      followed = { ...begin(whole, changes, head), ...leftOut, confirmedAtMs, seq }
    } else if (followed) {
      const changes = news.kind === 'changes' ? news.changes.map(decodeChange) : []
      followed = { ...goOn(followed, changes, head), ...leftOut, confirmedAtMs, seq }
    }
  }

  /** A reading that begins after this call. */
  const pull = shareNextTurn(createTurns(), readOnce)

  return {
    current: () => followed,
    readAtMs: () => readAtMs,
    pull,
    /** A state from elsewhere, served until the feed gives another. */
    serve(state: Followed) {
      followed = { ...state, seq: undefined }
    },
    /** Prices pools anew whose tokens' taxes have become known. */
    reprice(tokens: readonly string[]) {
      if (!followed) return undefined
      const next = repriceState({ taxOf }, { state: followed.state, tokens })
      followed = { ...followed, state: next }
      return next
    },
  }
}

const toTokenMap = (tokens: readonly TokenInfo[]): ReadonlyMap<string, TokenInfo> =>
  new Map(tokens.map((token) => [token.address.toLowerCase(), token]))

export type FeedReader = ReturnType<typeof createFeedReader>
