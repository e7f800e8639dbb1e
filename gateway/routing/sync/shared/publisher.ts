import type { FeedEntry, Feeds } from '../../../store/feeds.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { chunk } from '../../reads/chunk.ts'
import type { TokenInfo } from '../../reads/readTokens.ts'
import type { DexCoverage } from '../coverage.ts'
import { listGone, listNews, noPools } from '../followedPools.ts'
import type { SyncedState } from '../syncedState.ts'
import type { LeftOutPool } from '../troubledPools.ts'
import { createTurns, shareNextTurn } from '../turns.ts'
import type { LeftOut } from '../verifyDexes.ts'
import {
  encodeChange,
  encodeHead,
  toPoolChange,
  toPoolEntry,
  toPoolName,
  toTokenEntry,
  toTokenName,
} from './feedCodec.ts'

/** What the elected gateway knows now. */
export type Published = {
  readonly state: SyncedState
  readonly tokens: readonly TokenInfo[]
  readonly leftOut: readonly LeftOut[]
  readonly leftOutPools: readonly LeftOutPool[]
  readonly scanned?: string | undefined
  readonly coverage?: readonly DexCoverage[] | undefined
  /** When the state was last known to be the node's head, by `now`. */
  readonly confirmedAtMs: number
}

type Pools = SyncedState['pools']
type Tokens = ReadonlyMap<string, TokenInfo>
type Known = { readonly pools: Pools; readonly tokens: Tokens }
type Standing = Known & { readonly seq: number; readonly head: string }
type Outcome = 'written' | 'skipped' | 'deposed'

export type PublisherParameters = {
  readonly feeds: Feeds
  readonly feed: string
  readonly term: number
  /** Where the feed stood when this gateway took over; undefined: nothing of it is known. */
  readonly from?:
    | { readonly seq: number; readonly pools: Pools; readonly tokens: readonly TokenInfo[] }
    | undefined
  readonly read: () => Published | undefined
  /** Something was written: others may want to look. */
  readonly wrote: () => void
  /** A later term has claimed the feed. */
  readonly deposed: () => void
  readonly failed: (error: unknown) => void
  readonly now: () => number
}

/** A head that did not change is confirmed no more often. */
const confirmEveryMs = 200
const saveEveryMs = 15_000
/** More pools at once are another state: it costs readers less than as many changes. */
const mostChanged = 2_000
/** Some tens of microseconds each. */
const encodedAtOnce = 20

/** Writes a chain's pools into its feed, one write after the other, whenever it is woken. */
export function createPublisher({
  feeds,
  feed,
  term,
  from,
  read,
  wrote,
  deposed,
  failed,
  now,
}: PublisherParameters) {
  /** What stands in the feed; undefined while that is not known. */
  let standing: Standing | undefined = from && { ...from, tokens: toTokens(from.tokens), head: '' }
  let wroteAtMs = Number.NEGATIVE_INFINITY
  /** What stands in the feed's snapshot, as far as this gateway wrote it. */
  let saved: Known = { pools: noPools, tokens: new Map() }
  let savedAtMs = now()
  let isOver = false

  const stampOf = ({ confirmedAtMs }: Published) => ({ term, ageMs: () => now() - confirmedAtMs })

  async function restart(news: Published): Promise<Outcome> {
    const { state, tokens } = news
    const head = encodeHead({ ...news, head: state.head })
    const entries = await encodeEntries([...state.pools.values()], tokens)
    const seq = await feeds.restart(feed, { ...stampOf(news), head, entries })
    if (seq === undefined) return 'deposed'
    saved = { pools: state.pools, tokens: toTokens(tokens) }
    standing = { seq, head, ...saved }
    savedAtMs = now()
    return 'written'
  }

  async function write(news: Published): Promise<Outcome> {
    if (!standing) return restart(news)
    const { state, tokens } = news
    const { seq, pools } = standing
    const head = encodeHead({ ...news, head: state.head })
    const known = { pools: state.pools, tokens: toTokens(tokens) }
    const { changed, fresh, gone } = compare(known, standing)
    if (changed.length + gone.pools.length > mostChanged) return restart(news)
    const count = changed.length + fresh.length + gone.pools.length + gone.tokens.length
    const isSame = head === standing.head && count === 0
    if (isSame && now() - wroteAtMs < confirmEveryMs) return 'skipped'
    const body = encodeChange({
      pools: changed.map((record) => toPoolChange(pools.get(record.id), record)),
      tokens: fresh,
      gone,
    })
    const written = isSame
      ? await feeds.confirm(feed, { ...stampOf(news), seq })
      : await feeds.append(feed, { ...stampOf(news), seq, head, body })
    // After a commit whose answer was lost: what stands there now is not known.
    if (written === 'out_of_step') return restart(news)
    if (written === 'written' && !isSame) standing = { seq: seq + 1, head, ...known }
    return written
  }

  async function round(): Promise<void> {
    const news = read()
    if (!news || isOver) return
    const outcome = await write(news)
    if (isOver || outcome === 'skipped') return
    if (outcome === 'deposed') {
      isOver = true
      deposed()
      return
    }
    wroteAtMs = now()
    wrote()
    if (now() - savedAtMs > saveEveryMs) void save(news)
  }

  /** Beside the changes, which go on. */
  async function save({ state, tokens }: Published): Promise<void> {
    if (!standing) return
    savedAtMs = now()
    const { seq } = standing
    const known = { pools: state.pools, tokens: toTokens(tokens) }
    const { changed, fresh, gone } = compare(known, saved)
    const names = [...gone.pools.map(toPoolName), ...gone.tokens.map(toTokenName)]
    try {
      const entries = await encodeEntries(changed, fresh)
      if (isOver || !(await feeds.save(feed, { term, seq, entries, gone: names }))) return
      saved = known
    } catch (error) {
      failed(error)
    }
  }

  const inTurn = createTurns()

  return {
    /** Writes what has changed since the last time; resolves when what is known now is written. */
    wake: shareNextTurn(inTurn, () => round().catch(failed)),
    seq: () => standing?.seq,
    async close() {
      isOver = true
      await inTurn(() => Promise.resolve())
    },
  }
}

/** What is another than before, and what is no more. */
function compare(now: Known, before: Known) {
  return {
    changed: listNews(now.pools, before.pools),
    fresh: [...now.tokens].flatMap(([id, token]) => (before.tokens.has(id) ? [] : [token])),
    gone: {
      pools: listGone(now.pools, before.pools),
      tokens: [...before.tokens.keys()].filter((id) => !now.tokens.has(id)),
    },
  }
}

/** Bit by bit, so that quotes go on. */
async function encodeEntries(
  records: readonly PoolRecord[],
  tokens: readonly TokenInfo[],
): Promise<readonly FeedEntry[]> {
  const entries = tokens.map(toTokenEntry)
  for (const part of chunk(records, encodedAtOnce)) {
    for (const record of part) entries.push(toPoolEntry(record))
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return entries
}

const toTokens = (tokens: readonly TokenInfo[]): Tokens =>
  new Map(tokens.map((token) => [token.address.toLowerCase(), token]))

export type Publisher = ReturnType<typeof createPublisher>
