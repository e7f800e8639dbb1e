import type { Engine } from './engine.ts'
import { type Program, sql } from './program.ts'

/** The store looks into no text of these: heads, entries and changes are their owner's own. */
export type FeedEntry = { readonly name: string; readonly body: string }

/** `ageMs`: how long ago the writer knew its head to be true, asked when the time is taken. */
type Stamp = { readonly term: number; readonly ageMs: () => number }

/**
 * `deposed`: a later term has claimed the feed, nothing was written. `out_of_step`: the feed does not stand
 * where the writer believes, as after a commit whose answer was lost; nothing was written.
 */
export type Written = 'written' | 'deposed' | 'out_of_step'

export type FeedReading = {
  readonly term: number
  readonly seq: number
  readonly head: string
  /** Since the head was last confirmed, by the database's clock when it was read. */
  readonly ageMs: number
  readonly news:
    | { readonly kind: 'none' }
    /** Everything after the reader's sequence number, in order. */
    | { readonly kind: 'changes'; readonly changes: readonly string[] }
    /** The reader missed more than is kept: all entries, and what changed after they were saved. */
    | {
        readonly kind: 'whole'
        readonly entries: readonly FeedEntry[]
        readonly changes: readonly string[]
      }
}

/**
 * A state that one process writes and all others follow: a snapshot, the numbered changes after it, and a
 * head. Writers are told apart by terms that only rise; each write checks its own in its transaction, so a
 * writer that was deposed without noticing overwrites nothing.
 */
export type Feeds = {
  /**
   * From now on no earlier term writes. False where a later one was here already. Feeds that have been
   * silent for a week are forgotten by the way.
   */
  claim(feed: string, term: number): Promise<boolean>
  /** The head still holds at this sequence number. */
  confirm(feed: string, p: Stamp & { readonly seq: number }): Promise<Written>
  /** The change that follows `seq`. */
  append(
    feed: string,
    p: Stamp & { readonly seq: number; readonly head: string; readonly body: string },
  ): Promise<Written>
  /** Another state altogether, in one transaction; answers with its number, or nothing when deposed. */
  restart(
    feed: string,
    p: Stamp & { readonly head: string; readonly entries: readonly FeedEntry[] },
  ): Promise<number | undefined>
  /**
   * Brings the snapshot to `seq` by the entries that changed, and forgets changes nobody will ask for.
   * False, and nothing is written, where a later term or a later snapshot has been.
   */
  save(
    feed: string,
    p: {
      readonly term: number
      readonly seq: number
      readonly entries: readonly FeedEntry[]
      /** Names of entries that are no more. */
      readonly gone?: readonly string[] | undefined
    },
  ): Promise<boolean>
  /** What a reader at `seq` has not seen; undefined where nothing was ever written. */
  read(feed: string, seq: number | undefined): Promise<FeedReading | undefined>
}

type FeedRow = {
  term: number
  seq: number
  saved_seq: number
  head: string
  confirmed_at_ms: number
}

/** So many changes before the snapshot stay, for readers that missed a few. */
const keptChanges = 128
const rowsAtOnce = 50

/** A feed that nobody has written for so long, of another version or a chain no longer served, is dead. */
const longestSilenceMs = 7 * 24 * 3_600_000

const take = sql(
  `INSERT INTO feeds (feed, term, seq, saved_seq, head, confirmed_at_ms) VALUES (?, ?, 0, 0, '', ?)
   ON CONFLICT (feed) DO UPDATE SET term = excluded.term WHERE feeds.term < excluded.term`,
)
const silent = sql<{ feed: string }>(
  'SELECT feed FROM feeds WHERE confirmed_at_ms < ? AND feed <> ?',
)
const forgetFeed = ['feed_changes', 'feed_entries', 'feeds'].map((table) =>
  sql(`DELETE FROM ${table} WHERE feed = ?`),
)
const find = sql<FeedRow>(
  'SELECT term, seq, saved_seq, head, confirmed_at_ms FROM feeds WHERE feed = ?',
)
const touch = sql('UPDATE feeds SET confirmed_at_ms = ? WHERE feed = ? AND term = ? AND seq = ?')
const advance = sql(
  `UPDATE feeds SET seq = seq + 1, head = ?, confirmed_at_ms = ?
   WHERE feed = ? AND term = ? AND seq = ?`,
)
const restartAt = sql<{ seq: number }>(
  `UPDATE feeds SET seq = seq + 1, saved_seq = seq + 1, head = ?, confirmed_at_ms = ?
   WHERE feed = ? AND term = ? RETURNING seq`,
)
/** Never back behind a restart, whose entries are of another state. */
const settle = sql(
  `UPDATE feeds SET saved_seq = @seq
   WHERE feed = @feed AND term = @term AND seq >= @seq AND saved_seq <= @seq`,
)
const insertChange = sql('INSERT INTO feed_changes (feed, seq, body) VALUES (?, ?, ?)')
const changesAfter = sql<{ body: string }>(
  'SELECT body FROM feed_changes WHERE feed = ? AND seq > ? ORDER BY seq',
)
const forgetChanges = sql('DELETE FROM feed_changes WHERE feed = ? AND seq <= ?')
const forgetEntries = sql('DELETE FROM feed_entries WHERE feed = ?')
const forgetEntry = sql('DELETE FROM feed_entries WHERE feed = ? AND name = ?')
const allEntries = sql<FeedEntry>('SELECT name, body FROM feed_entries WHERE feed = ?')

