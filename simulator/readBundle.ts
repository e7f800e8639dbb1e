import { zeroAddress } from 'viem'
import { readBalances } from './balanceReader.ts'
import type { Bundle } from './buildBundle.ts'
import {
  type CandidateResult,
  classifyHalt,
  classifyRefusal,
  failed,
  needsGas,
  unavailable,
} from './classifyOutcome.ts'
import { findLoss } from './holdingsReader.ts'
import { findSideEffect } from './readEffects.ts'
import type { ErrorTable } from './revertReason.ts'
import { readSimulated, type SimulatedCall } from './rpc/readSimulated.ts'
import type { RpcOutcome } from './rpc/rpcBatch.ts'

export type BundleReading = {
  /**
   * `misfunded`: the taker's input balance was not what the override should have made it;
   * `no_output`: the call went through, but none of the watched holders got anything;
   * `out_of_gas`: it ran into the gas cap, which may be worth another try with a higher one.
   */
  readonly kind: 'done' | 'misfunded' | 'no_output' | 'out_of_gas'
  readonly result: CandidateResult
}

export function readBundle(
  outcome: RpcOutcome,
  {
    bundle,
    gasCap,
    errors,
    expected,
  }: {
    bundle: Bundle
    gasCap: bigint
    errors: ErrorTable
    /** The input balance that the taker must show, with how much more is accepted. */
    expected: { readonly amount: bigint; readonly tolerance: bigint }
  },
): BundleReading {
  const done = (result: CandidateResult): BundleReading => ({ kind: 'done', result })
  if (!outcome.ok)
    return { kind: needsGas(outcome) ? 'out_of_gas' : 'done', result: classifyRefusal(outcome) }
  const calls = readSimulated(outcome, bundle.calls.length)
  if (!calls) return done(unavailable('rpc_error', 'the fork gave no readable answer'))
  const misfunded = readFunding(calls, { bundle, expected })
  if (misfunded) return { kind: 'misfunded', result: misfunded }
  const swap = calls[bundle.swapIndex]
  if (!swap) return done(unavailable('rpc_error', 'the fork gave no readable answer'))
  if (!swap.ok) {
    const result = classifyHalt(swap, { gasCap, errors })
    return { kind: isOutOfGas(swap, gasCap) ? 'out_of_gas' : 'done', result }
  }
  const amountOut = readOutput(calls, { bundle, swap })
  if (amountOut <= 0n) return { kind: 'no_output', result: failed('no output received') }
  const sideEffect = readSideEffect(calls, { bundle, swap })
  const result = { status: 'ok' as const, amountOut, gasUsed: swap.gasUsed }
  return done(sideEffect === undefined ? result : { ...result, sideEffect })
}

function readFunding(
  calls: readonly SimulatedCall[],
  {
    bundle: { approveIndex, swapIndex, holders, readsFunding },
    expected: { amount, tolerance },
  }: { bundle: Bundle; expected: { amount: bigint; tolerance: bigint } },
): CandidateResult | undefined {
  if (approveIndex !== undefined && calls[approveIndex]?.ok !== true)
    return unavailable('slot_not_found', 'balance slot not found: the token refuses the approval')
  if (!readsFunding) return undefined
  const [balance] = readBalances(calls[swapIndex - 1], holders.length + 1)
  if (balance !== undefined && balance >= amount && balance <= amount + tolerance) return undefined
  return unavailable('slot_not_found', 'balance slot not found')
}

type SwapOf = { readonly bundle: Bundle; readonly swap: SimulatedCall }

/** Logs of all contracts first, which name what happened; then what they may not tell. */
function readSideEffect(
  calls: readonly SimulatedCall[],
  { bundle: { swapIndex, holdings, trade }, swap }: SwapOf,
): string | undefined {
  const [before, after] = [calls[swapIndex - 2], calls[swapIndex + 2]]
  return findSideEffect(swap.logs, trade) ?? findLoss(holdings, { before, after })
}

/** The taker's own gain counts first; only without one the best of those whom the calldata names. */
function readOutput(
  calls: readonly SimulatedCall[],
  { bundle: { swapIndex, holders, readsFunding, trade, gasPriceWei }, swap }: SwapOf,
): bigint {
  const lead = readsFunding ? 1 : 0
  const before = readBalances(calls[swapIndex - 1], lead + holders.length).slice(lead)
  const after = readBalances(calls[swapIndex + 1], holders.length)
  const gains = holders.map((holder, index) => {
    const [from, to] = [before[index], after[index]]
    if (from === undefined || to === undefined) return 0n
    // Who pays for gas in the currency that is bought has that much less of it.
    const paysGas = trade.tokenOut === zeroAddress && holder === trade.taker
    return to - from + (paysGas ? swap.gasUsed * gasPriceWei : 0n)
  })
  const [first = 0n, ...others] = gains
  if (first > 0n) return first
  let best = 0n
  for (const gain of others) if (gain > best) best = gain
  return best
}

function isOutOfGas({ gasUsed }: SimulatedCall, gasCap: bigint): boolean {
  return gasUsed >= gasCap
}
