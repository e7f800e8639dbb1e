import { type Address, type Hex, toHex } from 'viem'

/** A call inside `eth_simulateV1` or the argument of `eth_call`. Gas is never left out: without it a loop runs for ever. */
export type CallShape = {
  readonly from: Address
  readonly to: Address
  readonly gas: Hex
  readonly data: Hex
  readonly value?: Hex
}

export type StateOverrides = Record<
  Address,
  { balance?: Hex; code?: Hex; stateDiff?: Record<Hex, Hex> }
>

export const gasOf = {
  approve: 1_000_000n,
  balanceRead: 2_000_000n,
  /** Of a candidate's own call at first: five times an ordinary swap; a bomb of this size costs a core 10 ms. */
  swap: 2_000_000n,
  /** On the slow fork, of those that needed more. */
  hungrySwap: 25_000_000n,
} as const

/** `BALANCE` of the address in calldata: needs no contract on the chain, takes no gas price into account. */
export const nativeBalanceCode: Hex = '0x6000353160005260206000f3'
/** `SLOAD` of the slot in calldata. */
export const storageReadCode: Hex = '0x6000355460005260206000f3'
/** Random-looking, so that no candidate can plan for it. */
export const nativeBalanceReader: Address = '0x8d1f0a4e93c7b65a20f84b9d7e16c3a05f72e9b4'

const anyone: Address = '0x5f3a8c1e7b92d046a8e1f5c93b7d20e64a9f81c7'

const toWord = (address: Address) => address.slice(2).toLowerCase().padStart(64, '0')

/** `approve(spender, amount)`. By hand, as the next one: an ABI encoder's care took a quarter of a dry run. */
export const approveData = (spender: Address, amount: bigint): Hex =>
  `0x095ea7b3${toWord(spender)}${amount.toString(16).padStart(64, '0')}`

export function balanceOfCall(token: Address, holder: Address): CallShape {
  const data: Hex = `0x70a08231${toWord(holder)}`
  return { from: anyone, to: token, gas: toHex(gasOf.balanceRead), data }
}

export function nativeBalanceCall(holder: Address): CallShape {
  const data: Hex = `0x${holder.slice(2).padStart(64, '0')}`
  return { from: anyone, to: nativeBalanceReader, gas: toHex(100_000), data }
}

/** Wraps calls as one simulated block on top of the fork's. */
export function simulateParams({
  calls,
  stateOverrides,
  timeSecs,
}: {
  calls: readonly CallShape[]
  stateOverrides: StateOverrides
  timeSecs: bigint
}): readonly unknown[] {
  const block = { blockOverrides: { time: toHex(timeSecs) }, stateOverrides, calls }
  return [{ blockStateCalls: [block], validation: false, traceTransfers: false }, 'latest']
}
