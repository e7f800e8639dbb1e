import { type Program, sql } from './program.ts'

export type StoredAnswer = { readonly status: number; readonly body: string }

type Found =
  | { readonly status: 'answered'; readonly answer: StoredAnswer }
  | { readonly status: 'in_progress' }
  | { readonly status: 'abandoned' }
  | { readonly status: 'mismatch' }

/** Answers. */
const keptMs = 24 * 3_600_000
/** A request that has no answer after this died with its process; its charge pays for a retry, whenever. */
const abandonedMs = 60_000

const find = sql<{
  fingerprint: Buffer
  status: number | null
  body: string | null
  at_ms: number
}>(
  'SELECT fingerprint, status, body, at_ms FROM idempotency WHERE key_id = ? AND idempotency_key = ?',
)
const begin = sql(
  'INSERT INTO idempotency (key_id, idempotency_key, fingerprint, at_ms, holder) VALUES (?, ?, ?, ?, ?)',
)
const answer = sql(
  `UPDATE idempotency SET status = ?, body = ?
   WHERE key_id = ? AND idempotency_key = ? AND fingerprint = ? AND status IS NULL`,
)
const forget = sql(
  `DELETE FROM idempotency
   WHERE key_id = ? AND idempotency_key = ? AND status IS NULL AND coalesce(holder, '') = ?`,
)
const restart = sql(
  `UPDATE idempotency SET at_ms = ?, holder = ?
   WHERE key_id = ? AND idempotency_key = ? AND status IS NULL`,
)
/**
 * Only what was answered: by a clock that has jumped a running request is old, too, and without its row its
 * charge would never be given back.
 */
const forgetOld = sql('DELETE FROM idempotency WHERE at_ms < ? AND status IS NOT NULL')

type Id = {
  readonly keyId: string
  readonly key: string
  /** Of one request: who comes late after another has taken over changes nothing any more. */
  readonly holder?: string | undefined
}
type Request = Id & { readonly fingerprint: Buffer; readonly atMs: number }

/** Answers by `Idempotency-Key`; every part runs inside the caller's transaction. */
export const idempotency = {
  *find({ keyId, key, fingerprint, atMs }: Request): Program<Found | undefined> {
    const row = yield* find.get(keyId, key)
    if (!row) return undefined
    if (!row.fingerprint.equals(fingerprint)) return { status: 'mismatch' }
    if (row.status !== null)
      return { status: 'answered', answer: { status: row.status, body: row.body ?? '' } }
    return { status: atMs - row.at_ms < abandonedMs ? 'in_progress' : 'abandoned' }
  },
  /** The charge that was paid stands for the retry. 0 where the request has ended meanwhile. */
  takeOver: ({ keyId, key, atMs, holder = '' }: Request): Program<number> =>
    restart.run(atMs, holder, keyId, key),
  *begin({ keyId, key, fingerprint, atMs, holder = '' }: Request): Program<void> {
    yield* forgetOld.run(atMs - keptMs)
    yield* begin.run(keyId, key, fingerprint, atMs, holder)
  },
  /**
   * Of two that ran for one key the first answer stands, whoever has taken over: the charge pays for it, and is
   * given back to neither. False when it was given back already: then nothing pays for this answer.
   */
  *answer({
    keyId,
    key,
    fingerprint,
    answer: { status, body },
  }: Omit<Request, 'atMs'> & { readonly answer: StoredAnswer }): Program<boolean> {
    if ((yield* answer.run(status, body, keyId, key, fingerprint)) === 1) return true
    const row = yield* find.get(keyId, key)
    return row !== undefined && row.status !== null && row.fingerprint.equals(fingerprint)
  },
  /** True when the request was still open and nobody has taken over: its charge goes back. */
  *forget({ keyId, key, holder = '' }: Id): Program<boolean> {
    return (yield* forget.run(keyId, key, holder)) === 1
  },
}
