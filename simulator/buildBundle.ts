import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { balanceReaderOverride, readBalancesCall } from './balanceReader.ts'
import {
  approveData,
  type CallShape,
  gasOf,
  type StateOverrides,
  simulateParams,
} from './callShapes.ts'
import type { RpcCall } from './rpcBatch.ts'

export type Candidate = {
  /** Transaction `to`. */
  readonly target: Address
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  /** The zero address is the native currency, in and out. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** Gets the allowance before the call. */
  readonly spender: Address | undefined
  /** Default: the simulated taker. */
  readonly taker?: Address | undefined
  /** Whose balance counts; default: the taker, else whom the calldata pays. */
  readonly recipient?: Address | undefined
  /** `override` (default) gives the taker exactly what the candidate spends; `real` uses what it really has. */
  readonly funding?: 'override' | 'real' | undefined
}

/** One candidate as one `eth_simulateV1`: approve, balances, the call itself, balances. */
export type Bundle = {
  readonly rpcCall: RpcCall
  readonly callCount: number
  readonly approveIndex: number | undefined
  /** Balances are read by the call before and the one after it. */
  readonly swapIndex: number
  readonly holders: readonly Address[]
  /** The first balance of the call before is then the taker's of the input token. */
  readonly readsFunding: boolean
}

/** Above `msg.value`, for targets that look at their caller's balance. */
const nativeSlackWei = 10n ** 18n
const mostWei = 2n ** 256n - 1n

/** A value near the end of the range leaves no room for more. */
const fundsFor = (value: bigint) =>
  value + nativeSlackWei > mostWei ? mostWei : value + nativeSlackWei

export function buildBundle({
  candidate,
  taker,
  holders,
  funding,
  prelude = [],
  gasCap,
  timeSecs,
  baseOverrides,
}: {
  candidate: Candidate
  taker: Address
  /** Whose output balance is read before and after. */
  holders: readonly Address[]
  /** State that gives the taker its input tokens. */
  funding: StateOverrides
  prelude?: readonly CallShape[]
  gasCap: bigint
  timeSecs: bigint
  baseOverrides: StateOverrides
}): Bundle {
  const { tokenIn, tokenOut, value } = candidate
  const isFunded = candidate.funding !== 'real'
  const approvals = approvalCalls(candidate, taker)
  const readsFunding = isFunded && tokenIn !== zeroAddress
  const outputs = holders.map((holder) => ({ token: tokenOut, holder }))
  const before = readsFunding ? [{ token: tokenIn, holder: taker }, ...outputs] : outputs
  const swap: CallShape = {
    from: taker,
    to: candidate.target,
    gas: toHex(gasCap),
    data: candidate.data,
    value: toHex(value),
  }
  const calls = [
    ...prelude,
    ...approvals,
    readBalancesCall(before),
    swap,
    readBalancesCall(outputs),
  ]
  const stateOverrides: StateOverrides = {
    ...baseOverrides,
    ...funding,
    ...balanceReaderOverride,
    ...(isFunded ? { [taker]: { ...funding[taker], balance: toHex(fundsFor(value)) } } : {}),
  }
  const lead = prelude.length + approvals.length
  return {
    rpcCall: {
      method: 'eth_simulateV1',
      params: simulateParams({ calls, stateOverrides, timeSecs }),
    },
    callCount: calls.length,
    approveIndex: approvals.length > 0 ? lead - 1 : undefined,
    swapIndex: lead + 1,
    holders,
    readsFunding,
  }
}

function approvalCalls({ tokenIn, spender, amountIn, funding }: Candidate, taker: Address) {
  if (tokenIn === zeroAddress || spender === undefined) return []
  const approve = (amount: bigint): CallShape => ({
    from: taker,
    to: tokenIn,
    gas: toHex(gasOf.approve),
    data: approveData(spender, amount),
  })
  // A real taker may have an allowance left, which USDT-like tokens want reset first.
  return funding === 'real' ? [approve(0n), approve(amountIn)] : [approve(amountIn)]
}
