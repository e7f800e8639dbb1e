import type { Dialect } from './dialect.ts'

/** Migration 001. Token amounts are decimal TEXT; quota units and milliseconds fit an INTEGER. */
export const accessSchema = ({ rowId, integer, bytes, table, keyedTable, appendOnly }: Dialect) => `
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  id_hash TEXT NOT NULL UNIQUE,
  secret_hash ${bytes} NOT NULL UNIQUE,
  start TEXT NOT NULL,
  label TEXT NOT NULL,
  wallet TEXT,
  scopes TEXT NOT NULL,
  created_at_ms ${integer} NOT NULL,
  revoked_at_ms ${integer}
) ${table};
CREATE UNIQUE INDEX keys_by_wallet ON keys (wallet) WHERE wallet IS NOT NULL AND revoked_at_ms IS NULL;

CREATE TABLE balances (
  key_id TEXT PRIMARY KEY REFERENCES keys (id),
  total ${integer} NOT NULL DEFAULT 0,
  used ${integer} NOT NULL DEFAULT 0 CHECK (used >= 0)
) ${keyedTable};

CREATE TABLE ledger (
  id ${rowId},
  key_id TEXT NOT NULL REFERENCES keys (id),
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'claim', 'clawback', 'charge', 'refund')),
  units ${integer} NOT NULL,
  ref TEXT NOT NULL,
  at_ms ${integer} NOT NULL
) ${table};
CREATE INDEX ledger_by_key ON ledger (key_id, id);
${appendOnly('ledger')}

CREATE TABLE challenges (
  nonce TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  chain_id ${integer} NOT NULL,
  message TEXT NOT NULL,
  expires_at_ms ${integer} NOT NULL
) ${keyedTable};
CREATE INDEX challenges_by_expiry ON challenges (expires_at_ms);

CREATE TABLE payments (
  chain_id ${integer} NOT NULL,
  tx_hash TEXT NOT NULL,
  log_index ${integer} NOT NULL,
  block_number ${integer} NOT NULL,
  block_hash TEXT NOT NULL,
  payer TEXT NOT NULL,
  amount TEXT NOT NULL,
  quotes ${integer} NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  proof ${integer} NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('credited', 'final', 'orphaned')),
  at_ms ${integer} NOT NULL,
  PRIMARY KEY (chain_id, tx_hash, log_index)
) ${keyedTable};
CREATE INDEX payments_open ON payments (chain_id, block_number) WHERE state = 'credited';

CREATE TABLE settlements (
  id ${rowId},
  chain_id ${integer} NOT NULL,
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  valid_before_secs ${integer} NOT NULL,
  from_block ${integer} NOT NULL,
  calldata TEXT NOT NULL,
  signer TEXT NOT NULL,
  signer_nonce ${integer} NOT NULL,
  gas_limit TEXT NOT NULL,
  max_fee_per_gas_wei TEXT NOT NULL,
  max_priority_fee_per_gas_wei TEXT NOT NULL,
  raw_tx TEXT NOT NULL,
  tx_hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('sent', 'settled', 'failed')),
  reason TEXT,
  created_at_ms ${integer} NOT NULL,
  signed_at_ms ${integer} NOT NULL,
  UNIQUE (chain_id, asset, payer, nonce),
  UNIQUE (chain_id, signer, signer_nonce)
) ${table};
CREATE INDEX settlements_by_age ON settlements (chain_id, created_at_ms);
CREATE INDEX settlements_open ON settlements (chain_id) WHERE state = 'sent';

CREATE TABLE idempotency (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint ${bytes} NOT NULL,
  status ${integer},
  body TEXT,
  at_ms ${integer} NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) ${keyedTable};
CREATE INDEX idempotency_by_age ON idempotency (at_ms);
`
