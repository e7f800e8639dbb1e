import type { Database } from 'better-sqlite3'
import type { Address } from 'viem'
import type { Commit } from './groupCommit.ts'

export type Challenge = {
  readonly nonce: string
  readonly address: Address
  readonly chainId: number
  readonly message: string
  readonly expiresAtMs: number
}

export type Challenges = {
  insert(challenge: Challenge & { nowMs: number }): Promise<void>
  find(nonce: string): Promise<Challenge | undefined>
  /** True for exactly one caller per nonce. */
  use(nonce: string): Promise<boolean>
}

type Row = {
  nonce: string
  address: Address
  chain_id: number
  message: string
  expires_at_ms: number
}

export function createChallenges(db: Database, commit: Commit): Challenges {
  const insert = db.prepare<[string, string, number, string, number]>(
    'INSERT INTO challenges (nonce, address, chain_id, message, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const forgetOld = db.prepare<[number]>('DELETE FROM challenges WHERE expires_at_ms < ?')
  const find = db.prepare<[string], Row>('SELECT * FROM challenges WHERE nonce = ?')
  const use = db.prepare<[string]>('DELETE FROM challenges WHERE nonce = ?')
  return {
    insert: ({ nonce, address, chainId, message, expiresAtMs, nowMs }) =>
      commit(() => {
        forgetOld.run(nowMs)
        insert.run(nonce, address, chainId, message, expiresAtMs)
      }),
    find: async (nonce) => {
      const row = find.get(nonce)
      return (
        row && {
          nonce,
          address: row.address,
          chainId: row.chain_id,
          message: row.message,
          expiresAtMs: row.expires_at_ms,
        }
      )
    },
    use: (nonce) => commit(() => use.run(nonce).changes === 1),
  }
}
