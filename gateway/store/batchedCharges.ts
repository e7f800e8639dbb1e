import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { databaseNow } from './databaseNow.ts'
import { createFlights } from './flights.ts'
import type { Balance, ChargeParameters, ChargeResult, Ledger } from './ledger.ts'
import { attempts, isRetried } from './postgresEngine.ts'
import { isUnsure, settleUnsure } from './settleUnsure.ts'
import { toStoreError } from './storeUnavailable.ts'

/**
 * Takes each key's sum where its balance covers it, and writes a ledger row for each charge. Keys in one
 * order, that of `lockBalances`, so that nobody waits for another in a circle. A charge that comes without a
 * time has the database's. The last two are the statement's own fence, and those of earlier ones that are not
 * needed any more.
 */
const debitAll = `
  WITH asked AS (SELECT * FROM unnest($1::text[], $2::bigint[]) AS a (key_id, units)),
  held AS (SELECT key_id FROM balances WHERE key_id = ANY ($1)
    ORDER BY key_id COLLATE "C" FOR NO KEY UPDATE),
  debited AS (
    UPDATE balances b SET used = b.used + a.units FROM asked a JOIN held USING (key_id)
    WHERE b.key_id = a.key_id AND b.total - b.used >= a.units RETURNING b.key_id, b.total, b.used),
  noted AS (
    INSERT INTO ledger (key_id, kind, units, ref, at_ms)
    SELECT e.key_id, 'charge', -e.units, e.ref, coalesce(e.at_ms, ${databaseNow})
    FROM unnest($3::text[], $4::bigint[], $5::text[], $6::bigint[]) AS e (key_id, units, ref, at_ms)
    WHERE e.key_id IN (SELECT key_id FROM debited)),
  fenced AS (
    INSERT INTO charge_fences (id, charged, at_ms)
    SELECT $7, coalesce((SELECT string_agg(key_id, ' ') FROM debited), ''),
      ${databaseNow}),
  done AS (DELETE FROM charge_fences WHERE id = ANY ($8::text[]))
  SELECT key_id, total, used FROM debited`

type Job = {
  readonly charge: ChargeParameters
  readonly resolve: (result: ChargeResult | Promise<ChargeResult>) => void
  readonly reject: (error: unknown) => void
}
type Row = { readonly key_id: string; readonly total: number; readonly used: number }

/**
 * Charges that arrive together become one statement, one round trip and one flush of the log. A key whose
 * balance does not cover all of its charges, a charge with an Idempotency-Key and one that counts to a month are
 * judged one by one.
 */
export function createBatchedCharges(
  pool: Pool,
  ledger: Pick<Ledger, 'charge' | 'conclude' | 'balance'>,
  {
    heldForMs = 30_000,
    time = 'database',
  }: {
    readonly heldForMs?: number | undefined
    readonly time?: 'database' | 'caller' | undefined
  } = {},
): Ledger['charge'] {
  const flights = createFlights(fly)
  /** Of transactions whose end is known. */
  let done: string[] = []

  /** Whoever was charged goes on, the others are told what has happened. */
  async function settle(cause: unknown, fence: string, jobs: readonly Job[]): Promise<void> {
    if (!isUnsure(cause)) {
      for (const { reject } of jobs) reject(cause)
      return
    }
    await settleUnsure({ pool, ledger, heldForMs }, { cause, fence, jobs })
  }

  /** In a transaction of its own, whose commit may end unheard as well. */
  function one(charge: ChargeParameters): Promise<ChargeResult> {
    const fence = randomUUID()
    return new Promise((resolve, reject) => {
      ledger.charge({ ...charge, fence }).then(
        (result) => {
          if (result.status === 'charged') done.push(fence)
          resolve(result)
        },
        (cause) => void settle(cause, fence, [{ charge, resolve, reject }]),
      )
    })
  }

  /** One statement: one that the database has refused has taken nothing. */
  async function debit(values: readonly unknown[]): Promise<readonly Row[]> {
    for (let left = attempts - 1; ; left -= 1) {
      try {
        const request = { name: 'forkyard_debit_all', text: debitAll, values: [...values] }
        return (await pool.query<Row>(request)).rows
      } catch (cause) {
        const error = toStoreError(cause)
        if (left === 0 || !isRetried(error)) throw error
      }
    }
  }

  async function fly(jobs: readonly Job[]): Promise<void> {
    const groups = Map.groupBy(jobs, ({ charge }) => charge.keyId)
    const fence = randomUUID()
    const earlier = done
    done = []
    try {
      const rows = await debit([...toValues(jobs, { groups, time }), fence, earlier])
      done.push(fence)
      const debited = new Map(rows.map((row) => [row.key_id, row]))
      for (const [keyId, group] of groups) answer(group, debited.get(keyId), one)
    } catch (cause) {
      done.push(...earlier)
      void settle(cause, fence, jobs)
    }
  }

  return (charge) => {
    if (charge.idempotency || charge.unitsPerMonth !== undefined) return one(charge)
    return new Promise((resolve, reject) => flights.board({ charge, resolve, reject }))
  }
}

function toValues(
  jobs: readonly Job[],
  {
    groups,
    time,
  }: {
    readonly groups: ReadonlyMap<string, readonly Job[]>
    readonly time: 'database' | 'caller'
  },
) {
  const charges = jobs.map(({ charge }) => charge)
  return [
    [...groups.keys()],
    [...groups.values()].map(sumOf),
    charges.map(({ keyId }) => keyId),
    charges.map(({ units }) => units),
    charges.map(({ ref }) => ref),
    charges.map(({ atMs }) => (time === 'caller' ? atMs : null)),
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
