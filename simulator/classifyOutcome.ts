import { size } from 'viem'
import { describeRevert, type ErrorTable } from './revertReason.ts'
import type { SimulatedCall } from './rpc/readSimulated.ts'
import type { RpcOutcome } from './rpc/rpcBatch.ts'
import { unsupportedMark } from './systemOverrides.ts'

export type CandidateResult =
  | {
      readonly status: 'ok'
      readonly amountOut: bigint
      readonly gasUsed: bigint
      /** What was done to the taker beyond the trade, in words. */
      readonly sideEffect?: string | undefined
    }
  | { readonly status: 'simulation_failed'; readonly reason: string }
  | {
      readonly status: 'simulation_unavailable'
      readonly reason: string
      readonly cause: UnavailableCause
    }

/** `set_apart`: the fork of what may be hostile is not there; the chain and all others are. */
export type UnavailableCause = 'slot_not_found' | 'rpc_error' | 'unsupported' | 'set_apart'

export const failed = (reason: string): CandidateResult => ({ status: 'simulation_failed', reason })

export const unavailable = (cause: UnavailableCause, reason: string): CandidateResult => ({
  status: 'simulation_unavailable',
  reason,
  cause,
})

export const chainUnreachable = unavailable('rpc_error', 'the chain did not answer in time')

export const apartUnavailable = unavailable(
  'set_apart',
  'the fork for dear candidates is not ready',
)

const intrinsicGasCode = -32000

/**
 * What anvil says when it refuses the whole bundle. It gives no finer code than these, so its words
 * must be matched; they hold the upstream's URL and go no further than this function.
 */
export function classifyRefusal(outcome: RpcOutcome & { ok: false }): CandidateResult {
  if (outcome.message.includes('failed to get')) return chainUnreachable
  if (outcome.message.includes('InvalidFEOpcode'))
    return unavailable('unsupported', 'unsupported precompile')
  if (outcome.code === -32003) return failed('insufficient native balance for the value sent')
  if (needsGas(outcome)) return failed('gas cap is below the intrinsic gas of the calldata')
  if (outcome.code === -32603 && outcome.message.includes('EVM error'))
    return failed(
      `execution halted: ${/EVM error:? ?(\w+)/.exec(outcome.message)?.[1] ?? 'unknown'}`,
    )
  return unavailable('rpc_error', 'the fork refused the simulation')
}

/** The gas cap does not even pay for the calldata. */
export const needsGas = ({ code }: RpcOutcome & { ok: false }) => code === intrinsicGasCode

/** Why the candidate's own call did not succeed. */
export function classifyHalt(
  call: SimulatedCall,
  { gasCap, errors }: { gasCap: bigint; errors: ErrorTable },
): CandidateResult {
  if (call.returnData === unsupportedMark)
    return unavailable('unsupported', 'unsupported precompile')
  if (size(call.returnData) > 0) return failed(describeRevert(call.returnData, errors))
  if (call.gasUsed >= gasCap) return failed('gas cap exceeded')
  if (call.message.includes('InvalidFEOpcode'))
    return unavailable('unsupported', 'unsupported precompile')
  return failed('execution reverted without a reason')
}
