import { accessSchema } from './accessSchema.ts'
import { balanceSlotsSchema } from './balanceSlotsSchema.ts'
import type { Dialect } from './dialect.ts'
import { feedsSchema } from './feedsSchema.ts'
import { poolsSchema } from './poolsSchema.ts'
import { relaySchema } from './relaySchema.ts'

export type Migration = {
  readonly id: number
  readonly name: string
  readonly schema: (dialect: Dialect) => string
}

/** A raised settlement counts anew for the hour it is signed in. */
const settlementsBySigning = `
DROP INDEX settlements_by_age;
CREATE INDEX settlements_by_signing ON settlements (chain_id, signed_at_ms);
`

/**
 * Payments that a reorganisation took back and that may come again. What an earlier version lost is looked
 * for once more.
 */
const lostPayments = ({ integer }: Dialect) => `
ALTER TABLE payments ADD COLUMN lost_at_block ${integer};
UPDATE payments SET lost_at_block = block_number WHERE state = 'orphaned';
CREATE INDEX payments_lost ON payments (chain_id) WHERE lost_at_block IS NOT NULL;
`

/** Slots of single holders, whom callers choose, are kept no more. */
const noSlotsOfHolders = `DELETE FROM balance_slots WHERE holder <> '';`

/** In order, each applied once, on both engines. A landed one is never edited; a change is a new row. */
export const migrations: readonly Migration[] = [
  { id: 1, name: 'keys, quota ledger, payments', schema: accessSchema },
  { id: 2, name: 'relay transactions', schema: relaySchema },
  { id: 3, name: 'balance slots', schema: balanceSlotsSchema },
  { id: 4, name: 'synced pools', schema: poolsSchema },
  { id: 5, name: 'settlements by their last signature', schema: () => settlementsBySigning },
  { id: 6, name: 'feeds of pools and terms of office', schema: feedsSchema },
  { id: 7, name: 'payments lost in a reorganisation', schema: lostPayments },
  { id: 8, name: 'no balance slots of single holders', schema: () => noSlotsOfHolders },
]
