import { type Address, encodeFunctionData, getAddress } from 'viem'
import { swapExecutor } from '../../../contracts/artifacts.ts'
import { familyOf } from '../protocols/families.ts'
import type { EnginePool, PoolSwap } from '../protocols/maths/enginePool.ts'
import { afterTax } from '../protocols/maths/taxedPool.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { TaxOf } from '../sync/syncedState.ts'
import type { Outcome, SwapStand, Trial } from './swapStand.ts'

export type PoolTrade = { readonly i: number; readonly j: number; readonly amountIn: bigint }
/** What is expected of a swap through the executor; undefined where it must refuse or pay nothing. */
export type Expected =
  | { readonly amountIn: bigint; readonly amountOut: bigint; readonly swap: PoolSwap }
  | undefined

const wholeShare = 1n << 64n
const noDeadline = 1n << 64n
/** A swap that costs more is refused by the engine: no wallet would send it. */
const dearGas = 3_000_000n

/** One step through one pool, delivered to the stand's own swapper. */
export function toTrial({ probe }: SwapStand, record: PoolRecord, trade: PoolTrade): Trial {
  const { i, j, amountIn } = trade
  const [tokenIn, tokenOut] = [i, j].map((index) => getAddress(record.tokens[index] as Address))
  if (!tokenIn || !tokenOut) throw new Error(`${record.id} has no such token`)
  const step = familyOf(record).encodeStep(record, {
    tokenIn: tokenIn.toLowerCase(),
    tokenOut: tokenOut.toLowerCase(),
  })
  const data = encodeFunctionData({
    abi: swapExecutor.abi,
    functionName: 'swap',
    args: [
      { tokenIn, amountIn, tokenOut, minAmountOut: 0n, recipient: probe, deadline: noDeadline },
      [{ ...step, tokenIn, tokenOut, share: wholeShare }],
    ],
  })
  return { tokenIn, value: 0n, data }
}

/** The engine's answer, with the taxes on the way into the executor and out of it. */
export function expectSwap(
  pool: EnginePool,
  { trade, taxOf }: { readonly trade: PoolTrade; readonly taxOf: TaxOf },
): Expected {
  const { i, j, amountIn } = trade
  const [taxIn, taxOut] = [taxOf(pool.tokens[i] ?? ''), taxOf(pool.tokens[j] ?? '')]
  const received = afterTax(amountIn, taxIn)
  const swap = pool.swap(i, j, received)
  if (!swap) return undefined
  const used = swap.amountIn === received ? amountIn : swap.amountIn
  const amountOut = afterTax(swap.amountOut, taxOut)
  return amountOut > 0n ? { amountIn: used, amountOut, swap } : undefined
}

/**
 * Units by which more may arrive, and leave, than is said: balances of aTokens are rounded in the market, in
 * the executor and with whoever swaps, and what is said is the least.
 */
export const roundingOf = ({ protocol }: Pick<PoolRecord, 'protocol'>): bigint =>
  protocol === 'aave_v3' ? 3n : 0n

/** Undefined where chain and engine agree but for what rounding adds, else what differs. */
export function describeDifference(
  expected: Expected,
  outcome: Outcome,
  rounding = 0n,
): string | undefined {
  const isSame = (said: bigint, got: bigint) => got >= said && got <= said + rounding
  const paid = outcome.ok && outcome.amountOut > (expected ? 0n : rounding)
  if (!expected && paid && outcome.gasUsed > dearGas) return undefined
  if (!expected) return paid ? `refused, but ${outcome.amountOut} was paid` : undefined
  if (!paid)
    return `expected ${expected.amountOut}, refused: ${outcome.reason?.slice(0, 138) ?? ''}`
  if (!isSame(expected.amountOut, outcome.amountOut))
    return `expected ${expected.amountOut}, got ${outcome.amountOut}`
  return isSame(expected.amountIn, outcome.amountIn)
    ? undefined
    : `expected to spend ${expected.amountIn}, spent ${outcome.amountIn}`
}
