import { type Address, concat, type Hex, hexToBigInt, pad, size, slice, toHex } from 'viem'
import type { CallShape, StateOverrides } from './rpc/callShapes.ts'
import type { SimulatedCall } from './rpc/readSimulated.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'

/** A view that answers in its first word how much, and what of it means a loss. */
export type Holding = {
  readonly contract: Address
  /** At most 100 bytes. */
  readonly data: Hex
  readonly loss: 'rise' | 'fall' | 'change'
  /** What happened then, for a reason. */
  readonly sentence: string
}

/** Random-looking, so that no candidate can plan for it. */
const reader: Address = '0x4be27d3c90f1865a3d0c7e52b816f9407ad9c3e1'
const caller: Address = '0x5f3a8c1e7b92d046a8e1f5c93b7d20e64a9f81c7'
const dataBytes = 100
/** An allowance behind a proxy takes a tenth. */
const gasOfView = 200_000n

/**
 * Takes entries of a contract and 100 bytes of calldata, and answers two words for each: whether it
 * answered a word at all, and its first word. Whatever a hostile contract returns goes no further.
 */
const code: Hex = concat([
  '0x60a05f', // stack: where to write (memory), where to read (calldata)
  '0x5b36811015603857', // loop: leave at the end of the calldata
  '0x6064816014015f37', // mem[0..100] = the entry's calldata
  '0x6020826020016064', // the answer's size and place, the calldata's size
  '0x5f843560601c', // and place; the contract
  '0x62030d40fa', // STATICCALL(200,000, contract, 0, 100, write + 32, 32)
  '0x601f3d111682', // whether it worked and returned a word
  '0x52', // is written
  '0x6078019060400190600356', // to the next entry
  '0x5b5060a0900360a0f3', // RETURN(160, write - 160)
])

/** Part of every simulation that reads holdings. */
export const holdingsReaderOverride: StateOverrides = { [reader]: { code } }

export function readHoldingsCall(holdings: readonly Holding[]): CallShape {
  const gas = BigInt(holdings.length) * (gasOfView + 10_000n) + 100_000n
  const entries = holdings.map(({ contract, data }) =>
    concat([contract, pad(data, { dir: 'right', size: dataBytes })]),
  )
  return { from: caller, to: reader, gas: toHex(gas), data: concat(entries) }
}

/** Has a fork fetch what one of them wants. */
export const readHoldingAlone = ({ contract, data }: Holding): RpcCall => ({
  method: 'eth_call',
  params: [{ from: caller, to: contract, gas: toHex(gasOfView), data }, 'latest'],
})

/** Undefined for each that answered no word. */
export function readHoldings(
  call: SimulatedCall | undefined,
  count: number,
): readonly (bigint | undefined)[] {
  const isWhole = call?.ok && size(call.returnData) === 64 * count
  return Array.from({ length: count }, (_, index) => {
    if (!isWhole || hexToBigInt(slice(call.returnData, 64 * index, 64 * index + 32)) !== 1n)
      return undefined
    return hexToBigInt(slice(call.returnData, 64 * index + 32, 64 * index + 64))
  })
}

const isLoss = ({ loss }: Holding, { from, to }: { from: bigint; to: bigint }) => {
  if (loss === 'rise') return to > from
  return loss === 'fall' ? to < from : to !== from
}

/** The sentence of the first holding that the taker lost by; one that answers no more is none. */
export function findLoss(
  holdings: readonly Holding[],
  { before, after }: { before: SimulatedCall | undefined; after: SimulatedCall | undefined },
): string | undefined {
  const [from, to] = [before, after].map((call) => readHoldings(call, holdings.length))
  return holdings.find((holding, index) => {
    const [first, last] = [from?.[index], to?.[index]]
    if (first === undefined) return false
    return last === undefined || isLoss(holding, { from: first, to: last })
  })?.sentence
}
