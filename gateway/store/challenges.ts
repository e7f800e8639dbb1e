import type { Address } from 'viem'
import type { Engine } from './engine.ts'
import { sql } from './program.ts'

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

const insert = sql(
  'INSERT INTO challenges (nonce, address, chain_id, message, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
)
const forgetOld = sql('DELETE FROM challenges WHERE expires_at_ms < ?')
const find = sql<Row>('SELECT * FROM challenges WHERE nonce = ?')
const use = sql('DELETE FROM challenges WHERE nonce = ?')

export function createChallenges(engine: Engine): Challenges {
  return {
    insert: ({ nonce, address, chainId, message, expiresAtMs, nowMs }) =>
      engine.write(function* () {
        yield* forgetOld.run(nowMs)
        yield* insert.run(nonce, address, chainId, message, expiresAtMs)
      }),
    find: async (nonce) => {
      const row = await engine.read(() => find.get(nonce))
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
    use: (nonce) =>
      engine.write(function* () {
        return (yield* use.run(nonce)) === 1
      }),
  }
}
