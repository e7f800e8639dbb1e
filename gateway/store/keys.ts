import type { Address } from 'viem'
import type { Engine } from './engine.ts'
import { type KeyRow, keyColumns, type StoredKey, toStoredKey } from './keyRows.ts'
import { addSecretTwin, findByFurtherSecret, leaveSecrets } from './keySecrets.ts'
import { credit } from './ledger.ts'
import { lock, sql } from './program.ts'

export type { StoredKey } from './keyRows.ts'

export type NewKey = Omit<StoredKey, 'revokedAtMs'> & {
  readonly secretHash: Buffer
  /** Granted in the same transaction: no key is without what it was to start with. */
  readonly quotes?: number | undefined
  /** Granted to the first key that its wallet ever had, and to none after it. */
  readonly freeQuotes?: number | undefined
}

export type Keys = {
  insert(key: NewKey): Promise<void>
  /** Valid keys only, by any of their secrets; `atMs` is for those that last until a moment. */
  findBySecretHash(secretHash: Buffer, atMs: number): Promise<StoredKey | undefined>
  /** Has the key of this secret found by its hash under another pepper too. */
  addTwin(parameters: { secretHash: Buffer; twin: Buffer }): Promise<void>
  find(id: string): Promise<StoredKey | undefined>
  /** The key for which the wallet proved itself on this chain, or, without one, by a key of its own. */
  findByWallet(wallet: Address, chainId?: number): Promise<StoredKey | undefined>
  /** Whether what this address pays on this chain is a key's. */
  isWallet(address: Address, chainId: number): Promise<boolean>
  list(): Promise<readonly StoredKey[]>
  /** Those with this text in their id, start, label or wallet, the newest first; `found` counts them all. */
  search(wanted: {
    readonly text: string
    readonly limit: number
  }): Promise<{ readonly found: number; readonly keys: readonly StoredKey[] }>
  /** False when there is no such valid key. */
  revoke(parameters: { id: string; atMs: number; abuse?: string | undefined }): Promise<boolean>
  /**
   * Why one of its keys was revoked for abuse; undefined when none was. A contract's wallet has nothing to do with
   * one of its address on another chain; who signs by a key of its own has to do with all.
   */
  findAbuse(wallet: Address, chainId?: number): Promise<string | undefined>
  /** What was valid before goes on for `overlapMs`, or stops at once. */
  replaceSecret(parameters: {
    id: string
    secretHash: Buffer
    start: string
    atMs: number
    overlapMs?: number | undefined
  }): Promise<boolean>
}

