import type { Dialect } from './dialect.ts'

/** `holder` is empty for slots that a formula gives for every holder. Units are decimal strings. */
export const balanceSlotsSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE balance_slots (
  chain_id ${integer} NOT NULL,
  token TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  holder TEXT NOT NULL,
  formula TEXT NOT NULL CHECK (formula IN ('solidity', 'vyper', 'solady', 'direct')),
  contract TEXT NOT NULL,
  base TEXT NOT NULL,
  shift_bits ${integer} NOT NULL,
  width_bits ${integer} NOT NULL,
  word_unit TEXT NOT NULL,
  balance_unit TEXT NOT NULL,
  PRIMARY KEY (chain_id, token, code_hash, holder)
) ${keyedTable};
`
