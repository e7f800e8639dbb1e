import type { Address, Hex } from 'viem'

export type StoredKey = {
  readonly id: string
  /** keccak256 of the id: what a bound purchase names on chain. */
  readonly idHash: Hex
  /** First characters of the key, for a person to recognise it by. */
  readonly start: string
  readonly label: string
  readonly wallet: Address | undefined
  /**
   * Where a contract proved that it is its wallet: the same address may be another's elsewhere. None: the wallet's
   * own key did, for all chains.
   */
  readonly walletChainId?: number | undefined
  readonly scopes: readonly string[]
  readonly createdAtMs: number
  readonly revokedAtMs: number | undefined
  /** Name of its plan; none: it has the limits of the settings. */
  readonly plan?: string | undefined
}

export type KeyRow = {
  id: string
  id_hash: Hex
  start: string
  label: string
  wallet: Address | null
  wallet_chain_id: number | null
  scopes: string
  created_at_ms: number
  revoked_at_ms: number | null
  plan: string | null
}

export const keyColumns =
  'id, id_hash, start, label, wallet, wallet_chain_id, scopes, created_at_ms, revoked_at_ms, plan'

export function toStoredKey(row: KeyRow | undefined): StoredKey | undefined {
  if (!row) return undefined
  return {
    id: row.id,
    idHash: row.id_hash,
    start: row.start,
    label: row.label,
    wallet: row.wallet ?? undefined,
    walletChainId: row.wallet_chain_id ?? undefined,
    scopes: row.scopes.split(' '),
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    plan: row.plan ?? undefined,
  }
}