const insert = sql(
  `INSERT INTO keys (id, id_hash, secret_hash, start, label, wallet, wallet_chain_id, scopes, created_at_ms, plan)
   VALUES (@id, @idHash, @secretHash, @start, @label, @wallet, @walletChainId, @scopes, @createdAtMs, @plan)`,
)
const insertBalance = sql('INSERT INTO balances (key_id) VALUES (?)')
const bySecret = sql<KeyRow>(
  `SELECT ${keyColumns} FROM keys WHERE secret_hash = ? AND revoked_at_ms IS NULL`,
)
const byId = sql<KeyRow>(`SELECT ${keyColumns} FROM keys WHERE id = ?`)
const byWallet = sql<KeyRow>(
  `SELECT ${keyColumns} FROM keys WHERE wallet = ? AND COALESCE(wallet_chain_id, 0) = ?
   AND revoked_at_ms IS NULL`,
)
const walletOn = sql<{ id: string }>(
  `SELECT id FROM keys WHERE wallet = ? AND COALESCE(wallet_chain_id, 0) IN (0, ?)
   AND revoked_at_ms IS NULL LIMIT 1`,
)
const all = sql<KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at_ms, id`)
const hasText = `lower(id || ' ' || start || ' ' || label || ' ' || COALESCE(wallet, ''))
  LIKE lower(?) ESCAPE '\\'`
const withText = sql<KeyRow>(
  `SELECT ${keyColumns} FROM keys WHERE ${hasText} ORDER BY created_at_ms DESC, id DESC LIMIT ?`,
)
const allWithText = sql(`SELECT COUNT(*) AS count FROM keys WHERE ${hasText}`)
const revoke = sql(
  'UPDATE keys SET revoked_at_ms = ?, abuse = ? WHERE id = ? AND revoked_at_ms IS NULL',
)
const abuse = sql<{ abuse: string }>(
  `SELECT abuse FROM keys WHERE wallet = @wallet AND abuse IS NOT NULL
   AND (@chainId = 0 OR COALESCE(wallet_chain_id, 0) IN (0, @chainId)) LIMIT 1`,
)
const everOfWallet = sql<{ id: string }>('SELECT id FROM keys WHERE wallet = ? LIMIT 1')
const lockValid = sql<{ id: string }>(
  'SELECT id FROM keys WHERE id = ? AND revoked_at_ms IS NULL',
  { locking: true },
)
const replace = sql('UPDATE keys SET secret_hash = ?, start = ? WHERE id = ?')

export function createKeys(engine: Engine): Keys {
  return {
    insert: ({
      id,
      idHash,
      secretHash,
      start,
      label,
      wallet,
      walletChainId = null,
      scopes,
      createdAtMs,
      plan = null,
      quotes: granted = 0,
      freeQuotes = 0,
    }) =>
      engine.write(function* () {
        const atMs = yield* engine.clock(createdAtMs)
        // On two chains at once its keys are two, and either would be the first.
        if (wallet) yield* lock(`keys of ${wallet.toLowerCase()}`)
        const isFirst = wallet && !(yield* everOfWallet.get(wallet.toLowerCase()))
        const quotes = granted + (isFirst ? freeQuotes : 0)
        yield* insert.run({
          id,
          idHash,
          secretHash,
          start,
          label,
          wallet: wallet?.toLowerCase() ?? null,
          walletChainId,
          scopes: scopes.join(' '),
          createdAtMs: atMs,
          plan,
        })
        yield* insertBalance.run(id)
        if (quotes === 0) return
        const grant = { kind: 'grant', units: quotes, ref: 'created' } as const
        yield* credit({ ...grant, keyId: id, atMs })
      }),
    findBySecretHash: (secretHash, atMs) =>
      engine.read(function* () {
        const row = yield* bySecret.get(secretHash)
        return toStoredKey(
          row ?? (yield* findByFurtherSecret(secretHash, yield* engine.clock(atMs))),
        )
      }),
    addTwin: (twin) => engine.write(() => addSecretTwin(twin)),
    find: async (id) => toStoredKey(await engine.read(() => byId.get(id))),
    findByWallet: async (wallet, chainId = 0) =>
      toStoredKey(await engine.read(() => byWallet.get(wallet.toLowerCase(), chainId))),
    isWallet: async (address, chainId) =>
      (await engine.read(() => walletOn.get(address.toLowerCase(), chainId))) !== undefined,
    list: async () => (await engine.read(() => all.all())).flatMap((row) => toStoredKey(row) ?? []),
    async search({ text, limit }) {
      const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
      const found = await engine.read(() => allWithText.count(pattern))
      const rows = await engine.read(() => withText.all(pattern, limit))
      const keys = rows.flatMap((row) => toStoredKey(row) ?? [])
      return { found, keys }
    },
    findAbuse: async (wallet, chainId = 0) =>
      (await engine.read(() => abuse.get({ wallet: wallet.toLowerCase(), chainId })))?.abuse,
    revoke: ({ id, atMs, abuse: reason = null }) =>
      engine.write(function* () {
        return (yield* revoke.run(yield* engine.clock(atMs), reason, id)) === 1
      }),
    replaceSecret: ({ id, secretHash, start, atMs, overlapMs }) =>
      engine.write(function* () {
        if (!(yield* lockValid.get(id))) return false
        const nowMs = yield* engine.clock(atMs)
        yield* leaveSecrets(id, overlapMs === undefined ? undefined : nowMs + overlapMs)
        yield* replace.run(secretHash, start, id)
        return true
      }),
  }
}
