/** Migration 001. Token amounts are decimal TEXT; quota units and milliseconds fit an INTEGER. */
export const accessSchema = `
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  id_hash TEXT NOT NULL UNIQUE,
  secret_hash BLOB NOT NULL UNIQUE,
  start TEXT NOT NULL,
  label TEXT NOT NULL,
  wallet TEXT,
  scopes TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX keys_by_wallet ON keys (wallet) WHERE wallet IS NOT NULL AND revoked_at_ms IS NULL;

CREATE TABLE balances (
  key_id TEXT PRIMARY KEY REFERENCES keys (id),
  total INTEGER NOT NULL DEFAULT 0,
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'claim', 'clawback', 'charge', 'refund')),
  units INTEGER NOT NULL,
  ref TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_key ON ledger (key_id, id);
CREATE TRIGGER ledger_is_append_only_u BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_append_only_d BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TABLE challenges (
  nonce TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  chain_id INTEGER NOT NULL,
  message TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX challenges_by_expiry ON challenges (expires_at_ms);

CREATE TABLE payments (
  chain_id INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  payer TEXT NOT NULL,
  amount TEXT NOT NULL,
  quotes INTEGER NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  proof INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('credited', 'final', 'orphaned')),
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (chain_id, tx_hash, log_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX payments_open ON payments (chain_id, block_number) WHERE state = 'credited';

CREATE TABLE settlements (
  id INTEGER PRIMARY KEY,
  chain_id INTEGER NOT NULL,
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  valid_before_secs INTEGER NOT NULL,
  from_block INTEGER NOT NULL,
  calldata TEXT NOT NULL,
  signer TEXT NOT NULL,
  signer_nonce INTEGER NOT NULL,
  gas_limit TEXT NOT NULL,
  max_fee_per_gas_wei TEXT NOT NULL,
  max_priority_fee_per_gas_wei TEXT NOT NULL,
  raw_tx TEXT NOT NULL,
  tx_hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('sent', 'settled', 'failed')),
  reason TEXT,
  created_at_ms INTEGER NOT NULL,
  signed_at_ms INTEGER NOT NULL,
  UNIQUE (chain_id, asset, payer, nonce),
  UNIQUE (chain_id, signer, signer_nonce)
) STRICT;
CREATE INDEX settlements_by_age ON settlements (chain_id, created_at_ms);
CREATE INDEX settlements_open ON settlements (chain_id) WHERE state = 'sent';

CREATE TABLE idempotency (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  status INTEGER,
  body TEXT,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at_ms);
`
