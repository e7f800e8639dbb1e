import type { Database } from 'better-sqlite3'
import type { Commit } from './groupCommit.ts'
import { createIdempotency, type StoredAnswer } from './idempotency.ts'

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
  | { readonly status: 'charged'; readonly balance: Balance }
  | { readonly status: 'insufficient'; readonly balance: Balance }
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
  readonly idempotency?: { readonly key: string; readonly fingerprint: Buffer } | undefined
}

export type Ledger = {
  /** All or nothing, never below zero; durable when the promise resolves. */
  charge(parameters: ChargeParameters): Promise<ChargeResult>
  /** Keeps the charge and stores the answer (2xx), or gives the charge back. */
  conclude(parameters: ChargeParameters & { answer: StoredAnswer | undefined }): Promise<void>
  grant(parameters: { keyId: string; units: number; ref: string; atMs: number }): Promise<Balance>
  balance(keyId: string): Promise<Balance>
  entries(keyId: string, limit: number): Promise<readonly LedgerEntry[]>
  /** Keys whose balance differs from the sum of their ledger; empty unless there is a bug. */
  audit(): Promise<readonly string[]>
}

/** Synchronous credit inside somebody else's transaction, e.g. a claim's. */
export type Credit = (parameters: {
  keyId: string
  kind: CreditKind
  units: number
  ref: string
  atMs: number
}) => void

export function createLedger(db: Database, commit: Commit): Ledger & { credit: Credit } {
  const debit = db.prepare<[number, string, number], { total: number; used: number }>(
    'UPDATE balances SET used = used + ? WHERE key_id = ? AND total - used >= ? RETURNING total, used',
  )
  const giveBack = db.prepare<[number, string]>(
    'UPDATE balances SET used = used - ? WHERE key_id = ?',
  )
  const add = db.prepare<[number, string]>('UPDATE balances SET total = total + ? WHERE key_id = ?')
  const append = db.prepare<[string, string, number, string, number]>(
    'INSERT INTO ledger (key_id, kind, units, ref, at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const read = db.prepare<[string], { total: number; used: number }>(
    'SELECT total, used FROM balances WHERE key_id = ?',
  )
  const list = db.prepare<[string, number], Omit<LedgerEntry, 'atMs'> & { at_ms: number }>(
    'SELECT id, kind, units, ref, at_ms FROM ledger WHERE key_id = ? ORDER BY id DESC LIMIT ?',
  )
  const audit = db.prepare<[], { key_id: string }>(
    `SELECT b.key_id FROM balances b LEFT JOIN ledger l ON l.key_id = b.key_id
     GROUP BY b.key_id HAVING b.total - b.used <> COALESCE(SUM(l.units), 0)`,
  )
  const idempotency = createIdempotency(db)
  const balanceOf = (keyId: string) => toBalance(read.get(keyId))

  const credit: Credit = ({ keyId, kind, units, ref, atMs }) => {
    if (add.run(units, keyId).changes !== 1) throw new Error(`there is no key ${keyId}`)
    append.run(keyId, kind, units, ref, atMs)
  }

  function charge(parameters: ChargeParameters): ChargeResult {
    const { keyId, units, ref, atMs } = parameters
    const idem = parameters.idempotency && { ...parameters.idempotency, keyId, atMs }
    const earlier = idem && idempotency.find(idem)
    if (idem && earlier?.status === 'abandoned') {
      idempotency.takeOver(idem)
      return { status: 'charged', balance: balanceOf(keyId) }
    }
    if (earlier && earlier.status !== 'abandoned') return earlier
    const row = debit.get(units, keyId, units)
    if (!row) return { status: 'insufficient', balance: balanceOf(keyId) }
    append.run(keyId, 'charge', -units, ref, atMs)
    if (idem) idempotency.begin(idem)
    return { status: 'charged', balance: toBalance(row) }
  }

  return {
    credit,
    charge: (parameters) => commit(() => charge(parameters)),
    conclude: ({ keyId, units, ref, atMs, idempotency: idem, answer }) => {
      if (answer && !idem) return Promise.resolve()
      return commit(() => {
        const isOpen = !idem || idempotency.finish({ keyId, key: idem.key, answer })
        if (answer || !isOpen) return
        giveBack.run(units, keyId)
        append.run(keyId, 'refund', units, ref, atMs)
      })
    },
    grant: (parameters) =>
      commit(() => {
        credit({ ...parameters, kind: 'grant' })
        return balanceOf(parameters.keyId)
      }),
    balance: async (keyId) => balanceOf(keyId),
    entries: async (keyId, limit) =>
      list.all(keyId, limit).map(({ at_ms, ...entry }) => ({ ...entry, atMs: at_ms })),
    audit: async () => audit.all().map(({ key_id }) => key_id),
  }
}

function toBalance(row: { total: number; used: number } | undefined): Balance {
  const { total, used } = row ?? { total: 0, used: 0 }
  return { total, used, remaining: total - used }
}
