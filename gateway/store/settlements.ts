import type { Database } from 'better-sqlite3'
import type { Address, Hex } from 'viem'

export type AuthorizationId = {
  readonly chainId: number
  readonly asset: Address
  readonly payer: Address
  readonly nonce: Hex
}

export type Settlements = {
  /** The key an authorization was sent to us with, whoever brought it to the chain. */
  findKey(authorization: AuthorizationId): Promise<string | undefined>
}

/** Payments by signed authorization (x402), written before anything is broadcast. */
export function createSettlements(db: Database): Settlements {
  const findKey = db.prepare<[number, string, string, string], { key_id: string }>(
    'SELECT key_id FROM settlements WHERE chain_id = ? AND asset = ? AND payer = ? AND nonce = ?',
  )
  return {
    findKey: async ({ chainId, asset, payer, nonce }) =>
      findKey.get(chainId, asset.toLowerCase(), payer.toLowerCase(), nonce.toLowerCase())?.key_id,
  }
}
