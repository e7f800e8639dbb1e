import { type Address, type Hex, hexToBigInt, isHex, size, slice } from 'viem'
import type { RpcOutcome } from './rpcBatch.ts'

export type SimulatedLog = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export type SimulatedCall = {
  readonly ok: boolean
  readonly gasUsed: bigint
  readonly returnData: Hex
  /** anvil's own words for a halt; empty on success. Match on it, never pass it on. */
  readonly message: string
  /** None of a call that failed. */
  readonly logs: readonly SimulatedLog[]
}

/** The calls of the one block of an `eth_simulateV1` answer; undefined when it is not one. */
export function readSimulated(
  outcome: RpcOutcome,
  count: number,
): readonly SimulatedCall[] | undefined {
  if (!outcome.ok || !Array.isArray(outcome.result)) return undefined
  const calls = (outcome.result[0] as { calls?: unknown } | undefined)?.calls
  if (!Array.isArray(calls) || calls.length !== count || !calls.every(isReadable)) return undefined
  return calls.map((call: Record<string, unknown>) => {
    const { status, gasUsed, returnData, error, logs } = call
    return {
      ok: status === '0x1',
      gasUsed: isQuantity(gasUsed) ? hexToBigInt(gasUsed) : 0n,
      returnData: isBytes(returnData) ? returnData : '0x',
      message: String((error as { message?: unknown } | undefined)?.message ?? ''),
      logs: (logs as SimulatedLog[] | undefined) ?? [],
    }
  })
}

/** Whoever runs the node wrote it. */
const isReadable = (call: unknown): boolean => {
  if (typeof call !== 'object' || call === null) return false
  const { gasUsed, logs } = call as { gasUsed?: unknown; logs?: unknown }
  if (gasUsed !== undefined && !isQuantity(gasUsed)) return false
  return logs === undefined || (Array.isArray(logs) && logs.every(isLog))
}
const isQuantity = (value: unknown): value is Hex => isHex(value) && value !== '0x'
const isBytes = (value: unknown): value is Hex => isHex(value) && value.length % 2 === 0
const isLog = (log: unknown): boolean => {
  const { address, topics, data } = Object(log) as Partial<Record<keyof SimulatedLog, unknown>>
  return (
    isHex(address) && isHex(data) && Array.isArray(topics) && topics.every((topic) => isHex(topic))
  )
}

/** The first word, which is what balanceOf and BALANCE tell; some tokens answer more. */
export function readWord(call: SimulatedCall | undefined): bigint | undefined {
  return call?.ok ? firstWord(call.returnData) : undefined
}

/** Same for an `eth_call`. */
export function readWordOutcome(outcome: RpcOutcome | undefined): bigint | undefined {
  return outcome?.ok && isHex(outcome.result) ? firstWord(outcome.result) : undefined
}

function firstWord(data: Hex): bigint | undefined {
  return size(data) < wordBytes ? undefined : hexToBigInt(slice(data, 0, wordBytes))
}
const wordBytes = 32
