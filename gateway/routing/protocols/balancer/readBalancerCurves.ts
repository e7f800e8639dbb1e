import { parseAbi } from 'viem'
import type { LoadParameters, ReadDeps } from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'

/** What sets the curve of a pool, in either vault. */
export type BalancerCurve = {
  /** Of weighted pools; empty for stable ones. */
  readonly weights: readonly bigint[]
  /** Of stable pools, with three extra digits; 0 for weighted ones. */
  readonly amp: bigint
  /** The amplification is on the move. */
  readonly isUpdating: boolean
}

/** Undefined for what answers as no such pool. */
export type ReadBalancerCurves = (
  deps: ReadDeps,
  parameters: LoadParameters,
) => Promise<readonly (BalancerCurve | undefined)[]>

const abi = parseAbi([
  'function getNormalizedWeights() view returns (uint256[])',
  'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256)',
])
const toCalls = ({ pools }: LoadParameters) => pools.map(({ address: target }) => ({ target }))

export const readWeights: ReadBalancerCurves = async (deps, parameters) => {
  const { blockNumber } = parameters
  const calls = toCalls(parameters)
  const all = await readEach(deps, {
    abi,
    functionName: 'getNormalizedWeights',
    calls,
    blockNumber,
  })
  return all.map((weights) =>
    weights && weights.length > 0 ? { weights, amp: 0n, isUpdating: false } : undefined,
  )
}

export const readAmplification: ReadBalancerCurves = async (deps, parameters) => {
  const { blockNumber } = parameters
  const calls = toCalls(parameters)
  const functionName = 'getAmplificationParameter'
  const all = await readEach(deps, { abi, functionName, calls, blockNumber })
  return all.map((answer) => {
    const [amp = 0n, isUpdating = false] = answer ?? []
    return amp > 0n ? { weights: [], amp, isUpdating } : undefined
  })
}

/** Whether the weights, where there are any, are those of the tokens. */
export const isWhole = ({ weights }: BalancerCurve, tokens: readonly unknown[]): boolean =>
  weights.length === 0 || weights.length === tokens.length

/**
 * The depth of a weighted pool towards its least weight, where its price moves by most: the balance where both
 * weigh the same. What a pool moves by near a peg says nothing about its depth.
 */
export function depthOf(
  { weights }: Pick<BalancerCurve, 'weights'>,
  { i, balance = 0n }: { readonly i: number; readonly balance: bigint | undefined },
): number | undefined {
  const own = Number(weights[i] ?? 0n)
  const least = Math.min(...weights.filter((_, k) => k !== i).map(Number))
  return weights.length > 0 ? (2 * Number(balance) * least) / (own + least) : undefined
}
