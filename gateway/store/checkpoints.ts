import { hash } from 'node:crypto'
import { checkpointing } from './bookedUnits.ts'
import type { Engine } from './engine.ts'
import { listWriters, lock, type Program, sql } from './program.ts'

/** Of one day; `digest` and what follows are final when it is signed. */
export type Checkpoint = {
  /** As 2027-01-31, in UTC. */
  readonly day: string
  /** It holds the rows after this one … */
  readonly afterId: number
  /** … through this one. */
  readonly throughId: number
  readonly entries: number
  /** SHA-256 of the rows. */
  readonly digest: string
  /** SHA-256 of what charges and refunds came to for each key; none while the day is open. */
  readonly sumsDigest: string | null
  readonly publicKey: string | null
  readonly signature: string | null
  /** Charges and refunds through this row have gone. */
  readonly prunedId: number
}

/** A day, and what its signature holds of all days before: one that was signed cannot be changed alone. */
export type LinkedDay = { readonly checkpoint: Checkpoint; readonly before: string }

/** A row of the ledger, as digests and archives have it. */
export type ArchiveRow = {
  readonly id: number
  readonly key_id: string
  readonly kind: string
  readonly units: number
  readonly ref: string
  readonly at_ms: number
}

/** What a key's charges and refunds came to. */
type Sum = { readonly charged: number; readonly refunded: number }

/** Signs a closed checkpoint's text. */
export type SignCheckpoint = (text: string) => {
  readonly publicKey: string
  readonly signature: string
}

export type Checkpoints = {
  /**
   * Takes some more rows of days that are over into their checkpoints; false when there are none left, or others
   * may still be writing some.
   */
  advance(request: {
    readonly nowMs: number
    /** A row may show up so long after its time, and no later. */
    readonly marginMs: number
    readonly most: number
    readonly sign: SignCheckpoint
  }): Promise<boolean>
  /**
   * Lets go of some charges and refunds of signed days that were over so many days ago; false when there are
   * none left.
   * @throws LedgerChanged where a day has other rows than were signed
   */
  prune(request: {
    readonly nowMs: number
    readonly detailDays: number
    readonly most: number
  }): Promise<boolean>
  /** The oldest first. */
  list(): Promise<readonly Checkpoint[]>
  /** Rows of a checkpoint that are still there, in their order. */
  rows(request: {
    readonly afterId: number
    readonly throughId: number
    readonly most: number
  }): Promise<readonly ArchiveRow[]>
}

type CheckpointRow = {
  readonly day: string
  readonly after_id: number
  readonly through_id: number
  readonly entries: number
  readonly digest: string
  readonly sums_digest: string | null
  readonly public_key: string | null
  readonly signature: string | null
  readonly pruned_id: number
}

const columns =
  'day, after_id, through_id, entries, digest, sums_digest, public_key, signature, pruned_id'
