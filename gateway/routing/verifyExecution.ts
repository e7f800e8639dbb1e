import { type Address, zeroAddress } from 'viem'
import { type Disguise, randomAddress, randomBelow } from '../../simulator/disguise.ts'
import type { Candidate, CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { wholeBps } from '../amounts/amounts.ts'
import { isNative } from '../chain/native.ts'
import type { Execution } from './buildExecution.ts'

export type Verification =
  | {
      /** `mismatched`: it ran, but delivered less than the output minus one basis point. */
      readonly status: 'verified' | 'mismatched'
      readonly amountOut: bigint
      /** Output of the quote above what was delivered, in basis points of the output; signed. */
      readonly deviationBps: number
      readonly blockLag: number
    }
  | { readonly status: 'failed'; readonly reason: string; readonly blockLag: number }
  | { readonly status: 'unavailable'; readonly reason: string }

/** What a dry run may miss of the output of a quote; less of a difference is none. */
export const toleranceBps = 1n

export type VerifyParameters = {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly taker?: Address | undefined
  readonly execution: Execution
  readonly amountOut: bigint
  readonly stateBlock: bigint
  readonly signal?: AbortSignal | undefined
}

type Deps = { readonly simulator: Simulator | undefined }

/** Runs the payload as the taker would on a fork at the quote's block or a later one. */
export async function verifyExecution(
  deps: Deps,
  parameters: VerifyParameters,
): Promise<Verification> {
  const [only] = await runAll(deps, parameters, [toCandidate(parameters)])
  return only ?? { status: 'unavailable', reason: 'no result' }
}

/** How a wallet would send the payload. */
export type AsSent = Pick<Disguise, 'gasPriceWei' | 'blockTimeMs'> & { readonly gasUsed: bigint }

/** The verdict over strangers' code, and whether it fell for somebody who is nobody in particular. */
export type Trial = { readonly verification: Verification; readonly fellForAnybody: boolean }

/** By so many units amounts may differ from block to block where a rate grows. */
const roundingUnits = 2n

/**
 * The same for code that may tell a dry run from a transaction: disguised as one, in the fork's block and in
 * those after it, from the taker and from somebody nobody has met. All have to deliver.
 */
export async function tryDisguised(
  deps: Deps,
  {
    asSent,
    forAnybody,
    ...parameters
  }: VerifyParameters & {
    readonly asSent: AsSent
    /** Pays whoever sends it, whatever comes out: what only this caller asks for is not the pools' fault. */
    readonly forAnybody: Execution
  },
): Promise<Trial> {
  const { taker, amountIn, amountOut, execution } = parameters
  const sent = [
    { taker: taker ?? randomAddress(), execution },
    { taker: taker ?? randomAddress(), execution },
    { taker: randomAddress(), execution: forAnybody },
  ]
  const candidates = sent.map((one, blocksAhead) => ({
    ...toCandidate({ ...parameters, ...one }),
    // Who sells all that it has is rare.
    heldAmount: amountIn + randomBelow(amountIn / 8n) + 1n,
    disguise: dress(asSent, blocksAhead),
  }))
  const verdicts = await runAll(deps, parameters, candidates)
  const worst = severity.map((status) => verdicts.find((each) => each.status === status))
  const verification = worst.find((each) => each !== undefined) ?? {
    status: 'unavailable' as const,
    reason: 'no result',
  }
  const last = verdicts.at(-1)
  const fellForAnybody =
    last?.status === 'failed' ||
    (last?.status === 'mismatched' && last.amountOut + roundingUnits < amountOut)
  return { verification, fellForAnybody }
}

const severity = ['failed', 'mismatched', 'unavailable', 'verified'] as const

/** Wallets leave some room above what was estimated, and pay about what others pay. */
function dress({ gasUsed, gasPriceWei, blockTimeMs }: AsSent, blocksAhead: number): Disguise {
  const gas = (gasUsed * (130n + randomBelow(70n))) / 100n + spareGas
  return {
    gas,
    blocksAhead,
    blockTimeMs,
    gasPriceWei: (gasPriceWei * (100n + randomBelow(20n))) / 100n,
  }
}
const spareGas = 60_000n

function toCandidate({
  tokenIn,
  tokenOut,
  amountIn,
  taker,
  execution,
}: VerifyParameters): Candidate {
  return {
    target: execution.target,
    data: execution.data,
    value: execution.value,
    tokenIn: isNative(tokenIn) ? zeroAddress : tokenIn,
    tokenOut: isNative(tokenOut) ? zeroAddress : tokenOut,
    amountIn,
    spender: isNative(tokenIn) ? undefined : execution.spender,
    ...(taker && { taker, recipient: taker }),
  }
}

async function runAll(
  { simulator }: Deps,
  { chainId, amountOut, stateBlock, signal }: VerifyParameters,
  candidates: readonly Candidate[],
): Promise<readonly Verification[]> {
  const none = (reason: string) =>
    candidates.map(() => ({ status: 'unavailable' as const, reason }))
  if (!simulator) return none('no simulator is configured')
  try {
    const { results, blockNumber } = await simulator.simulateCandidates({
      chainId,
      candidates,
      minBlock: stateBlock,
      signal,
    })
    const blockLag = Math.abs(Number(blockNumber - stateBlock))
    return results.map((result) => judge(result, { amountOut, blockLag }))
  } catch (error) {
    if (error instanceof SimulatorUnavailable) return none('the simulator is out of reach')
    throw error
  }
}

function judge(
  result: CandidateResult,
  { amountOut, blockLag }: { readonly amountOut: bigint; readonly blockLag: number },
): Verification {
  if (result.status === 'simulation_unavailable')
    return { status: 'unavailable', reason: result.reason }
  if (result.status === 'simulation_failed')
    return { status: 'failed', reason: result.reason, blockLag }
  const delivered = result.amountOut
  const isEnough = delivered * wholeBps >= amountOut * (wholeBps - toleranceBps)
  return {
    status: isEnough ? 'verified' : 'mismatched',
    amountOut: delivered,
    deviationBps: Number(((amountOut - delivered) * wholeBps) / amountOut),
    blockLag,
  }
}
