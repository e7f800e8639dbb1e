import type { Candidate, CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'

export type ComparedCandidate = {
  readonly providerId: string
  readonly quotedOutput: bigint
  readonly candidate: Candidate
}

export type ComparedResult = {
  readonly providerId: string
  readonly quotedOutput: bigint
  readonly result: CandidateResult
}

export type Comparison =
  | {
      readonly status: 'ok'
      readonly blockNumber: bigint
      readonly results: readonly ComparedResult[]
      /** Provider of the highest simulated output; of equals the first. */
      readonly winnerProviderId: string | undefined
    }
  | { readonly status: 'unavailable' }

/** Dry-runs execution candidates on one block, in the order of the request. */
export async function compare(
  { simulator }: { readonly simulator: Simulator | undefined },
  {
    chainId,
    candidates,
    caller,
    signal,
  }: {
    readonly chainId: number
    readonly candidates: readonly ComparedCandidate[]
    readonly caller?: string | undefined
    readonly signal?: AbortSignal | undefined
  },
): Promise<Comparison> {
  if (!simulator) return { status: 'unavailable' }
  try {
    const report = await simulator.simulateCandidates({
      chainId,
      candidates: candidates.map(({ candidate }) => candidate),
      caller,
      signal,
    })
    const results = candidates.flatMap(({ providerId, quotedOutput }, index) => {
      const result = report.results[index]
      return result ? [{ providerId, quotedOutput, result }] : []
    })
    if (results.every(({ result }) => isRpcOutage(result))) return { status: 'unavailable' }
    return {
      status: 'ok',
      blockNumber: report.blockNumber,
      results,
      winnerProviderId: pickWinner(results),
    }
  } catch (error) {
    if (error instanceof SimulatorUnavailable) return { status: 'unavailable' }
    throw error
  }
}

function isRpcOutage(result: CandidateResult): boolean {
  return result.status === 'simulation_unavailable' && result.cause === 'rpc_error'
}

function pickWinner(results: readonly ComparedResult[]): string | undefined {
  let winner: { readonly providerId: string; readonly amountOut: bigint } | undefined
  for (const { providerId, result } of results) {
    if (result.status !== 'ok') continue
    if (!winner || result.amountOut > winner.amountOut)
      winner = { providerId, amountOut: result.amountOut }
  }
  return winner?.providerId
}
