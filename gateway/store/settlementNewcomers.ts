import { type Program, sql } from './program.ts'

/** Migration 18: which keys have ever had a payment settled. */
export const settlementNewcomersSchema = () => `
CREATE INDEX settlements_of_known_keys ON settlements (key_id) WHERE state = 'settled';
`

/** What keys without a settled payment have of an hour, besides those that succeeded. */
export type Newcomers = {
  /** Whether the key that asks is one. */
  readonly isOne: boolean
  readonly count: number
  readonly spendWei: bigint
}

const isKnown = sql<{ id: number }>(
  `SELECT id FROM settlements WHERE key_id = ? AND state = 'settled' LIMIT 1`,
)
const spent = sql<{ gas_limit: string; max_fee_per_gas_wei: string }>(
  `SELECT gas_limit, max_fee_per_gas_wei FROM settlements s
     WHERE chain_id = ? AND signed_at_ms > ? AND state <> 'settled' AND NOT EXISTS
       (SELECT 1 FROM settlements o WHERE o.key_id = s.key_id AND o.state = 'settled')`,
)

export function* readNewcomers({
  chainId,
  keyId,
  afterMs,
}: {
  readonly chainId: number
  readonly keyId: string | undefined
  readonly afterMs: number
}): Program<Newcomers> {
  const rows = yield* spent.all(chainId, afterMs)
  const isOne = keyId === undefined || (yield* isKnown.get(keyId)) === undefined
  const worst = rows.map((row) => BigInt(row.gas_limit) * BigInt(row.max_fee_per_gas_wei))
  return { isOne, count: rows.length, spendWei: worst.reduce((sum, wei) => sum + wei, 0n) }
}
