import { bookedUnits } from './bookedUnits.ts'
import { type Program, sql } from './program.ts'

/** A row that does not balance, said for an operator. */
export type Fault = { readonly check: string; readonly row: string; readonly found: string }

const balances = sql<{ key_id: string; balance: number; booked: number }>(
  `SELECT b.key_id, b.total - b.used AS balance, COALESCE(SUM(l.units), 0) AS booked
   FROM balances b LEFT JOIN (${bookedUnits}) l ON l.key_id = b.key_id
   GROUP BY b.key_id, b.total, b.used HAVING b.total - b.used <> COALESCE(SUM(l.units), 0)`,
)
const totals = sql<{ key_id: string; total: number; booked: number }>(
  `SELECT b.key_id, b.total, COALESCE(SUM(l.units), 0) AS booked
   FROM balances b LEFT JOIN ledger l
     ON l.key_id = b.key_id AND l.kind IN ('grant', 'claim', 'clawback')
   GROUP BY b.key_id, b.total HAVING b.total <> COALESCE(SUM(l.units), 0)`,
)
/** PostgreSQL's sums are of any size, and come as text. */
const credits = sql<{ ref: string; key_id: string; units: number }>(
  `SELECT ref, key_id, CAST(SUM(units) AS BIGINT) AS units FROM ledger
   WHERE kind IN ('claim', 'clawback') GROUP BY ref, key_id`,
)
const payments = sql<PaymentRow>(
  'SELECT chain_id, tx_hash, log_index, quotes, amount, key_id, state FROM payments',
)
const shares = sql<{ chain_id: number; tx_hash: string; key_id: string; kept: number }>(
  'SELECT chain_id, tx_hash, key_id, kept FROM payment_shares WHERE kept > 0',
)
/** A fill is signed once for each price, and where a deployment was lost. */
const twice = sql<{ chain_id: number; signer: string; nonce: number; uses: number }>(
  `SELECT chain_id, signer, nonce, COUNT(*) AS uses FROM (
     SELECT chain_id, signer, nonce FROM relay_transactions
     UNION ALL SELECT chain_id, lower(signer), signer_nonce FROM settlements
     UNION ALL SELECT DISTINCT chain_id, signer, nonce FROM nonce_fills f WHERE NOT EXISTS (
       SELECT 1 FROM relay_transactions t WHERE t.status = 'lost'
         AND t.chain_id = f.chain_id AND t.signer = f.signer AND t.nonce = f.nonce)) taken
   GROUP BY chain_id, signer, nonce HAVING COUNT(*) > 1`,
)
const unsigned = sql<{ id: number; chain_id: number; nonce: number }>(
  `SELECT t.id, t.chain_id, t.nonce FROM relay_transactions t
   WHERE NOT EXISTS (SELECT 1 FROM relay_attempts a WHERE a.transaction_id = t.id)`,
)
type PaymentRow = {
  readonly chain_id: number
  readonly tx_hash: string
  readonly log_index: number
  readonly quotes: number
  readonly amount: string
  readonly key_id: string
  readonly state: string
}

/** Everything that the rows say of one another. Reads only. */
export function* auditBooks({
  amountPerQuote,
}: {
  readonly amountPerQuote: bigint
}): Program<readonly Fault[]> {
  const faults: Fault[] = []
  for (const { key_id, balance, booked } of yield* balances.all())
    faults.push({ check: 'balance', row: key_id, found: `${balance}, its ledger ${booked}` })
  for (const { key_id, total, booked } of yield* totals.all())
    faults.push({ check: 'total', row: key_id, found: `${total}, its ledger ${booked}` })
  faults.push(
    ...judgePayments(yield* payments.all(), { held: yield* credits.all(), amountPerQuote }),
  )
  faults.push(
    ...judgeHolders(yield* payments.all(), {
      held: yield* credits.all(),
      kept: yield* shares.all(),
    }),
  )
  for (const { chain_id, signer, nonce, uses } of yield* twice.all())
    faults.push({ check: 'nonce', row: `${chain_id} ${signer} ${nonce}`, found: `${uses} intents` })
  for (const { id, chain_id, nonce } of yield* unsigned.all())
    faults.push({
      check: 'bytes',
      row: `${chain_id} relay ${id}`,
      found: `nonce ${nonce} has none`,
    })
  return faults
}

