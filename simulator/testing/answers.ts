import { type Address, concat, type Hex, numberToHex } from 'viem'
import type { RpcOutcome } from '../rpc/rpcBatch.ts'

/** What an anvil answers, in its own bodies, for tests that start none. */

export const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`
export const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
export const told = (result: unknown): RpcOutcome => ({ ok: true, result })
export const refused = (message: string, code = -32603): RpcOutcome => ({
  ok: false,
  code,
  message,
  data: undefined,
})

/** One call of an `eth_simulateV1`. */
export type AnsweredCall = {
  readonly status?: Hex
  readonly gasUsed?: Hex
  readonly returnData?: Hex
  readonly logs?: readonly object[]
  readonly error?: { readonly code: number; readonly message: string }
}
const good = { status: '0x1', gasUsed: '0x5208', returnData: '0x', logs: [] } as const
export const reverted = (returnData: Hex = '0x', gasUsed: Hex = '0x5208'): AnsweredCall => ({
  status: '0x0',
  gasUsed,
  returnData,
  error: { code: 3, message: 'execution reverted' },
})
export const simulated = (calls: readonly AnsweredCall[]): RpcOutcome =>
  told([{ number: '0x2', calls: calls.map((call) => ({ ...good, ...call })) }])

/** Pairs of words, as the readers of balances and holdings answer; undefined: it could not be read. */
export const pairs = (...values: readonly (bigint | undefined)[]): AnsweredCall => ({
  returnData: concat(
    values.flatMap((value) =>
      value === undefined ? [word(0n), word(0n)] : [word(1n), word(value)],
    ),
  ),
})
