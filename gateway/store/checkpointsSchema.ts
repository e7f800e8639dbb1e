import type { Dialect } from './dialect.ts'

/**
 * Migration 23. What the ledger was through the end of a day: its rows in one digest that grows from day to
 * day, and what charges and refunds came to for each key, which stays when those rows go. Money that came or
 * went keeps its rows.
 */
export const checkpointsSchema = ({ integer, keyedTable, appendOnlyBut }: Dialect) => `
CREATE TABLE ledger_checkpoints (
  day TEXT NOT NULL PRIMARY KEY,
  after_id ${integer} NOT NULL,
  through_id ${integer} NOT NULL,
  entries ${integer} NOT NULL,
  digest TEXT NOT NULL,
  sums_digest TEXT,
  public_key TEXT,
  signature TEXT,
  pruned_id ${integer} NOT NULL
) ${keyedTable};

CREATE TABLE ledger_sums (
  day TEXT NOT NULL REFERENCES ledger_checkpoints (day),
  key_id TEXT NOT NULL REFERENCES keys (id),
  charged ${integer} NOT NULL,
  refunded ${integer} NOT NULL,
  PRIMARY KEY (day, key_id)
) ${keyedTable};
${appendOnlyBut('ledger', 'charge', 'refund')}
`
