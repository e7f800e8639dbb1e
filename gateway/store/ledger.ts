import { bookedUnits, checkpointed, checkpointing } from './bookedUnits.ts'
import { passFence, raiseFence } from './chargeFences.ts'
import type { Engine } from './engine.ts'
import { idempotency, type StoredAnswer } from './idempotency.ts'
import { giveBackOfMonth, takeOfMonth } from './plans.ts'
import { lock, type Program, shareLock, sql } from './program.ts'

/** In quota units. `remaining` is below zero only after a payment was taken back. */
export type Balance = { readonly total: number; readonly used: number; readonly remaining: number }

export type CreditKind = 'grant' | 'claim' | 'clawback'

export type LedgerEntry = {
  readonly id: number
  readonly kind: CreditKind | 'charge' | 'refund'
  readonly units: number
  readonly ref: string
  readonly atMs: number
}

export type ChargeResult =
  | {
      readonly status: 'charged'
      readonly balance: Balance
      /** That it counts to, where months are counted. */
      readonly month?: string | undefined
    }
  | { readonly status: 'insufficient'; readonly balance: Balance }
  /** The key's plan allows no more in this month, by the time that is said. */
  | { readonly status: 'capped'; readonly balance: Balance; readonly atMs: number }
  | { readonly status: 'answered'; readonly answer: StoredAnswer }
  | { readonly status: 'in_progress' }
  | { readonly status: 'mismatch' }

export type ChargeParameters = {
  readonly keyId: string
  readonly units: number
  /** Request id: the ledger's reference. */
  readonly ref: string
  readonly atMs: number
  /** Of the `Idempotency-Key` header; `fingerprint` is a hash of what was asked. */
  readonly idempotency?:
    | {
        readonly key: string
        readonly fingerprint: Buffer
        /** Of this request alone; see `idempotency`. */
        readonly holder?: string | undefined
        /** By a clock that nothing sets, where the caller has one: an answer's age is counted by it. */
        readonly steadyMs?: number | undefined
      }
    | undefined
  /** What the key may use in a month; absent: it is not counted. */
  readonly unitsPerMonth?: number | undefined
  /** A name of the transaction, by which its end is found out if the connection breaks meanwhile. */
  readonly fence?: string | undefined
}

export type Ledger = {
  /** All or nothing, never below zero; durable when the promise resolves. */
  charge(parameters: ChargeParameters): Promise<ChargeResult>
  /**
   * Keeps the charge and stores the answer (2xx), or gives the charge back. False where the answer came late,
   * and another request of its Idempotency-Key was given the charge back meanwhile.
   */
  conclude(
    parameters: ChargeParameters & {
      readonly answer: StoredAnswer | undefined
      /** As the charge said it. */
      readonly month?: string | undefined
    },
  ): Promise<boolean>
  grant(parameters: { keyId: string; units: number; ref: string; atMs: number }): Promise<Balance>
  balance(keyId: string): Promise<Balance>
  entries(keyId: string, limit: number): Promise<readonly LedgerEntry[]>
  /** Keys whose balance differs from the sum of their ledger; empty unless there is a bug. */
  audit(): Promise<readonly string[]>
}

const debit = sql<{ total: number; used: number }>(
  'UPDATE balances SET used = used + ? WHERE key_id = ? AND total - used >= ? RETURNING total, used',
)
const giveBack = sql('UPDATE balances SET used = used - ? WHERE key_id = ?')
const add = sql('UPDATE balances SET total = total + ? WHERE key_id = ?')
const append = sql('INSERT INTO ledger (key_id, kind, units, ref, at_ms) VALUES (?, ?, ?, ?, ?)')
const lastRefund = sql<{ at_ms: number }>(
  `SELECT at_ms FROM ledger WHERE key_id = ? AND kind = 'refund' ORDER BY id DESC LIMIT 1`,
)
/**
 * What is being answered is among the newest rows; a charge that another request began keeps its row, and so
 * does one that a checkpoint holds.
 */
const forgetCharge = sql(
  `DELETE FROM ledger WHERE id = (SELECT id FROM
     (SELECT id, kind, ref, units FROM ledger WHERE key_id = ?
      ORDER BY id DESC LIMIT 1000) AS newest
   WHERE kind = 'charge' AND ref = ? AND units = ? AND id > ${checkpointed}
   ORDER BY id DESC LIMIT 1)`,
)
/** Refunds of one key within this leave one row. */
const mergedMs = 60_000
const read = sql<{ total: number; used: number }>(
  'SELECT total, used FROM balances WHERE key_id = ?',
)
const readLocked = sql<{ total: number; used: number }>(
  'SELECT total, used FROM balances WHERE key_id = ?',
  { locking: true },
)
const list = sql<Omit<LedgerEntry, 'atMs'> & { at_ms: number }>(
  'SELECT id, kind, units, ref, at_ms FROM ledger WHERE key_id = ? ORDER BY id DESC LIMIT ?',
)
const audit = sql<{ key_id: string }>(
  `SELECT b.key_id FROM balances b LEFT JOIN (${bookedUnits}) l ON l.key_id = b.key_id
   GROUP BY b.key_id, b.total, b.used HAVING b.total - b.used <> COALESCE(SUM(l.units), 0)`,
)

