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
import { readSimulated, type SimulatedCall } from './readSimulated.ts'
import type { ErrorTable } from './revertReason.ts'
import type { RpcOutcome } from './rpcBatch.ts'

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
  const calls = readSimulated(outcome, bundle.callCount)
  if (!calls) return done(unavailable('rpc_error', 'the fork gave no readable answer'))
  const misfunded = readFunding(calls, { bundle, expected })
  if (misfunded) return { kind: 'misfunded', result: misfunded }
  const swap = calls[bundle.swapIndex]
  if (!swap) return done(unavailable('rpc_error', 'the fork gave no readable answer'))
  if (!swap.ok) {
    const result = classifyHalt(swap, { gasCap, errors })
    return { kind: isOutOfGas(swap, gasCap) ? 'out_of_gas' : 'done', result }
  }
  const amountOut = readOutput(calls, bundle)
  if (amountOut <= 0n) return { kind: 'no_output', result: failed('no output received') }
  return done({ status: 'ok', amountOut, gasUsed: swap.gasUsed })
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

/** The taker's own gain counts first; only without one the best of those whom the calldata names. */
function readOutput(
  calls: readonly SimulatedCall[],
  { swapIndex, holders, readsFunding }: Bundle,
): bigint {
  const lead = readsFunding ? 1 : 0
  const before = readBalances(calls[swapIndex - 1], lead + holders.length).slice(lead)
  const after = readBalances(calls[swapIndex + 1], holders.length)
  const gains = holders.map((_, index) => {
    const [from, to] = [before[index], after[index]]
    return from === undefined || to === undefined ? 0n : to - from
  })
  const [first = 0n, ...others] = gains
  if (first > 0n) return first
  return others.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n
}

function isOutOfGas({ gasUsed }: SimulatedCall, gasCap: bigint): boolean {
  return gasUsed >= gasCap
}
