/** Synced pools, so that a restart need not read them from the chain again. Losing them costs time only. */
export const poolsSchema = `
CREATE TABLE pool_heads (
  chain_id INTEGER PRIMARY KEY,
  block_number TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  timestamp_secs TEXT NOT NULL
) STRICT;
CREATE TABLE pools (
  chain_id INTEGER NOT NULL,
  pool TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (chain_id, pool)
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens (
  chain_id INTEGER NOT NULL,
  token TEXT NOT NULL,
  symbol TEXT NOT NULL,
  decimals INTEGER NOT NULL,
  PRIMARY KEY (chain_id, token)
) STRICT, WITHOUT ROWID;
`