type Held = readonly { readonly ref: string; readonly key_id: string; readonly units: number }[]

/** No payment credits more quotes than it paid for. */
function judgePayments(
  rows: readonly PaymentRow[],
  { held, amountPerQuote }: { readonly held: Held; readonly amountPerQuote: bigint },
): readonly Fault[] {
  const paid = new Map<string, bigint>()
  for (const { chain_id, tx_hash, amount, state } of rows) {
    const tx = `${chain_id}:${tx_hash}`
    const worth = state === 'orphaned' ? 0n : BigInt(amount) / amountPerQuote
    paid.set(tx, (paid.get(tx) ?? 0n) + worth)
  }
  const credited = new Map<string, bigint>()
  for (const { ref, units } of held) {
    const tx = txOf(ref)
    credited.set(tx, (credited.get(tx) ?? 0n) + BigInt(units))
  }
  return [...credited].flatMap(([tx, units]) =>
    units === (paid.get(tx) ?? 0n)
      ? []
      : [{ check: 'payment', row: tx, found: `${units} credited, ${paid.get(tx) ?? 0n} paid` }],
  )
}

/** Each key has of a transaction what its payments and shares say. */
function judgeHolders(
  rows: readonly PaymentRow[],
  {
    held,
    kept,
  }: {
    readonly held: Held
    readonly kept: readonly { chain_id: number; tx_hash: string; key_id: string; kept: number }[]
  },
): readonly Fault[] {
  const due = new Map<string, number>()
  const add = (name: string, units: number) => due.set(name, (due.get(name) ?? 0) + units)
  for (const { chain_id, tx_hash, key_id, quotes, state } of rows)
    if (state !== 'orphaned') add(`${chain_id}:${tx_hash} ${key_id}`, -quotes)
  for (const { chain_id, tx_hash, key_id, kept: units } of kept)
    add(`${chain_id}:${tx_hash} ${key_id}`, -units)
  for (const { ref, key_id, units } of held) add(`${txOf(ref)} ${key_id}`, units)
  return [...due].flatMap(([row, units]) =>
    units === 0 ? [] : [{ check: 'holder', row, found: `${units} more in the ledger` }],
  )
}

const txOf = (ref: string) => ref.split(':').slice(0, 2).join(':')

/** A row that names a transaction of a chain. */
export type ChainRow = {
  readonly chain_id: number
  readonly what: 'payment' | 'relay' | 'settlement' | 'fill'
  readonly tx_hash: string
  readonly block_hash: string | null
  readonly booked_wei: string | null
  /** Of a payment: the log that it is, and what was credited for. */
  readonly log_index: number | null
  readonly amount: string | null
}

const chainRows = sql<ChainRow>(
  `SELECT chain_id, 'payment' AS what, tx_hash, block_hash, NULL AS booked_wei, log_index, amount FROM (
     SELECT chain_id, tx_hash, block_hash, log_index, amount FROM payments WHERE state <> 'orphaned'
     ORDER BY block_number DESC LIMIT @limit) newest_payments
   UNION ALL SELECT chain_id, 'relay', mined_hash, block_hash, actual_wei, NULL, NULL FROM (
     SELECT chain_id, mined_hash, block_hash, actual_wei FROM relay_transactions
     WHERE mined_hash IS NOT NULL AND status <> 'pending'
     ORDER BY id DESC LIMIT @limit) newest_deployments
   UNION ALL SELECT chain_id, 'settlement', tx_hash, NULL, NULL, NULL, NULL FROM (
     SELECT chain_id, tx_hash FROM settlements WHERE state = 'settled'
     ORDER BY id DESC LIMIT @limit) newest_settlements
   UNION ALL SELECT chain_id, 'fill', tx_hash, NULL, reserved_wei, NULL, NULL FROM (
     SELECT chain_id, tx_hash, reserved_wei FROM nonce_fills
     ORDER BY signed_at_ms DESC LIMIT @limit) newest_fills`,
)

/** The newest rows of each kind that a chain can be asked about. */
export const readChainRows = (limit: number): Program<readonly ChainRow[]> =>
  chainRows.all({ limit })