const all = sql<CheckpointRow>(`SELECT ${columns} FROM ledger_checkpoints ORDER BY day`)
const newest = sql<CheckpointRow>(
  `SELECT ${columns} FROM ledger_checkpoints ORDER BY day DESC LIMIT 1`,
)
const readRows = sql<ArchiveRow>(
  `SELECT id, key_id, kind, units, ref, at_ms FROM ledger
   WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
)
const newestRow = sql('SELECT COALESCE(MAX(id), 0) AS count FROM ledger')
const readEarliest = sql<{ at_ms: number }>('SELECT MIN(at_ms) AS at_ms FROM ledger WHERE id > ?')
const rowsOf = sql('SELECT COUNT(*) AS count FROM ledger WHERE id > ? AND id <= ?')
const open = sql(
  `INSERT INTO ledger_checkpoints (day, after_id, through_id, entries, digest, pruned_id)
   VALUES (?, ?, ?, 0, ?, ?)`,
)
const extend = sql(
  'UPDATE ledger_checkpoints SET through_id = ?, entries = entries + ?, digest = ? WHERE day = ?',
)
const addSums = sql(
  `INSERT INTO ledger_sums (day, key_id, charged, refunded)
   SELECT @day, key_id, SUM(CASE WHEN kind = 'charge' THEN -units ELSE 0 END),
     SUM(CASE WHEN kind = 'refund' THEN units ELSE 0 END)
   FROM ledger WHERE id > @afterId AND id <= @throughId AND kind IN ('charge', 'refund')
   GROUP BY key_id
   ON CONFLICT (day, key_id) DO UPDATE SET charged = ledger_sums.charged + excluded.charged,
     refunded = ledger_sums.refunded + excluded.refunded`,
)
const readSums = sql<{ key_id: string } & Sum>(
  'SELECT key_id, charged, refunded FROM ledger_sums WHERE day = ?',
)
const close = sql(
  'UPDATE ledger_checkpoints SET sums_digest = ?, public_key = ?, signature = ? WHERE day = ?',
)
const oldestWhole = sql<CheckpointRow>(
  `SELECT ${columns} FROM ledger_checkpoints
   WHERE signature IS NOT NULL AND day < ? AND pruned_id < through_id ORDER BY day LIMIT 1`,
)
const forget = sql(`DELETE FROM ledger WHERE id > ? AND id <= ? AND kind IN ('charge', 'refund')`)
const notePruned = sql('UPDATE ledger_checkpoints SET pruned_id = ? WHERE day = ?')

const dayMs = 86_400_000
const toDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
const endOf = (day: string): number => Date.parse(day) + dayMs

/** A day's rows are not those that it was signed for: they are let go of no more. */
class LedgerChanged extends Error {
  override name = 'LedgerChanged'
}

/** What a day's digest begins with. */
export const firstDigest = '0'.repeat(64)

/** Each row's digest holds that of the row before, so that rows may come in parts of any size. */
export const digestRows = (digest: string, rows: readonly ArchiveRow[]): string =>
  rows.reduce((before, row) => hash('sha256', before + toLine(row)), digest)

/** A line of an archive, the same on both engines. */
export const toLine = ({ id, key_id, kind, units, ref, at_ms }: ArchiveRow): string =>
  JSON.stringify([id, key_id, kind, units, ref, at_ms])

/** Adds rows to what charges and refunds come to for each key. */
export function addRows(sums: Map<string, Sum>, rows: readonly ArchiveRow[]): void {
  for (const { key_id, kind, units } of rows) {
    const { charged, refunded } = sums.get(key_id) ?? { charged: 0, refunded: 0 }
    if (kind === 'charge') sums.set(key_id, { charged: charged - units, refunded })
    if (kind === 'refund') sums.set(key_id, { charged, refunded: refunded + units })
  }
}

/** Of the keys in the order of their code units, whatever a database's collation. */
export function digestSums(sums: ReadonlyMap<string, Sum>): string {
  const lines = [...sums].map(([keyId, { charged, refunded }]) =>
    JSON.stringify([keyId, charged, refunded]),
  )
  return hash('sha256', lines.sort().join('\n'))
}

export function* digestKeptSums(day: string): Program<string> {
  const rows = yield* readSums.all(day)
  return digestSums(new Map(rows.map(({ key_id, ...sum }) => [key_id, sum])))
}

/** What a signature is of. */
export const toSigned = ({ checkpoint, before }: LinkedDay): string => {
  const { day, afterId, throughId, entries, digest, sumsDigest } = checkpoint
  return `forkyard ledger ${JSON.stringify([day, afterId, throughId, entries, digest, sumsDigest, before])}`
}

/** What a day's signature holds of the days before it. */
export const linkAfter = (last: LinkedDay | undefined): string =>
  last ? hash('sha256', toSigned(last)) : firstDigest

export function linkDays(checkpoints: readonly Checkpoint[]): readonly LinkedDay[] {
  const days: LinkedDay[] = []
  for (const checkpoint of checkpoints) days.push({ checkpoint, before: linkAfter(days.at(-1)) })
  return days
}

const toCheckpoint = (row: CheckpointRow): Checkpoint => ({
  day: row.day,
  afterId: row.after_id,
  throughId: row.through_id,
  entries: row.entries,
  digest: row.digest,
  sumsDigest: row.sums_digest,
  publicKey: row.public_key,
  signature: row.signature,
  prunedId: row.pruned_id,
})

export function* listCheckpoints(): Program<readonly Checkpoint[]> {
  return (yield* all.all()).map(toCheckpoint)
}

export const readArchive = (
  { afterId, throughId }: Pick<Checkpoint, 'afterId' | 'throughId'>,
  most: number,
): Program<readonly ArchiveRow[]> => readRows.all(afterId, throughId, most)

const noLastRow = Number.MAX_SAFE_INTEGER

/**
 * The day that is being taken in: the open one, or that of the first row that no checkpoint holds. Where that
 * row is from ahead of now a clock has been set back since, and the day is that of the earliest row.
 */
function* findDay(last: CheckpointRow | undefined, latestMs: number): Program<string | undefined> {
  if (last?.signature === null) return last.day
  const afterId = last?.through_id ?? 0
  const [first] = yield* readRows.all(afterId, noLastRow, 1)
  if (!first) return undefined
  let { at_ms: atMs } = first
  if (atMs > latestMs) atMs = (yield* readEarliest.get(afterId))?.at_ms ?? atMs
  // A clock that was set back takes nothing into a day that is signed.
  return toDay(Math.max(atMs, last ? endOf(last.day) : 0))
}

/** The newest row at some moment, and who was writing then and is still. */
type Look = { readonly id: number; readonly writers: readonly string[] }

/**
 * Rows have numbers before others see them, which are drawn in order by who is a writer already: once all have
 * ended who were when the newest row was seen, nobody writes any more up to it, however long he slept. The row is
 * read first.
 */
function* lookAtWriters(before: Look | undefined): Program<Look> {
  const id = before?.id ?? (yield* newestRow.count())
  const writers = yield* listWriters('ledger')
  return { id, writers: before ? writers.filter((one) => before.writers.includes(one)) : writers }
}

type Advance = Parameters<Checkpoints['advance']>[0] & { readonly settledId: number }

function* advance({
  nowMs,
  marginMs,
  most,
  sign,
  settledId,
}: Advance): Program<boolean | 'unsettled'> {
  yield* lock(checkpointing)
  const last = yield* newest.get()
  const latestMs = nowMs + marginMs
  const day = yield* findDay(last, latestMs)
  if (day === undefined || nowMs < endOf(day) + marginMs) return false
  const afterId = last?.through_id ?? 0
  const digest = last?.day === day ? last.digest : firstDigest
  const rows = yield* readRows.all(afterId, noLastRow, most)
  const isOfLater = ({ at_ms }: ArchiveRow) => at_ms >= endOf(day) && at_ms <= latestMs
  const later = rows.findIndex(isOfLater)
  const taken = later < 0 ? rows : rows.slice(0, later)
  const throughId = taken.at(-1)?.id
  if (throughId !== undefined && throughId > settledId) return 'unsettled'
  if (last?.day !== day) yield* open.run(day, afterId, afterId, digest, afterId)
  if (throughId === undefined) return yield* closeDay(day, sign)
  yield* extend.run(throughId, taken.length, digestRows(digest, taken), day)
  yield* addSums.run({ day, afterId, throughId })
  return true
}

function* closeDay(day: string, sign: SignCheckpoint): Program<boolean> {
  const linked = linkDays(yield* listCheckpoints()).at(-1)
  if (!linked) throw new Error(`there is no checkpoint of ${day}`)
  const sumsDigest = yield* digestKeptSums(day)
  const checkpoint = { ...linked.checkpoint, sumsDigest }
  const { publicKey, signature } = sign(toSigned({ ...linked, checkpoint }))
  yield* close.run(sumsDigest, publicKey, signature, day)
  return true
}

function* prune({
  nowMs,
  detailDays,
  most,
}: Parameters<Checkpoints['prune']>[0]): Program<boolean> {
  yield* lock(checkpointing)
  const last = yield* newest.get()
  const row = yield* oldestWhole.get(toDay(nowMs - detailDays * dayMs))
  if (!last || !row) return false
  // SQLite numbers a row after the newest there is: the last one that a checkpoint holds stays until another
  // holds more, or what came next would have a number of its.
  const untilId = Math.min(row.through_id, last.through_id - 1)
  if (untilId <= row.pruned_id) return false
  if (row.pruned_id === row.after_id) yield* requireWhole(row)
  const rows = yield* readRows.all(row.pruned_id, untilId, most)
  const throughId = rows.at(-1)?.id ?? untilId
  yield* forget.run(row.pruned_id, throughId)
  yield* notePruned.run(throughId, row.day)
  return true
}

function* requireWhole({ day, after_id, through_id, entries }: CheckpointRow): Program<void> {
  const count = yield* rowsOf.count(after_id, through_id)
  if (count !== entries) throw new LedgerChanged(`${day} has ${count} rows of ${entries}`)
}

export function createCheckpoints(engine: Engine): Checkpoints {
  let settledId = 0
  let look: Look | undefined
  return {
    async advance(request) {
      for (;;) {
        const taken = await engine.write(function* () {
          const nowMs = yield* engine.clock(request.nowMs)
          return yield* advance({ ...request, nowMs, settledId })
        })
        if (taken !== 'unsettled') return taken
        look = await engine.write(() => lookAtWriters(look))
        if (look.writers.length > 0) return false
        settledId = look.id
        look = undefined
      }
    },
    prune: (request) =>
      engine.write(function* () {
        return yield* prune({ ...request, nowMs: yield* engine.clock(request.nowMs) })
      }),
    list: () => engine.read(listCheckpoints),
    rows: ({ most, ...range }) => engine.read(() => readArchive(range, most)),
  }
}
