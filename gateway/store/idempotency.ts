import type { Database } from 'better-sqlite3'

export type StoredAnswer = { readonly status: number; readonly body: string }

type Found =
  | { readonly status: 'answered'; readonly answer: StoredAnswer }
  | { readonly status: 'in_progress' }
  | { readonly status: 'abandoned' }
  | { readonly status: 'mismatch' }

const keptMs = 24 * 3_600_000
/** A request that has no answer after this died with its process; its charge pays for the retry. */
const abandonedMs = 60_000

/** Answers by `Idempotency-Key`; every function runs inside the caller's transaction. */
export function createIdempotency(db: Database) {
  const find = db.prepare<
    [string, string],
    { fingerprint: Buffer; status: number | null; body: string | null; at_ms: number }
  >(
    'SELECT fingerprint, status, body, at_ms FROM idempotency WHERE key_id = ? AND idempotency_key = ?',
  )
  const begin = db.prepare<[string, string, Buffer, number]>(
    'INSERT INTO idempotency (key_id, idempotency_key, fingerprint, at_ms) VALUES (?, ?, ?, ?)',
  )
  const answer = db.prepare<[number, string, string, string]>(
    `UPDATE idempotency SET status = ?, body = ?
     WHERE key_id = ? AND idempotency_key = ? AND status IS NULL`,
  )
  const forget = db.prepare<[string, string]>(
    'DELETE FROM idempotency WHERE key_id = ? AND idempotency_key = ? AND status IS NULL',
  )
  const restart = db.prepare<[number, string, string]>(
    'UPDATE idempotency SET at_ms = ? WHERE key_id = ? AND idempotency_key = ?',
  )
  const forgetOld = db.prepare<[number]>('DELETE FROM idempotency WHERE at_ms < ?')

  return {
    find({
      keyId,
      key,
      fingerprint,
      atMs,
    }: {
      keyId: string
      key: string
      fingerprint: Buffer
      atMs: number
    }): Found | undefined {
      const row = find.get(keyId, key)
      if (!row) return undefined
      if (!row.fingerprint.equals(fingerprint)) return { status: 'mismatch' }
      if (row.status !== null)
        return { status: 'answered', answer: { status: row.status, body: row.body ?? '' } }
      return { status: atMs - row.at_ms < abandonedMs ? 'in_progress' : 'abandoned' }
    },
    /** The charge that was paid stands for the retry. */
    takeOver({ keyId, key, atMs }: { keyId: string; key: string; atMs: number }): void {
      restart.run(atMs, keyId, key)
    },
    begin({
      keyId,
      key,
      fingerprint,
      atMs,
    }: {
      keyId: string
      key: string
      fingerprint: Buffer
      atMs: number
    }): void {
      forgetOld.run(atMs - keptMs)
      begin.run(keyId, key, fingerprint, atMs)
    },
    /** True when the request was still open: of two that ran for one key, the second changes nothing. */
    finish({
      keyId,
      key,
      answer: stored,
    }: {
      keyId: string
      key: string
      answer: StoredAnswer | undefined
    }): boolean {
      const { changes } = stored
        ? answer.run(stored.status, stored.body, keyId, key)
        : forget.run(keyId, key)
      return changes === 1
    },
  }
}
