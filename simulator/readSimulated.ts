import { type Hex, hexToBigInt, isHex, size } from 'viem'
import type { RpcOutcome } from './rpcBatch.ts'

export type SimulatedCall = {
  readonly ok: boolean
  readonly gasUsed: bigint
  readonly returnData: Hex
  /** anvil's own words for a halt; empty on success. Match on it, never pass it on. */
  readonly message: string
}

/** The calls of the one block of an `eth_simulateV1` answer; undefined when it is not one. */
export function readSimulated(
  outcome: RpcOutcome,
  count: number,
): readonly SimulatedCall[] | undefined {
  if (!outcome.ok || !Array.isArray(outcome.result)) return undefined
  const calls = (outcome.result[0] as { calls?: unknown } | undefined)?.calls
  if (!Array.isArray(calls) || calls.length !== count) return undefined
  return calls.map((call: Record<string, unknown>) => {
    const { status, gasUsed, returnData, error } = call
    return {
      ok: status === '0x1',
      gasUsed: isHex(gasUsed) ? hexToBigInt(gasUsed) : 0n,
      returnData: isHex(returnData) ? returnData : '0x',
      message: String((error as { message?: unknown } | undefined)?.message ?? ''),
    }
  })
}

/** One 32-byte word, which is what balanceOf and BALANCE must return. */
export function readWord(call: SimulatedCall | undefined): bigint | undefined {
  if (!call?.ok || size(call.returnData) !== 32) return undefined
  return hexToBigInt(call.returnData)
}

/** Same for an `eth_call`. */
export function readWordOutcome(outcome: RpcOutcome | undefined): bigint | undefined {
  if (!outcome?.ok || !isHex(outcome.result) || size(outcome.result) !== 32) return undefined
  return hexToBigInt(outcome.result)
}
