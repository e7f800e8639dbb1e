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
  /** Keeps what `write` makes of the time that counts for all gateways of the database. */
  insert(
    caller: { readonly nowMs: number },
    write: (nowMs: number) => Challenge,
  ): Promise<Challenge>
  /** Undefined also for one that has expired. */
  find(request: { readonly nonce: string; readonly nowMs: number }): Promise<Challenge | undefined>
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
    insert: ({ nowMs: callerMs }, write) =>
      engine.write(function* () {
        const nowMs = yield* engine.clock(callerMs)
        const challenge = write(nowMs)
        const { nonce, address, chainId, message, expiresAtMs } = challenge
        yield* forgetOld.run(nowMs)
        yield* insert.run(nonce, address, chainId, message, expiresAtMs)
        return challenge
      }),
    find: ({ nonce, nowMs: callerMs }) =>
      engine.read(function* () {
        const row = yield* find.get(nonce)
        if (!row || row.expires_at_ms <= (yield* engine.clock(callerMs))) return undefined
        const { address, chain_id: chainId, message, expires_at_ms: expiresAtMs } = row
        return { nonce, address, chainId, message, expiresAtMs }
      }),
    use: (nonce) =>
      engine.write(function* () {
        return (yield* use.run(nonce)) === 1
      }),
  }
}
