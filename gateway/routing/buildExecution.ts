import { hash } from 'node:crypto'
import { type Address, decodeFunctionData, type Hex, toFunctionSelector, zeroAddress } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { isNative } from '../chain/native.ts'
import type { Route, RouteStep } from './engine/route.ts'
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
  /** Of `encodeSteps`. */
  readonly encodedSteps: string
}

const swap = swapExecutor.abi.find((item) => item.type === 'function' && item.name === 'swap')
if (swap?.type !== 'function' || swap.name !== 'swap') throw new Error('the executor swaps')
const selector = toFunctionSelector(swap)

/** One word of calldata, without prefix. */
const toWord = (value: bigint | number) => value.toString(16).padStart(64, '0')
const addressToWord = (address: string) => address.slice(2).toLowerCase().padStart(64, '0')

/** Six words of parameters, then this one: where the steps begin. */
const stepsOffset = toWord(7 * 32)

/** Five words of its own, then this one: where its data begins. */
const dataOffset = toWord(6 * 32)

/**
 * The steps of a route as the calldata ends with them, without prefix. The greater part of the work, and
 * the same whoever asks: encoded once per route, and by hand, as an encoder of any type takes ten times as long.
 */
export function encodeSteps({
  route,
  pools,
}: {
  readonly route: Route
  readonly pools: ReadonlyMap<string, PoolRecord>
}): string {
  const steps = route.steps.flatMap((step) => {
    const pool = pools.get(step.poolId)
    return pool ? [encodeStep(step, pool)] : []
  })
  let offset = 32 * steps.length
  const offsets = steps.map(({ length }) => {
    const before = offset
    offset += length / 2
    return toWord(before)
  })
  return [toWord(steps.length), ...offsets, ...steps].join('')
}

function encodeStep(step: RouteStep, record: PoolRecord): string {
  const { kind, pool, data } = familyOf(record).encodeStep(record, step)
  const bytes = data.slice(2)
  const words = [
    toWord(kind),
    addressToWord(pool),
    addressToWord(step.tokenIn),
    addressToWord(step.tokenOut),
    toWord(step.share),
    dataOffset,
    toWord(bytes.length / 2),
    bytes,
  ]
  return words.join('')
}

/** A name for the pools of a payload, whatever flows through them; undefined of what is none. */
export function namePools(data: Hex): string | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: swapExecutor.abi, data })
    if (functionName !== 'swap') return undefined
    const [, steps] = args
    const pools = steps.map((step) =>
      [step.kind, step.pool, step.tokenIn, step.tokenOut, step.data].join(' '),
    )
    return hash('sha256', pools.toSorted().join())
  } catch {
    return undefined
  }
}

/** The call of the SwapExecutor that runs a route. */
export function buildExecution(parameters: BuildExecutionParameters): Execution {
  const { executor, amountIn, minAmountOut, deadlineSecs, encodedSteps } = parameters
  const tokenIn = isNative(parameters.tokenIn) ? zeroAddress : parameters.tokenIn
  const tokenOut = isNative(parameters.tokenOut) ? zeroAddress : parameters.tokenOut
  const words = [
    addressToWord(tokenIn),
    toWord(amountIn),
    addressToWord(tokenOut),
    toWord(minAmountOut),
    addressToWord(parameters.taker ?? zeroAddress),
    toWord(deadlineSecs),
    stepsOffset,
  ]
  return {
    spender: executor,
    target: executor,
    data: `${selector}${words.join('')}${encodedSteps}`,
    value: tokenIn === zeroAddress ? amountIn : 0n,
  }
}
