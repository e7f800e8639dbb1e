import { type Address, zeroAddress } from 'viem'
import type { Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { isNative } from '../chain/chains.ts'
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

const oneBps = 10_000n
const toleranceBps = 1n

/** Runs the payload as the taker would on a fork at the quote's block or a later one. */
export async function verifyExecution(
  { simulator }: { readonly simulator: Simulator | undefined },
  {
    chainId,
    tokenIn,
    tokenOut,
    amountIn,
    taker,
    execution,
    amountOut,
    stateBlock,
    signal,
  }: {
    readonly chainId: number
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly amountIn: bigint
    readonly taker?: Address | undefined
    readonly execution: Execution
    readonly amountOut: bigint
    readonly stateBlock: bigint
    readonly signal?: AbortSignal | undefined
  },
): Promise<Verification> {
  if (!simulator) return { status: 'unavailable', reason: 'no simulator is configured' }
  const candidate = {
    target: execution.target,
    data: execution.data,
    value: execution.value,
    tokenIn: isNative(tokenIn) ? zeroAddress : tokenIn,
    tokenOut: isNative(tokenOut) ? zeroAddress : tokenOut,
    amountIn,
    spender: isNative(tokenIn) ? undefined : execution.spender,
    ...(taker && { taker, recipient: taker }),
  }
  try {
    const { results, blockNumber } = await simulator.simulateCandidates({
      chainId,
      candidates: [candidate],
      minBlock: stateBlock,
      signal,
    })
    const [result] = results
    const blockLag = Math.abs(Number(blockNumber - stateBlock))
    if (!result || result.status === 'simulation_unavailable')
      return { status: 'unavailable', reason: result?.reason ?? 'no result' }
    if (result.status === 'simulation_failed')
      return { status: 'failed', reason: result.reason, blockLag }
    const delivered = result.amountOut
    const isEnough = delivered * oneBps >= amountOut * (oneBps - toleranceBps)
    return {
      status: isEnough ? 'verified' : 'mismatched',
      amountOut: delivered,
      deviationBps: Number(((amountOut - delivered) * oneBps) / amountOut),
      blockLag,
    }
  } catch (error) {
    if (error instanceof SimulatorUnavailable)
      return { status: 'unavailable', reason: 'the simulator is out of reach' }
    throw error
  }
}
