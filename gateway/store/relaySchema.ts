import type { Dialect } from './dialect.ts'

/**
 * Migration 002. Transactions the relay has signed. The row is the marker, the reservation of money and the nonce:
 * it is committed before its bytes are sent, and never deleted.
 *
 * pending: not in the canonical chain. mined, failed: in it (succeeded, reverted), not final.
 * final, final_failed: deep enough to stay. lost: another signer's transaction took the nonce.
 */
export const relaySchema = ({ rowId, integer, table }: Dialect) => `
CREATE TABLE relay_transactions (
  id ${rowId},
  chain_id ${integer} NOT NULL,
  owner TEXT NOT NULL,
  signer TEXT NOT NULL,
  nonce ${integer} NOT NULL,
  proxy TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending','mined','failed','final','final_failed','lost')),
  created_at_ms ${integer} NOT NULL,
  marked_at_ms ${integer} NOT NULL,
  reserved_wei TEXT NOT NULL,
  actual_wei TEXT,
  block_number ${integer},
  block_hash TEXT,
  mined_hash TEXT
) ${table};
CREATE UNIQUE INDEX relay_nonce ON relay_transactions (chain_id, signer, nonce);
CREATE UNIQUE INDEX relay_live_owner ON relay_transactions (chain_id, owner)
  WHERE status IN ('pending','mined');
CREATE INDEX relay_window ON relay_transactions (chain_id, marked_at_ms);
CREATE INDEX relay_open ON relay_transactions (chain_id, status);

CREATE TABLE relay_attempts (
  hash TEXT PRIMARY KEY,
  transaction_id ${integer} NOT NULL REFERENCES relay_transactions (id),
  number ${integer} NOT NULL,
  raw TEXT NOT NULL,
  gas_limit TEXT NOT NULL,
  max_fee_per_gas_wei TEXT NOT NULL,
  max_priority_fee_per_gas_wei TEXT NOT NULL,
  created_at_ms ${integer} NOT NULL,
  UNIQUE (transaction_id, number)
) ${table};

CREATE TABLE relay_chains (
  chain_id ${integer} PRIMARY KEY,
  clock_ms ${integer} NOT NULL DEFAULT 0,
  paused_reason TEXT,
  paused_at_ms ${integer}
) ${table};
`
