import type { Database } from 'better-sqlite3'
import type { RelayStatus } from './relay.ts'
import type { AttemptRow, TransactionRow, WindowRow } from './relayRows.ts'

const columns = `SELECT * FROM relay_transactions`

/** The relay's SQL, prepared once. */
export function prepareRelayStatements(db: Database) {
  return {
    advanceClock: db.prepare<[number, number], { clock_ms: number }>(
      `INSERT INTO relay_chains (chain_id, clock_ms) VALUES (?, ?)
       ON CONFLICT (chain_id) DO UPDATE SET clock_ms = max(clock_ms, excluded.clock_ms)
       RETURNING clock_ms`,
    ),
    chain: db.prepare<[number], { clock_ms: number; paused_reason: string | null }>(
      'SELECT clock_ms, paused_reason FROM relay_chains WHERE chain_id = ?',
    ),
    live: db.prepare<[number, string, string, number, number], TransactionRow>(
      `${columns} WHERE chain_id = ? AND owner = ? AND (status IN ('pending','mined')
         OR (status = 'final' AND signer = ? AND nonce >= ?)
         OR (status IN ('failed','final_failed') AND marked_at_ms > ?)) ORDER BY id DESC LIMIT 1`,
    ),
    attempts: db.prepare<[number], AttemptRow>(
      'SELECT * FROM relay_attempts WHERE transaction_id = ? ORDER BY number',
    ),
    window: db.prepare<[number, number, number], WindowRow>(
      `SELECT reserved_wei, actual_wei, marked_at_ms FROM relay_transactions
         WHERE chain_id = ? AND marked_at_ms > ? AND id <> ? ORDER BY marked_at_ms`,
    ),
    insert: db.prepare(
      `INSERT INTO relay_transactions
         (chain_id, owner, signer, nonce, proxy, status, created_at_ms, marked_at_ms, reserved_wei)
       VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
    ),
    remark: db.prepare(
      'UPDATE relay_transactions SET marked_at_ms = ?, reserved_wei = ? WHERE id = ?',
    ),
    insertAttempt: db.prepare(
      `INSERT INTO relay_attempts (hash, transaction_id, number, raw, gas_limit,
         max_fee_per_gas_wei, max_priority_fee_per_gas_wei, created_at_ms)
       VALUES (?, ?, (SELECT count(*) FROM relay_attempts WHERE transaction_id = ?), ?, ?, ?, ?, ?)`,
    ),
    open: db.prepare<[number], TransactionRow>(
      `${columns} WHERE chain_id = ? AND status IN ('pending','mined','failed') ORDER BY nonce`,
    ),
    forgotten: db.prepare<[number, string, number], TransactionRow>(
      `${columns} WHERE chain_id = ? AND signer = ? AND nonce >= ?
         AND status IN ('final','final_failed') ORDER BY nonce`,
    ),
    latest: db.prepare<[number | null, number], TransactionRow>(
      `${columns} WHERE chain_id = coalesce(?, chain_id) ORDER BY id DESC LIMIT ?`,
    ),
    settle: db.prepare(
      `UPDATE OR IGNORE relay_transactions SET status = ?, block_number = ?, block_hash = ?, mined_hash = ?,
         actual_wei = ? WHERE id = ? AND status = ?`,
    ),
    count: db.prepare<[number, RelayStatus], { count: number }>(
      'SELECT count(*) AS count FROM relay_transactions WHERE chain_id = ? AND status = ?',
    ),
    pause: db.prepare(
      `INSERT INTO relay_chains (chain_id, paused_reason, paused_at_ms) VALUES (?, ?, ?)
       ON CONFLICT (chain_id) DO UPDATE
         SET paused_reason = excluded.paused_reason, paused_at_ms = excluded.paused_at_ms`,
    ),
    resume: db.prepare(
      'UPDATE relay_chains SET paused_reason = NULL, paused_at_ms = NULL WHERE chain_id = ?',
    ),
  }
}
