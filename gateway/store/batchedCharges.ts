import type { Pool } from 'pg'
import { createFlights } from './createFlights.ts'
import type { Balance, ChargeParameters, ChargeResult, Ledger } from './ledger.ts'
import { toStoreError } from './storeUnavailable.ts'

/**
 * Takes each key's sum where its balance covers it, and writes a ledger row for each charge. Keys in one
 * order, so that the statements of two gateways never wait for one another in a circle.
 */
const debitAll = `
  WITH asked AS (SELECT * FROM unnest($1::text[], $2::bigint[]) AS a (key_id, units)),
  held AS (SELECT key_id FROM balances WHERE key_id = ANY ($1) ORDER BY key_id FOR UPDATE),
  debited AS (
    UPDATE balances b SET used = b.used + a.units FROM asked a JOIN held USING (key_id)
    WHERE b.key_id = a.key_id AND b.total - b.used >= a.units RETURNING b.key_id, b.total, b.used),
  noted AS (
    INSERT INTO ledger (key_id, kind, units, ref, at_ms)
    SELECT e.key_id, 'charge', -e.units, e.ref, e.at_ms
    FROM unnest($3::text[], $4::bigint[], $5::text[], $6::bigint[]) AS e (key_id, units, ref, at_ms)
    WHERE e.key_id IN (SELECT key_id FROM debited))
  SELECT key_id, total, used FROM debited`

type Job = {
  readonly charge: ChargeParameters
  readonly resolve: (result: ChargeResult | Promise<ChargeResult>) => void
  readonly reject: (error: unknown) => void
}
type Row = { readonly key_id: string; readonly total: number; readonly used: number }

/**
 * Charges that arrive together become one statement, one round trip and one flush of the log. A key whose
 * balance does not cover all of its charges, and a charge with an Idempotency-Key, are judged one by one.
 */
export function createBatchedCharges(pool: Pool, one: Ledger['charge']): Ledger['charge'] {
  const flights = createFlights(fly)

  async function fly(jobs: readonly Job[]): Promise<void> {
    const groups = Map.groupBy(jobs, ({ charge }) => charge.keyId)
    try {
      const { rows } = await pool.query<Row>({
        name: 'forkyard_debit_all',
        text: debitAll,
        values: toValues(jobs, groups),
      })
      const debited = new Map(rows.map((row) => [row.key_id, row]))
      for (const [keyId, group] of groups) answer(group, debited.get(keyId), one)
    } catch (cause) {
      for (const { reject } of jobs) reject(toStoreError(cause))
    }
  }

  return (charge) => {
    if (charge.idempotency) return one(charge)
    return new Promise((resolve, reject) => flights.board({ charge, resolve, reject }))
  }
}

function toValues(jobs: readonly Job[], groups: ReadonlyMap<string, readonly Job[]>) {
  const charges = jobs.map(({ charge }) => charge)
  return [
    [...groups.keys()],
    [...groups.values()].map(sumOf),
    charges.map(({ keyId }) => keyId),
    charges.map(({ units }) => units),
    charges.map(({ ref }) => ref),
    charges.map(({ atMs }) => atMs),
  ]
}

const sumOf = (group: readonly Job[]) => group.reduce((sum, { charge }) => sum + charge.units, 0)

/** Each is told the balance as of its own charge, in the order they came. */
function answer(group: readonly Job[], row: Row | undefined, one: Ledger['charge']): void {
  if (!row) {
    for (const { charge, resolve } of group) resolve(one(charge))
    return
  }
  let used = row.used - sumOf(group)
  for (const { charge, resolve } of group) {
    used += charge.units
    const balance: Balance = { total: row.total, used, remaining: row.total - used }
    resolve({ status: 'charged', balance })
  }
}
