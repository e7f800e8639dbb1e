import type { Dialect } from './dialect.ts'
import { type Balance, credit, lockBalances } from './ledger.ts'
import { type Program, sql } from './program.ts'

/**
 * Migration 009. What of a transaction's payment another key than its holder has: `kept` was spent before a
 * stronger proof took the rest over, `owed` was spent and then taken back by a reorganisation.
 */
export const paymentSharesSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE payment_shares (
  chain_id ${integer} NOT NULL,
  tx_hash TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  kept ${integer} NOT NULL DEFAULT 0 CHECK (kept >= 0),
  owed ${integer} NOT NULL DEFAULT 0 CHECK (owed >= 0),
  PRIMARY KEY (chain_id, tx_hash, key_id)
) ${keyedTable};
`

export type PaidBy = { readonly chainId: number; readonly txHash: string }
type Share = { readonly key_id: string; readonly kept: number; readonly owed: number }

const list = sql<Share>(
  'SELECT key_id, kept, owed FROM payment_shares WHERE chain_id = ? AND tx_hash = ? ORDER BY key_id',
)
const change = sql(
  `INSERT INTO payment_shares (chain_id, tx_hash, key_id, kept, owed)
   VALUES (@chainId, @txHash, @keyId, @kept, @owed)
   ON CONFLICT (chain_id, tx_hash, key_id) DO UPDATE SET kept = excluded.kept, owed = excluded.owed`,
)

/**
 * Who has what of a transaction besides its payments' holders. The balances of all who may be touched are
 * locked with the first reading, in one order: see `lockBalances`.
 */
export function* openShares(
  paid: PaidBy,
  holders: readonly string[],
): Program<{
  /** Unspent quotes of a locked key. */
  left(keyId: string): number
  move(request: {
    readonly keyId: string
    readonly kind: 'claim' | 'clawback'
    readonly units: number
    readonly ref: string
    readonly atMs: number
  }): Program<void>
  keep(keyId: string, quotes: number): Program<void>
  owe(keyId: string, quotes: number): Program<void>
  /** Gives `keyId` up to so many quotes of what it is owed; how many those were. */
  repay(keyId: string, quotes: number): Program<void>
  list(): readonly Share[]
}> {
  const shares = new Map(
    (yield* list.all(paid.chainId, paid.txHash)).map((row) => [row.key_id, row]),
  )
  const balances = new Map<string, Balance>(yield* lockBalances([...holders, ...shares.keys()]))
  const find = (keyId: string) => shares.get(keyId) ?? { key_id: keyId, kept: 0, owed: 0 }
  function* put(share: Share): Program<void> {
    shares.set(share.key_id, share)
    const { key_id: keyId, kept, owed } = share
    yield* change.run({ ...paid, keyId, kept, owed })
  }
  return {
    left: (keyId) => balances.get(keyId)?.remaining ?? 0,
    *move({ units, ...request }) {
      if (units === 0) return
      yield* credit({ ...request, units })
      const { total = 0, used = 0 } = balances.get(request.keyId) ?? {}
      balances.set(request.keyId, { total: total + units, used, remaining: total + units - used })
    },
    *keep(keyId, quotes) {
      const share = find(keyId)
      if (quotes !== 0) yield* put({ ...share, kept: share.kept + quotes })
    },
    *owe(keyId, quotes) {
      const share = find(keyId)
      if (quotes !== 0) yield* put({ ...share, owed: share.owed + quotes })
    },
    *repay(keyId, quotes) {
      const share = find(keyId)
      const repaid = Math.min(share.owed, quotes)
      if (repaid > 0) yield* put({ ...share, owed: share.owed - repaid })
    },
    list: () => [...shares.values()],
  }
}