const writeEntriesOf = (count: number) =>
  sql(
    `INSERT INTO feed_entries (feed, name, body) VALUES ${Array(count).fill('(?, ?, ?)').join(', ')}
     ON CONFLICT (feed, name) DO UPDATE SET body = excluded.body`,
  )
const [writeEntry, writeEntries] = [writeEntriesOf(1), writeEntriesOf(rowsAtOnce)]

/** Undoes a snapshot that is not wanted any more. */
class Superseded extends Error {
  override name = 'Superseded'
}

function* writeAll(feed: string, entries: readonly FeedEntry[]): Program<void> {
  const whole = entries.length - (entries.length % rowsAtOnce)
  for (let start = 0; start < whole; start += rowsAtOnce)
    yield* writeEntries.run(
      ...entries.slice(start, start + rowsAtOnce).flatMap(({ name, body }) => [feed, name, body]),
    )
  for (const { name, body } of entries.slice(whole)) yield* writeEntry.run(feed, name, body)
}

/** Why a write that named its term and number met no row. */
function* judge(feed: string, term: number): Program<Written> {
  return (yield* find.get(feed))?.term === term ? 'out_of_step' : 'deposed'
}

export function createFeeds(engine: Engine, now: () => number = Date.now): Feeds {
  /** Asked after the clock: the age may come out greater than it is, never smaller. */
  function* confirmedAt(ageMs: () => number): Program<number> {
    const atMs = yield* engine.clock(now())
    return Math.floor(atMs - ageMs())
  }

  /** As of one moment: what a reader at `seq` lacks. */
  function* readNews(feed: string, seq: number | undefined): Program<FeedReading | undefined> {
    const row = yield* find.get(feed)
    if (!row || row.seq === 0) return undefined
    const place = { term: row.term, seq: row.seq, head: row.head }
    const ageMs = Math.max(0, (yield* engine.clock(now())) - row.confirmed_at_ms)
    if (seq !== undefined && seq <= row.seq) {
      const changes = yield* changesAfter.all(feed, seq)
      if (changes.length === row.seq - seq)
        return { ...place, ageMs, news: { kind: 'changes', changes: changes.map(toBody) } }
    }
    const entries = yield* allEntries.all(feed)
    const changes = (yield* changesAfter.all(feed, row.saved_seq)).map(toBody)
    return { ...place, ageMs, news: { kind: 'whole', entries, changes } }
  }

  return {
    claim: (feed, term) =>
      engine.write(function* () {
        const nowMs = yield* engine.clock(now())
        for (const dead of yield* silent.all(nowMs - longestSilenceMs, feed))
          for (const statement of forgetFeed) yield* statement.run(dead.feed)
        return (yield* take.run(feed, term, nowMs)) > 0
      }),
    confirm: (feed, { term, ageMs, seq }) =>
      engine.write(function* () {
        const count = yield* touch.run(yield* confirmedAt(ageMs), feed, term, seq)
        return count > 0 ? 'written' : yield* judge(feed, term)
      }),
    append: (feed, { term, ageMs, seq, head, body }) =>
      engine.write(function* () {
        const count = yield* advance.run(head, yield* confirmedAt(ageMs), feed, term, seq)
        if (count === 0) return yield* judge(feed, term)
        yield* insertChange.run(feed, seq + 1, body)
        return 'written'
      }),
    restart: (feed, { term, ageMs, head, entries }) =>
      engine.write(function* () {
        const row = yield* restartAt.get(head, yield* confirmedAt(ageMs), feed, term)
        if (!row) return undefined
        yield* forgetChanges.run(feed, row.seq)
        yield* forgetEntries.run(feed)
        yield* writeAll(feed, entries)
        return row.seq
      }),
    save: (feed, { term, seq, entries, gone = [] }) =>
      engine
        .write(function* (): Program<boolean> {
          yield* writeAll(feed, entries)
          for (const name of gone) yield* forgetEntry.run(feed, name)
          // Last, so that changes go on being written meanwhile; nothing above stands without it.
          if ((yield* settle.run({ feed, term, seq })) === 0) throw new Superseded()
          yield* forgetChanges.run(feed, seq - keptChanges)
          return true
        })
        .catch((error: unknown) => {
          if (error instanceof Superseded) return false
          throw error
        }),
    async read(feed, seq) {
      const row = await engine.read(() => find.get(feed))
      if (!row || row.seq === 0) return undefined
      if (row.seq !== seq) return engine.snapshot(() => readNews(feed, seq))
      const nowMs = await engine.read(() => engine.clock(now()))
      const { term, head } = row
      const ageMs = Math.max(0, nowMs - row.confirmed_at_ms)
      return { term, seq, head, ageMs, news: { kind: 'none' } }
    },
  }
}

const toBody = ({ body }: { readonly body: string }) => body
