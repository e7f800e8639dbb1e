import type { Address, Hex } from 'viem'
import type { Engine } from './engine.ts'
import { credit } from './ledger.ts'
import { sql } from './program.ts'

export type StoredKey = {
  readonly id: string
  /** keccak256 of the id: what a bound purchase names on chain. */
  readonly idHash: Hex
  /** First characters of the key, for a person to recognise it by. */
  readonly start: string
  readonly label: string
  readonly wallet: Address | undefined
  readonly scopes: readonly string[]
  readonly createdAtMs: number
  readonly revokedAtMs: number | undefined
}

export type NewKey = Omit<StoredKey, 'revokedAtMs'> & {
  readonly secretHash: Buffer
  /** Granted in the same transaction: no key is without what it was to start with. */
  readonly quotes?: number | undefined
  /** Granted to the first key that its wallet ever had, and to none after it. */
  readonly freeQuotes?: number | undefined
}

export type Keys = {
  insert(key: NewKey): Promise<void>
  /** Valid keys only. */
  findBySecretHash(secretHash: Buffer): Promise<StoredKey | undefined>
  find(id: string): Promise<StoredKey | undefined>
  findByWallet(wallet: Address): Promise<StoredKey | undefined>
  list(): Promise<readonly StoredKey[]>
  /** False when there is no such valid key. */
  revoke(parameters: { id: string; atMs: number; abuse?: string | undefined }): Promise<boolean>
  /** Why one of its keys was revoked for abuse; undefined when none was. */
  findAbuse(wallet: Address): Promise<string | undefined>
  replaceSecret(parameters: { id: string; secretHash: Buffer; start: string }): Promise<boolean>
}

export type KeyRow = {
  id: string
  id_hash: Hex
  start: string
  label: string
  wallet: Address | null
  scopes: string
  created_at_ms: number
  revoked_at_ms: number | null
}

export const keyColumns = 'id, id_hash, start, label, wallet, scopes, created_at_ms, revoked_at_ms'
const insert = sql(
  `INSERT INTO keys (id, id_hash, secret_hash, start, label, wallet, scopes, created_at_ms)
   VALUES (@id, @idHash, @secretHash, @start, @label, @wallet, @scopes, @createdAtMs)`,
)
const insertBalance = sql('INSERT INTO balances (key_id) VALUES (?)')
const bySecret = sql<KeyRow>(
  `SELECT ${keyColumns} FROM keys WHERE secret_hash = ? AND revoked_at_ms IS NULL`,
)
const byId = sql<KeyRow>(`SELECT ${keyColumns} FROM keys WHERE id = ?`)
const byWallet = sql<KeyRow>(
  `SELECT ${keyColumns} FROM keys WHERE wallet = ? AND revoked_at_ms IS NULL`,
)
const all = sql<KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at_ms, id`)
const revoke = sql(
  'UPDATE keys SET revoked_at_ms = ?, abuse = ? WHERE id = ? AND revoked_at_ms IS NULL',
)
const abuse = sql<{ abuse: string }>(
  'SELECT abuse FROM keys WHERE wallet = ? AND abuse IS NOT NULL LIMIT 1',
)
const everOfWallet = sql<{ id: string }>('SELECT id FROM keys WHERE wallet = ? LIMIT 1')
const replace = sql(
  'UPDATE keys SET secret_hash = ?, start = ? WHERE id = ? AND revoked_at_ms IS NULL',
)

export function createKeys(engine: Engine): Keys {
  return {
    insert: ({
      id,
      idHash,
      secretHash,
      start,
      label,
      wallet,
      scopes,
      createdAtMs,
      quotes: granted = 0,
      freeQuotes = 0,
    }) =>
      engine.write(function* () {
        const atMs = yield* engine.clock(createdAtMs)
        const isFirst = wallet && !(yield* everOfWallet.get(wallet.toLowerCase()))
        const quotes = granted + (isFirst ? freeQuotes : 0)
        yield* insert.run({
          id,
          idHash,
          secretHash,
          start,
          label,
          wallet: wallet?.toLowerCase() ?? null,
          scopes: scopes.join(' '),
          createdAtMs: atMs,
        })
        yield* insertBalance.run(id)
        if (quotes === 0) return
        const grant = { kind: 'grant', units: quotes, ref: 'created' } as const
        yield* credit({ ...grant, keyId: id, atMs })
      }),
    findBySecretHash: async (secretHash) =>
      toStoredKey(await engine.read(() => bySecret.get(secretHash))),
    find: async (id) => toStoredKey(await engine.read(() => byId.get(id))),
    findByWallet: async (wallet) =>
      toStoredKey(await engine.read(() => byWallet.get(wallet.toLowerCase()))),
    list: async () => (await engine.read(() => all.all())).flatMap((row) => toStoredKey(row) ?? []),
    findAbuse: async (wallet) => (await engine.read(() => abuse.get(wallet.toLowerCase())))?.abuse,
    revoke: ({ id, atMs, abuse: reason = null }) =>
      engine.write(function* () {
        return (yield* revoke.run(yield* engine.clock(atMs), reason, id)) === 1
      }),
    replaceSecret: ({ id, secretHash, start }) =>
      engine.write(function* () {
        return (yield* replace.run(secretHash, start, id)) === 1
      }),
  }
}

export function toStoredKey(row: KeyRow | undefined): StoredKey | undefined {
  if (!row) return undefined
  return {
    id: row.id,
    idHash: row.id_hash,
    start: row.start,
    label: row.label,
    wallet: row.wallet ?? undefined,
    scopes: row.scopes.split(' '),
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  }
}
