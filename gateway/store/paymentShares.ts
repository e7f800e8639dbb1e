import type { Dialect } from './dialect.ts'
import { type Balance, credit, lockBalances } from './ledger.ts'
import { type Program, sql } from './program.ts'

/**
 * Migration 009. What of a transaction's payments another key than its holder has: `kept` was spent before a
 * stronger proof took the rest over, `owed` was taken back by a reorganisation and has not come again.
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

/**
 * Migration 026. The same by source, so that one payment never repays what was had of another: `held` is what a
 * key has of it, as its holder and beside it. Sums stay in `payment_shares`; what these parts lack of a key's
 * sums a gateway of an earlier release has written, and any payment of the transaction may be its source.
 */
export const paymentPartsSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE payment_parts (
  chain_id ${integer} NOT NULL,
  tx_hash TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  source TEXT NOT NULL,
  held ${integer} NOT NULL CHECK (held >= 0),
  owed ${integer} NOT NULL CHECK (owed >= 0),
  PRIMARY KEY (chain_id, tx_hash, key_id, source)
) ${keyedTable};
`

export type PaidBy = { readonly chainId: number; readonly txHash: string }
/** A row of the payments. */
type Holding = { readonly key_id: string; readonly quotes: number; readonly state: string }
type Part = { readonly held: number; readonly owed: number }
type Share = { readonly keyId: string; kept: number; readonly parts: Map<string, Part> }

const listSums = sql<{ readonly key_id: string; readonly kept: number; readonly owed: number }>(
  'SELECT key_id, kept, owed FROM payment_shares WHERE chain_id = ? AND tx_hash = ? ORDER BY key_id',
)
const listParts = sql<Part & { readonly key_id: string; readonly source: string }>(
  `SELECT key_id, source, held, owed FROM payment_parts WHERE chain_id = ? AND tx_hash = ?
   ORDER BY key_id, source`,
)
const putSums = sql(
  `INSERT INTO payment_shares (chain_id, tx_hash, key_id, kept, owed)
   VALUES (@chainId, @txHash, @keyId, @kept, @owed)
   ON CONFLICT (chain_id, tx_hash, key_id) DO UPDATE SET kept = excluded.kept, owed = excluded.owed`,
)
const putPart = sql(
  `INSERT INTO payment_parts (chain_id, tx_hash, key_id, source, held, owed)
   VALUES (@chainId, @txHash, @keyId, @source, @held, @owed)
   ON CONFLICT (chain_id, tx_hash, key_id, source)
     DO UPDATE SET held = excluded.held, owed = excluded.owed`,
)

/** No row has it: what is left of a key's sums. */
const unknown = ''
const none: Part = { held: 0, owed: 0 }

function toParts(known: readonly (Part & { readonly source: string })[], sums: Part) {
  let { held, owed } = sums
  const parts = new Map<string, Part>()
  for (const { source, ...row } of known) {
    const part = { held: Math.min(row.held, held), owed: Math.min(row.owed, owed) }
    held -= part.held
    owed -= part.owed
    parts.set(source, part)
  }
  return parts.set(unknown, { held, owed })
}

const sumOwed = ({ parts }: Share) => [...parts.values()].reduce((sum, { owed }) => sum + owed, 0)

/** Every key that has or had something of the transaction, and `keyId`. */
function* readShares(
  paid: PaidBy,
  { rows, keyId }: { readonly rows: readonly Holding[]; readonly keyId: string | undefined },
): Program<ReadonlyMap<string, Share>> {
  const sums = new Map(
    (yield* listSums.all(paid.chainId, paid.txHash)).map((row) => [row.key_id, row]),
  )
  const known = Map.groupBy(yield* listParts.all(paid.chainId, paid.txHash), (row) => row.key_id)
  const held = new Map<string, number>(keyId === undefined ? [] : [[keyId, 0]])
  for (const { key_id, quotes, state } of rows)
    held.set(key_id, (held.get(key_id) ?? 0) + (state === 'orphaned' ? 0 : quotes))
  for (const { key_id, kept } of sums.values()) held.set(key_id, (held.get(key_id) ?? 0) + kept)
  const shares = new Map<string, Share>()
  for (const [id, ofKey] of [...held].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { kept = 0, owed = 0 } = sums.get(id) ?? {}
    shares.set(id, { keyId: id, kept, parts: toParts(known.get(id) ?? [], { held: ofKey, owed }) })
  }
  return shares
}

/**
 * Who has what of a transaction, and of which of its payments. The balances of all who may be touched are
 * locked with the first reading, in one order: see `lockBalances`.
 */
export function* openShares(
  paid: PaidBy,
  of: { readonly rows: readonly Holding[]; readonly keyId?: string | undefined },
) {
  const shares = yield* readShares(paid, { keyId: undefined, ...of })
  const balances = new Map<string, Balance>(yield* lockBalances([...shares.keys()]))
  const find = (keyId: string) => {
    const share = shares.get(keyId)
    if (!share) throw new Error(`${keyId} has no share of ${paid.txHash}`)
    return share
  }
  function* set({ keyId, parts }: Share, source: string, part: Part): Program<void> {
    parts.set(source, part)
    if (source !== unknown) yield* putPart.run({ ...paid, keyId, source, ...part })
  }
  /** Adds to what a key has of a source. What it has less of it comes off what it is not known to be of, too. */
  function* change(share: Share, source: string, { held, owed }: Part): Program<void> {
    const part = share.parts.get(source) ?? none
    const changed = { held: Math.max(0, part.held + held), owed: Math.max(0, part.owed + owed) }
    yield* set(share, source, changed)
    const rest = share.parts.get(unknown) ?? none
    share.parts.set(unknown, {
      held: rest.held + part.held + held - changed.held,
      owed: rest.owed + part.owed + owed - changed.owed,
    })
  }
  function* save(share: Share): Program<void> {
    const { keyId, kept } = share
    yield* putSums.run({ ...paid, keyId, kept, owed: sumOwed(share) })
  }
  const owedOf = ({ parts }: Share, source: string) =>
    (parts.get(source)?.owed ?? 0) + (parts.get(unknown)?.owed ?? 0)
  return {
    keyIds: [...shares.keys()],
    /** Unspent quotes of a locked key. */
    left: (keyId: string): number => balances.get(keyId)?.remaining ?? 0,
    /** What a payment of that source may repay it. */
    owed: (keyId: string, source: string): number => owedOf(find(keyId), source),
    *move({
      units,
      ...request
    }: {
      readonly keyId: string
      readonly kind: 'claim' | 'clawback'
      readonly units: number
      readonly ref: string
      readonly atMs: number
    }): Program<void> {
      if (units === 0) return
      yield* credit({ ...request, units })
      const { total = 0, used = 0 } = balances.get(request.keyId) ?? {}
      balances.set(request.keyId, { total: total + units, used, remaining: total + units - used })
    },
    /** As a payment's holder. */
    *give(keyId: string, { source, units }: Given): Program<void> {
      const share = find(keyId)
      const repaid = Math.min(units, owedOf(share, source))
      yield* change(share, source, { held: units, owed: -repaid })
      if (repaid > 0) yield* save(share)
    },
    /** Beside its holder, of what it is owed. */
    *repay(keyId: string, { source, units }: Given): Program<void> {
      if (units === 0) return
      const share = find(keyId)
      share.kept += units
      yield* change(share, source, { held: units, owed: -units })
      yield* save(share)
    },
    /** Its holder is another now, who takes `units`; the rest of the `quotes` was spent. */
    *handOver(
      keyId: string,
      { source, units, quotes }: Given & { readonly quotes: number },
    ): Program<void> {
      const share = find(keyId)
      share.kept += quotes - units
      yield* change(share, source, { held: -units, owed: 0 })
      yield* save(share)
    },
    /** Its block is no more; how many quotes it had beside the holders. */
    *lose(keyId: string): Program<number> {
      const share = find(keyId)
      const { kept } = share
      const holding = [...share.parts].filter(([, { held }]) => held > 0)
      share.kept = 0
      for (const [source, { held, owed }] of holding)
        yield* set(share, source, { held: 0, owed: owed + held })
      if (holding.length > 0) yield* save(share)
      return kept
    },
    /** Whether something that it had has not come again. */
    isOwed: (keyId: string): boolean => sumOwed(find(keyId)) > 0,
    /** Who had of it has it again, or it is another's: nothing of that source is owed. */
    *settle(source: string): Program<void> {
      for (const share of shares.values()) {
        const part = share.parts.get(source)
        if (!part?.owed) continue
        yield* set(share, source, { ...part, owed: 0 })
        yield* save(share)
      }
    },
  }
}
type Given = { readonly source: string; readonly units: number }