/** Inside somebody else's transaction, e.g. a claim's. */
export function* credit({
  keyId,
  kind,
  units,
  ref,
  atMs,
}: {
  readonly keyId: string
  readonly kind: CreditKind
  readonly units: number
  readonly ref: string
  readonly atMs: number
}): Program<void> {
  if ((yield* add.run(units, keyId)) !== 1) throw new Error(`there is no key ${keyId}`)
  yield* append.run(keyId, kind, units, ref, atMs)
}

/**
 * Whoever changes several balances in one transaction locks them first, in the order of their names, so that
 * no two ever wait for one another in a circle. `debitAll` of the batched charges keeps the same order.
 */
export function* lockBalances(
  keyIds: readonly string[],
): Program<readonly (readonly [keyId: string, balance: Balance])[]> {
  const locked: (readonly [string, Balance])[] = []
  // Code units: the database's "C" order.
  for (const keyId of [...new Set(keyIds)].sort())
    locked.push([keyId, toBalance(yield* readLocked.get(keyId))])
  return locked
}

function* balanceOf(keyId: string): Program<Balance> {
  return toBalance(yield* read.get(keyId))
}

function* charge(engine: Engine, parameters: ChargeParameters): Program<ChargeResult> {
  const { keyId, units, ref, atMs, fence, unitsPerMonth: most } = parameters
  const nowMs = yield* engine.clock(atMs)
  const idem = parameters.idempotency && {
    ...parameters.idempotency,
    keyId,
    atMs: yield* engine.clock(parameters.idempotency.steadyMs ?? atMs),
  }
  if (idem) yield* lock(`idempotency ${keyId} ${idem.key}`)
  let earlier = idem && (yield* idempotency.find(idem))
  if (idem && earlier?.status === 'abandoned') {
    if ((yield* idempotency.takeOver(idem)) === 1) {
      if (fence) yield* raiseFence(fence, keyId, nowMs)
      return { status: 'charged', balance: yield* balanceOf(keyId) }
    }
    // It was not dead, and has ended between the two: answered, or with its charge given back.
    earlier = yield* idempotency.find(idem)
  }
  if (earlier && earlier.status !== 'abandoned') return earlier
  const row = yield* debit.get(units, keyId, units)
  if (!row) return { status: 'insufficient', balance: yield* balanceOf(keyId) }
  const counted = { keyId, units, atMs: nowMs }
  const month = most === undefined ? undefined : yield* takeOfMonth({ ...counted, most })
  if (most !== undefined && month === undefined) {
    yield* giveBack.run(units, keyId)
    return { status: 'capped', balance: yield* balanceOf(keyId), atMs: nowMs }
  }
  yield* append.run(keyId, 'charge', -units, ref, nowMs)
  if (idem) yield* idempotency.begin(idem)
  if (fence) yield* raiseFence(fence, keyId, nowMs)
  return { status: 'charged', balance: toBalance(row), month }
}

/**
 * Gives a charge back. Of a key's refunds in one minute only the first leaves its two rows; the charge of a
 * later one goes, so that asking for what is not there writes nothing that stays.
 */
function* refund({
  keyId,
  units,
  ref,
  atMs,
}: Omit<ChargeParameters, 'idempotency'>): Program<void> {
  yield* giveBack.run(units, keyId)
  const earlier = yield* lastRefund.get(keyId)
  const isMerged = earlier !== undefined && atMs - earlier.at_ms < mergedMs
  // Its balance is locked: whoever waited here for a step would have all its key's charges wait.
  const mayForget = isMerged && (yield* shareLock(checkpointing))
  if (mayForget && (yield* forgetCharge.run(keyId, ref, -units)) === 1) return
  yield* append.run(keyId, 'refund', units, ref, atMs)
}

export function createLedger(engine: Engine): Ledger {
  return {
    charge: (parameters) => engine.write(() => charge(engine, parameters)),
    conclude: ({ keyId, units, ref, atMs, idempotency: idem, fence, answer, ...counted }) => {
      if (answer && !idem) return Promise.resolve(true)
      return engine.write(function* () {
        if (answer && idem) return yield* idempotency.answer({ ...idem, keyId, answer })
        const nowMs = yield* engine.clock(atMs)
        if (fence && !(yield* passFence(fence, keyId, nowMs))) return true
        const isOpen = !idem || (yield* idempotency.forget({ ...idem, keyId }))
        if (!isOpen) return true
        yield* refund({ keyId, units, ref, atMs: nowMs })
        if (counted.unitsPerMonth !== undefined)
          yield* giveBackOfMonth({ keyId, units, atMs: nowMs, month: counted.month })
        return true
      })
    },
    grant: (parameters) =>
      engine.write(function* () {
        const atMs = yield* engine.clock(parameters.atMs)
        yield* credit({ ...parameters, atMs, kind: 'grant' })
        return yield* balanceOf(parameters.keyId)
      }),
    balance: (keyId) => engine.read(() => balanceOf(keyId)),
    entries: async (keyId, limit) =>
      (await engine.read(() => list.all(keyId, limit))).map(({ at_ms, ...entry }) => ({
        ...entry,
        atMs: at_ms,
      })),
    audit: async () => (await engine.read(() => audit.all())).map(({ key_id }) => key_id),
  }
}

function toBalance(row: { total: number; used: number } | undefined): Balance {
  const { total, used } = row ?? { total: 0, used: 0 }
  return { total, used, remaining: total - used }
}
