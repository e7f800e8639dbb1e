import type { FeedEntry, Feeds } from '../../store/feeds.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { chunk } from './chunk.ts'
import {
  applyPoolChange,
  decodeChange,
  decodeHead,
  type FeedChange,
  fromPoolEntry,
  fromTokenEntry,
} from './feedCodec.ts'
import type { BlockHead } from './readHead.ts'
import type { TokenInfo } from './readTokens.ts'
import { advanceState, createSyncedState, type SyncedState, type TaxOf } from './syncedState.ts'
import type { LeftOut } from './verifyDexes.ts'

/** What is known of a chain, and since when. */
export type Followed = {
  readonly state: SyncedState
  readonly tokens: ReadonlyMap<string, TokenInfo>
  readonly leftOut: readonly LeftOut[]
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

  /** The pools that changes leave different, and the tokens they bring. */
  function fold(pools: ReadonlyMap<string, PoolRecord>, changes: readonly FeedChange[]) {
    const changed = new Map<string, PoolRecord>()
    for (const { pools: news } of changes)
      for (const change of news) {
        const after = applyPoolChange(changed.get(change.id) ?? pools.get(change.id), change)
        if (after && dexes.has(after.dex)) changed.set(change.id, after)
      }
    return { changed, tokens: changes.flatMap((change) => change.tokens) }
  }

  function begin({ records, tokens }: Whole, changes: readonly FeedChange[], head: BlockHead) {
    const pools = new Map(records.map((record) => [record.id, record]))
    const news = fold(pools, changes)
    for (const [id, record] of news.changed) pools.set(id, record)
    return {
      state: createSyncedState({ taxOf }, { head, records: pools.values() }),
      tokens: toTokenMap([...tokens, ...news.tokens]),
    }
  }

  function goOn(before: Followed, changes: readonly FeedChange[], head: BlockHead) {
    const { changed, tokens } = fold(before.state.pools, changes)
    return {
      state: advanceState({ taxOf }, { state: before.state, head, changed: changed.values() }),
      tokens:
        tokens.length === 0 ? before.tokens : toTokenMap([...before.tokens.values(), ...tokens]),
    }
  }

  async function readOnce(): Promise<void> {
    const askedAtMs = now()
    const seen = followed?.seq
    const reading = await feeds.read(feed, seen)
    readAtMs = askedAtMs
    if (!reading) return
    const { seq, news } = reading
    const { head, leftOut } = decodeHead(reading.head)
    const confirmedAtMs = askedAtMs - reading.ageMs
    const whole = news.kind === 'whole' ? await decodeEntries(news.entries) : undefined
    // Another state was served meanwhile: what was read does not follow it.
    if (followed?.seq !== seen) return
    if (whole) {
      const changes = news.kind === 'whole' ? news.changes.map(decodeChange) : []
      followed = { ...begin(whole, changes, head), leftOut, confirmedAtMs, seq }
    } else if (followed) {
      const changes = news.kind === 'changes' ? news.changes.map(decodeChange) : []
      followed = { ...goOn(followed, changes, head), leftOut, confirmedAtMs, seq }
    }
  }

  let running: Promise<void> | undefined
  let again: Promise<void> | undefined
  /** A reading that begins after this call. */
  function pull(): Promise<void> {
    if (!running) {
      running = readOnce().finally(() => {
        running = undefined
      })
      return running
    }
    again ??= running
      .catch(() => undefined)
      .then(() => {
        again = undefined
        return pull()
      })
    return again
  }

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
      const { state } = followed
      const changed = [...state.pools.values()].filter((record) =>
        record.tokens.some((token) => tokens.includes(token)),
      )
      const next = advanceState({ taxOf }, { state, head: state.head, changed })
      followed = { ...followed, state: next }
      return next
    },
  }
}

const toTokenMap = (tokens: readonly TokenInfo[]): ReadonlyMap<string, TokenInfo> =>
  new Map(tokens.map((token) => [token.address.toLowerCase(), token]))

export type FeedReader = ReturnType<typeof createFeedReader>
