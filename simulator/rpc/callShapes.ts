import { type Address, type Hex, toHex } from 'viem'

/** A call inside `eth_simulateV1` or the argument of `eth_call`. Gas is never left out: without it a loop runs for ever. */
export type CallShape = {
  readonly from: Address
  readonly to: Address
  readonly gas: Hex
  readonly data: Hex
  readonly value?: Hex
  readonly gasPrice?: Hex
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
  /** On the chain's own node, which has others to serve. */
  chainSwap: 8_000_000n,
} as const

const anyone: Address = '0x5f3a8c1e7b92d046a8e1f5c93b7d20e64a9f81c7'

const toWord = (address: Address) => address.slice(2).toLowerCase().padStart(64, '0')

/** `approve(spender, amount)`. By hand, as the next one: an ABI encoder's care took a quarter of a dry run. */
export const approveData = (spender: Address, amount: bigint): Hex =>
  `0x095ea7b3${toWord(spender)}${amount.toString(16).padStart(64, '0')}`

export function balanceOfCall(token: Address, holder: Address): CallShape {
  const data: Hex = `0x70a08231${toWord(holder)}`
  return { from: anyone, to: token, gas: toHex(gasOf.balanceRead), data }
}

/** Wraps calls as one simulated block on top of the fork's. */
export function simulateParams({
  calls,
  stateOverrides,
  blockOverrides,
  validation = false,
}: {
  calls: readonly CallShape[]
  stateOverrides: StateOverrides
  blockOverrides: Readonly<Record<string, unknown>>
  /** Else the base fee is 0, and nobody has to pay it. */
  validation?: boolean | undefined
}): readonly unknown[] {
  const block = { blockOverrides, stateOverrides, calls }
  return [{ blockStateCalls: [block], validation, traceTransfers: false }, 'latest']
}
