/** What a step of a checkpoint locks, and who takes rows away that it may be reading. */
export const checkpointing = 'ledger checkpoints'
/** The last row of the ledger that a checkpoint holds. */
export const checkpointed = '(SELECT COALESCE(MAX(through_id), 0) FROM ledger_checkpoints)'

/**
 * What the books say of each key, as a table of `key_id` and `units`: charges and refunds by their checkpoints,
 * whose rows may be gone, and by their rows since; all else by its rows.
 */
export const bookedUnits = `SELECT key_id, units FROM ledger
   WHERE kind NOT IN ('charge', 'refund') OR id > ${checkpointed}
   UNION ALL SELECT key_id, refunded - charged AS units FROM ledger_sums`
