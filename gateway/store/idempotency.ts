import { type Program, sql } from './program.ts'

export type StoredAnswer = { readonly status: number; readonly body: string }

type Found =
  | { readonly status: 'answered'; readonly answer: StoredAnswer }
  | { readonly status: 'in_progress' }
  | { readonly status: 'abandoned' }
  | { readonly status: 'mismatch' }

const keptMs = 24 * 3_600_000
/** A request that has no answer after this died with its process; its charge pays for the retry. */
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
  'INSERT INTO idempotency (key_id, idempotency_key, fingerprint, at_ms) VALUES (?, ?, ?, ?)',
)
const answer = sql(
  `UPDATE idempotency SET status = ?, body = ?
   WHERE key_id = ? AND idempotency_key = ? AND status IS NULL`,
)
const forget = sql(
  'DELETE FROM idempotency WHERE key_id = ? AND idempotency_key = ? AND status IS NULL',
)
const restart = sql('UPDATE idempotency SET at_ms = ? WHERE key_id = ? AND idempotency_key = ?')
const forgetOld = sql('DELETE FROM idempotency WHERE at_ms < ?')

type Id = { readonly keyId: string; readonly key: string }
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
  /** The charge that was paid stands for the retry. */
  takeOver: ({ keyId, key, atMs }: Request): Program<number> => restart.run(atMs, keyId, key),
  *begin({ keyId, key, fingerprint, atMs }: Request): Program<void> {
    yield* forgetOld.run(atMs - keptMs)
    yield* begin.run(keyId, key, fingerprint, atMs)
  },
  /** True when the request was still open: of two that ran for one key, the second changes nothing. */
  *finish({
    keyId,
    key,
    answer: stored,
  }: Id & { readonly answer: StoredAnswer | undefined }): Program<boolean> {
    const changes = stored
      ? yield* answer.run(stored.status, stored.body, keyId, key)
      : yield* forget.run(keyId, key)
    return changes === 1
  },
}
