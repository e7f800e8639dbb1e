import type { Address } from 'viem'
import type { StoredKey } from '../store/keys.ts'
import type { Balance, LedgerEntry } from '../store/ledger.ts'
import { createApiKey, hashApiKey, randomId } from './apiKey.ts'
import { hashKeyId } from './hashKeyId.ts'
import type { AccessDeps } from './sale/accessConfig.ts'

type KeyDeps = Pick<AccessDeps, 'store' | 'now'> & {
  readonly config: Pick<AccessDeps['config'], 'keyPrefix' | 'pepper'>
}

/** The key itself is here and nowhere else: shown once, never stored. */
export type IssuedKey = { readonly id: string; readonly apiKey: string }

export const keyScopes: readonly string[] = ['quote']

/** Creates a key, with `quotes` granted to it. */
export async function createKey(
  { store, config, now }: KeyDeps,
  {
    label,
    wallet,
    walletChainId,
    quotes = 0,
    freeQuotes = 0,
    seed,
    plan,
  }: {
    label: string
    wallet?: Address | undefined
    walletChainId?: number | undefined
    quotes?: number
    /** Once for a wallet, however many keys it has had. */
    freeQuotes?: number
    /** For labs: the same key each time. */
    seed?: string | undefined
    plan?: string | undefined
  },
): Promise<IssuedKey> {
  const { key, start } = createApiKey({ prefix: config.keyPrefix, seed })
  const id = randomId('key')
  await store.keys.insert({
    id,
    idHash: hashKeyId(id),
    secretHash: hashApiKey(key, config),
    start,
    label,
    wallet,
    walletChainId,
    scopes: keyScopes,
    createdAtMs: now(),
    quotes,
    freeQuotes,
    plan,
  })
  return { id, apiKey: key }
}

/**
 * A new secret for the same id and quota; the old one goes on for `overlapMs`, or stops at once. Undefined: no
 * such valid key.
 */
export async function rotateKey(
  { store, config, now }: KeyDeps,
  { id, overlapMs }: { id: string; overlapMs?: number | undefined },
): Promise<IssuedKey | undefined> {
  const { key, start } = createApiKey({ prefix: config.keyPrefix })
  const secretHash = hashApiKey(key, config)
  const atMs = now()
  const isReplaced = await store.keys.replaceSecret({ id, secretHash, start, atMs, overlapMs })
  return isReplaced ? { id, apiKey: key } : undefined
}

export function revokeKey(
  { store, now }: KeyDeps,
  { id, abuse }: { id: string; abuse?: string | undefined },
): Promise<boolean> {
  return store.keys.revoke({ id, atMs: now(), abuse })
}

/** Negative `quotes` take back. Undefined: no such key. */
export async function grantQuota(
  { store, now }: KeyDeps,
  { id, quotes, reason }: { id: string; quotes: number; reason: string },
): Promise<Balance | undefined> {
  if (!(await store.keys.find(id))) return undefined
  return store.ledger.grant({ keyId: id, units: quotes, ref: reason, atMs: now() })
}

export type KeyReport = StoredKey & { readonly balance: Balance }

export async function listKeys({ store }: KeyDeps): Promise<readonly KeyReport[]> {
  const keys = await store.keys.list()
  return Promise.all(
    keys.map(async (key) => ({ ...key, balance: await store.ledger.balance(key.id) })),
  )
}

/** The newest entries first. */
export function listLedger(
  { store }: KeyDeps,
  { id, limit = 100 }: { id: string; limit?: number },
): Promise<readonly LedgerEntry[]> {
  return store.ledger.entries(id, limit)
}
