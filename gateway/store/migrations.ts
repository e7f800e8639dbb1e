import { accessSchema } from './accessSchema.ts'
import { balanceSlotsSchema } from './balanceSlotsSchema.ts'
import { chargeFencesSchema } from './chargeFences.ts'
import { checkpointsSchema } from './checkpointsSchema.ts'
import type { Dialect } from './dialect.ts'
import { feedsSchema } from './feedsSchema.ts'
import { gatewaySettingsSchema } from './gatewaySettings.ts'
import { keySecretsSchema } from './keySecrets.ts'
import { nodeLimitsSchema } from './nodeLimits.ts'
import { nonceFillsSchema } from './nonces.ts'
import { operatorLogSchema } from './operatorLog.ts'
import { paymentPartsSchema, paymentSharesSchema } from './paymentShares.ts'
import { plansSchema } from './plans.ts'
import { poolsSchema } from './poolsSchema.ts'
import { relayAdmissionsSchema } from './relayAdmissions.ts'
import { relaySchema } from './relaySchema.ts'
import { settlementNewcomersSchema } from './settlementNewcomers.ts'
import { settlementPartiesSchema } from './settlementParties.ts'
import { relayLimitsSchema, settlementCapsSchema } from './sharedCaps.ts'

export type Migration = {
  readonly id: number
  readonly name: string
  readonly schema: (dialect: Dialect) => string
  /**
   * The last migration that a gateway must know to go on beside this one, where this one only adds what older
   * gateways never look at. Absent: itself, and older gateways are refused.
   */
  readonly needs?: number
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

/** A charge that is given back beside others of its minute leaves no row; money that came or went always does. */
const mergedRefunds = ({ appendOnlyBut }: Dialect) => `
${appendOnlyBut('ledger', 'charge')}
CREATE INDEX ledger_refunds ON ledger (key_id, id) WHERE kind = 'refund';
`

/** Who holds a name; and wallets whose keys were revoked for abuse. */
const heldNames = `
ALTER TABLE idempotency ADD COLUMN holder TEXT;
ALTER TABLE keys ADD COLUMN abuse TEXT;
CREATE INDEX keys_of_wallet ON keys (wallet) WHERE wallet IS NOT NULL;
`

/** A contract's wallet is one of a chain. Keys from before have none and count everywhere, as they did. */
const walletsOfChains = ({ integer }: Dialect) => `
ALTER TABLE keys ADD COLUMN wallet_chain_id ${integer};
DROP INDEX keys_by_wallet;
CREATE UNIQUE INDEX keys_by_wallet ON keys (wallet, (COALESCE(wallet_chain_id, 0)))
  WHERE wallet IS NOT NULL AND revoked_at_ms IS NULL;
`

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
  { id: 9, name: 'shares of payments', schema: paymentSharesSchema },
  { id: 10, name: 'fills of missing nonces', schema: nonceFillsSchema },
  { id: 11, name: 'one row for the refunds of a minute', schema: mergedRefunds },
  { id: 12, name: 'who had a proxy sponsored this hour', schema: relayAdmissionsSchema },
  { id: 13, name: 'who failed to settle', schema: settlementPartiesSchema },
  { id: 14, name: 'holders of names, wallets barred for abuse', schema: () => heldNames },
  { id: 15, name: 'limits of the gateways', schema: relayLimitsSchema },
  { id: 16, name: 'fences of charges', schema: chargeFencesSchema },
  { id: 17, name: 'limits of nodes', schema: nodeLimitsSchema },
  { id: 18, name: 'keys that have settled', schema: settlementNewcomersSchema },
  { id: 19, name: 'caps of settlements', schema: settlementCapsSchema },
  { id: 20, name: 'further secrets of keys', schema: keySecretsSchema, needs: 19 },
  { id: 21, name: "log of operators' commands", schema: operatorLogSchema, needs: 19 },
  { id: 22, name: 'settings of the gateways', schema: gatewaySettingsSchema, needs: 19 },
  { id: 23, name: 'checkpoints of the ledger', schema: checkpointsSchema, needs: 19 },
  { id: 24, name: 'plans of keys', schema: plansSchema, needs: 19 },
  { id: 25, name: 'wallets of one chain', schema: walletsOfChains, needs: 19 },
  { id: 26, name: 'shares of payments by source', schema: paymentPartsSchema, needs: 19 },
]
