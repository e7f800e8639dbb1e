import { hash } from 'node:crypto'
import type { Engine } from './engine.ts'
import { lock, type Program, sql } from './program.ts'

/** Of one day; `digest` and what follows are final when it is signed. */
export type Checkpoint = {
  /** As 2027-01-31, in UTC. */
  readonly day: string
  /** It holds the rows after this one … */
  readonly afterId: number
  /** … through this one. */
  readonly throughId: number
  readonly entries: number
  /** SHA-256 of the rows, over that of the day before. */
  readonly digest: string
  /** SHA-256 of what charges and refunds came to for each key; none while the day is open. */
  readonly sumsDigest: string | null
  readonly publicKey: string | null
  readonly signature: string | null
  /** Charges and refunds through this row have gone. */
  readonly prunedId: number
}

/** A row of the ledger, as digests and archives have it. */
export type ArchiveRow = {
  readonly id: number
  readonly key_id: string
  readonly kind: string
  readonly units: number
  readonly ref: string
  readonly at_ms: number
}

/** Signs a closed checkpoint's text. */
export type SignCheckpoint = (text: string) => {
  readonly publicKey: string
  readonly signature: string
}

export type Checkpoints = {
  /** Takes some more rows of days that are over into their checkpoints; false when there are none left. */
  advance(request: {
    readonly nowMs: number
    /** A row may show up so long after its time, and no later. */
    readonly marginMs: number
    readonly most: number
    readonly sign: SignCheckpoint
  }): Promise<boolean>
  /** Lets go of some charges and refunds of signed days before this one; false when there are none left. */
  prune(request: { readonly beforeDay: string; readonly most: number }): Promise<boolean>
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
const readSums = sql<{ key_id: string; charged: number; refunded: number }>(
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
export const toDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
const endOf = (day: string): number => Date.parse(day) + dayMs

/** Before the first row of all. */
export const firstDigest = '0'.repeat(64)

/** Each row's digest holds that of the row before, so that rows may come in parts of any size. */
export const digestRows = (digest: string, rows: readonly ArchiveRow[]): string =>
  rows.reduce((before, row) => hash('sha256', before + toLine(row)), digest)

/** A line of an archive, the same on both engines. */
export const toLine = ({ id, key_id, kind, units, ref, at_ms }: ArchiveRow): string =>
  JSON.stringify([id, key_id, kind, units, ref, at_ms])

/** Of the keys in the order of their code units, whatever a database's collation. */
export function* digestSums(day: string): Program<string> {
  const lines = (yield* readSums.all(day)).map(({ key_id, charged, refunded }) =>
    JSON.stringify([key_id, charged, refunded]),
  )
  return hash('sha256', lines.sort().join('\n'))
}

/** What a signature is of. */
export const toSigned = ({
  day,
  afterId,
  throughId,
  entries,
  digest,
  sumsDigest,
}: Checkpoint): string =>
  `forkyard ledger ${JSON.stringify([day, afterId, throughId, entries, digest, sumsDigest])}`

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

/** The day that is being taken in: the open one, or that of the first row that no checkpoint holds. */
function* findDay(last: CheckpointRow | undefined): Program<string | undefined> {
  if (last?.signature === null) return last.day
  const [first] = yield* readRows.all(last?.through_id ?? 0, noLastRow, 1)
  if (!first) return undefined
  // A clock that was set back takes nothing into a day that is signed.
  return toDay(Math.max(first.at_ms, last ? endOf(last.day) : 0))
}

type Advance = Parameters<Checkpoints['advance']>[0]

function* advance({ nowMs, marginMs, most, sign }: Advance): Program<boolean> {
  yield* lock('ledger checkpoints')
  const last = yield* newest.get()
  const day = yield* findDay(last)
  if (day === undefined || nowMs < endOf(day) + marginMs) return false
  const afterId = last?.through_id ?? 0
  const digest = last?.digest ?? firstDigest
  if (day !== last?.day) yield* open.run(day, afterId, afterId, digest, afterId)
  const rows = yield* readRows.all(afterId, noLastRow, most)
  const taken = rows.slice(0, rows.findLastIndex(({ at_ms }) => at_ms < endOf(day)) + 1)
  const throughId = taken.at(-1)?.id
  if (throughId === undefined) return yield* closeDay(day, sign)
  yield* extend.run(throughId, taken.length, digestRows(digest, taken), day)
  yield* addSums.run({ day, afterId, throughId })
  return true
}

function* closeDay(day: string, sign: SignCheckpoint): Program<boolean> {
  const row = yield* newest.get()
  if (!row) throw new Error(`there is no checkpoint of ${day}`)
  const sumsDigest = yield* digestSums(day)
  const { publicKey, signature } = sign(toSigned({ ...toCheckpoint(row), sumsDigest }))
  yield* close.run(sumsDigest, publicKey, signature, day)
  return true
}

function* prune({ beforeDay, most }: Parameters<Checkpoints['prune']>[0]): Program<boolean> {
  yield* lock('ledger checkpoints')
  const row = yield* oldestWhole.get(beforeDay)
  if (!row) return false
  const rows = yield* readRows.all(row.pruned_id, row.through_id, most)
  const throughId = rows.at(-1)?.id ?? row.through_id
  yield* forget.run(row.pruned_id, throughId)
  yield* notePruned.run(throughId, row.day)
  return true
}

export function createCheckpoints(engine: Engine): Checkpoints {
  return {
    advance: (request) =>
      engine.write(function* () {
        return yield* advance({ ...request, nowMs: yield* engine.clock(request.nowMs) })
      }),
    prune: (request) => engine.write(() => prune(request)),
    list: () => engine.read(listCheckpoints),
    rows: ({ most, ...range }) => engine.read(() => readArchive(range, most)),
  }
}
