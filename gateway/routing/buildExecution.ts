import { type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { isNative } from '../chain/chains.ts'
import type { Route } from './engine/route.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/** What a wallet submits. For native input nothing is spent by allowance. */
export type Execution = {
  readonly spender: Address
  readonly target: Address
  readonly data: Hex
  readonly value: bigint
}

export type BuildExecutionParameters = {
  readonly executor: Address
  /** As the caller named them: the native currency by either of its addresses. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly minAmountOut: bigint
  /** Receives the output; whoever sends the transaction when undefined. */
  readonly taker?: Address | undefined
  readonly deadlineSecs: bigint
  readonly route: Route
  readonly pools: ReadonlyMap<string, PoolRecord>
}

/** The call of the SwapExecutor that runs a route. */
export function buildExecution(parameters: BuildExecutionParameters): Execution {
  const { executor, amountIn, minAmountOut, route, pools, deadlineSecs: deadline } = parameters
  const tokenIn = isNative(parameters.tokenIn) ? zeroAddress : parameters.tokenIn
  const tokenOut = isNative(parameters.tokenOut) ? zeroAddress : parameters.tokenOut
  const recipient = parameters.taker ?? zeroAddress
  const steps = route.steps.flatMap((step) => {
    const pool = pools.get(step.poolId)
    if (!pool) return []
    return [
      {
        ...familyOf(pool).encodeStep(pool, step),
        tokenIn: getAddress(step.tokenIn),
        tokenOut: getAddress(step.tokenOut),
        share: step.share,
      },
    ]
  })
  const data = encodeFunctionData({
    abi: swapExecutor.abi,
    functionName: 'swap',
    args: [{ tokenIn, amountIn, tokenOut, minAmountOut, recipient, deadline }, steps],
  })
  return {
    spender: executor,
    target: executor,
    data,
    value: tokenIn === zeroAddress ? amountIn : 0n,
  }
}
