import { sql } from './program.ts'
import type { BookRow, WindowRow } from './relayRows.ts'

/** A row for each attempt, with its transaction's columns. */
const book = (chosen: string, order: string) =>
  sql<BookRow>(
    `SELECT t.*, a.hash, a.raw, a.gas_limit, a.max_fee_per_gas_wei, a.max_priority_fee_per_gas_wei
     FROM relay_transactions t JOIN relay_attempts a ON a.transaction_id = t.id
     WHERE ${chosen} ORDER BY ${order}, a.number`,
  )

/** The most owners of one transaction. */
export const mostTogether = 16

function liveOf(owners: number) {
  const theirs = `owner IN (${Array.from({ length: owners }, (_, index) => `@owner${index}`)})`
  return book(
    `t.id IN (
       SELECT id FROM relay_transactions
         WHERE chain_id = @chainId AND ${theirs} AND status IN ('pending','mined')
       UNION ALL SELECT id FROM relay_transactions
         WHERE chain_id = @chainId AND signer = @signer AND nonce >= @chainNonce AND status = 'final'
           AND ${theirs}
       UNION ALL SELECT id FROM relay_transactions
         WHERE chain_id = @chainId AND marked_at_ms > @afterMs AND status IN ('failed','final_failed')
           AND ${theirs})`,
    't.id',
  )
}

/** The relay's SQL. */
export const relayStatements = {
  /** Of so many owners. Each part by an index of its own: the book only grows. */
  live: Array.from({ length: mostTogether }, (_, index) => liveOf(index + 1)),
  window: sql<WindowRow>(
    `SELECT id, reserved_wei, actual_wei, marked_at_ms FROM relay_transactions
       WHERE chain_id = ? AND marked_at_ms > ? ORDER BY marked_at_ms, id`,
  ),
  insert: sql<{ id: number }>(
    `INSERT INTO relay_transactions
       (chain_id, owner, signer, nonce, proxy, status, created_at_ms, marked_at_ms, reserved_wei)
     VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?) RETURNING id`,
  ),
  remark: sql('UPDATE relay_transactions SET marked_at_ms = ?, reserved_wei = ? WHERE id = ?'),
  insertAttempt: sql(
    `INSERT INTO relay_attempts (hash, transaction_id, number, raw, gas_limit,
       max_fee_per_gas_wei, max_priority_fee_per_gas_wei, created_at_ms)
     VALUES (?, ?, (SELECT count(*) FROM relay_attempts WHERE transaction_id = ?), ?, ?, ?, ?, ?)`,
  ),
  /** Of a deployment that was written just before. */
  insertFirst: sql(
    `INSERT INTO relay_attempts (hash, transaction_id, number, raw, gas_limit,
       max_fee_per_gas_wei, max_priority_fee_per_gas_wei, created_at_ms)
     VALUES (?, (SELECT id FROM relay_transactions WHERE chain_id = ? AND signer = ? AND nonce = ?),
       0, ?, ?, ?, ?, ?)`,
  ),
  open: book(`t.chain_id = ? AND t.status IN ('pending','mined','failed')`, 't.nonce, t.id'),
  forgotten: book(
    `t.chain_id = ? AND t.signer = ? AND t.nonce >= ? AND t.status IN ('final','final_failed','lost')
       AND NOT (t.status = 'lost' AND EXISTS (SELECT 1 FROM nonce_fills f
         WHERE f.chain_id = t.chain_id AND f.signer = t.signer AND f.nonce = t.nonce))`,
    't.nonce, t.id',
  ),
  latest: book(
    `t.id IN (SELECT id FROM relay_transactions WHERE chain_id = coalesce(?, chain_id)
       ORDER BY id DESC LIMIT ?)`,
    't.id DESC',
  ),
  find: sql<{ chain_id: number }>('SELECT chain_id FROM relay_transactions WHERE id = ?'),
  // A row that another of its owner has overtaken stays what it was: one live row per owner.
  settle: sql(
    `UPDATE relay_transactions SET status = @status, block_number = @blockNumber,
       block_hash = @blockHash, mined_hash = @minedHash, actual_wei = @actualWei
     WHERE id = @id AND status = @from AND NOT (@isLive = 1 AND EXISTS (
       SELECT 1 FROM relay_transactions other WHERE other.chain_id = relay_transactions.chain_id
         AND other.owner = relay_transactions.owner AND other.id <> @id
         AND other.status IN ('pending','mined')))`,
  ),
  inStatus: sql(
    'SELECT count(*) AS count FROM relay_transactions WHERE chain_id = ? AND status = ?',
  ),
  pause: sql(
    `INSERT INTO relay_chains (chain_id, paused_reason, paused_at_ms) VALUES (?, ?, ?)
     ON CONFLICT (chain_id) DO UPDATE
       SET paused_reason = excluded.paused_reason, paused_at_ms = excluded.paused_at_ms`,
  ),
  resume: sql(
    'UPDATE relay_chains SET paused_reason = NULL, paused_at_ms = NULL WHERE chain_id = ?',
  ),
}
