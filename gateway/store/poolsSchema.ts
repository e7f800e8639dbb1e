import type { Dialect } from './dialect.ts'

/** Synced pools, so that a restart need not read them from the chain again. Losing them costs time only. */
export const poolsSchema = ({ integer, table, keyedTable }: Dialect) => `
CREATE TABLE pool_heads (
  chain_id ${integer} PRIMARY KEY,
  block_number TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  timestamp_secs TEXT NOT NULL
) ${table};
CREATE TABLE pools (
  chain_id ${integer} NOT NULL,
  pool TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (chain_id, pool)
) ${keyedTable};
CREATE TABLE tokens (
  chain_id ${integer} NOT NULL,
  token TEXT NOT NULL,
  symbol TEXT NOT NULL,
  decimals ${integer} NOT NULL,
  PRIMARY KEY (chain_id, token)
) ${keyedTable};
`
