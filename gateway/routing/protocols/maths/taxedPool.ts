import { wholeBps } from '../../../amounts/amounts.ts'
import type { Curve } from './curve.ts'
import type { EnginePool } from './enginePool.ts'

export type TaxedPoolParameters = {
  /** Tax of each of the pool's tokens in basis points, in their order. */
  readonly taxesBps: readonly number[]
  /** Whether the pool takes less than it was promised: a pair does, concentrated pools revert. */
  readonly takesTaxedInput: boolean
}

/** What arrives of a transfer: the tax is rounded down, as such tokens compute it. */
export function afterTax(amount: bigint, taxBps: number): bigint {
  return amount - (amount * BigInt(taxBps)) / wholeBps
}

/** The least amount of which `amount` arrives. */
export function beforeTax(amount: bigint, taxBps: number): bigint {
  if (taxBps <= 0 || BigInt(taxBps) >= wholeBps) return amount
  let gross = (amount * wholeBps) / (wholeBps - BigInt(taxBps))
  while (gross > 0n && afterTax(gross - 1n, taxBps) >= amount) gross -= 1n
  return gross
}

function taxCurve(curve: Curve, keptIn: number, keptOut: number): Curve {
  return {
    count: curve.count,
    x: curve.x.map((x) => x / keptIn),
    y: curve.y.map((y) => y * keptOut),
    a: curve.a.map((a) => a * keptIn * keptOut),
    b: curve.b.map((b) => b * keptIn),
    over: curve.over,
  }
}

/** A pool some of whose tokens lose a part on every transfer: into the pool and out of it. */
export function createTaxedPool(
  pool: EnginePool,
  { taxesBps, takesTaxedInput }: TaxedPoolParameters,
): EnginePool {
  const taxOf = (index: number) => taxesBps[index] ?? 0
  const isClosed = (i: number) => taxOf(i) > 0 && !takesTaxedInput
  return {
    id: pool.id,
    tokens: pool.tokens,
    gas: pool.gas,
    curve(i, j) {
      const curve = isClosed(i) ? undefined : pool.curve(i, j)
      return (
        curve && taxCurve(curve, 1 - taxOf(i) / Number(wholeBps), 1 - taxOf(j) / Number(wholeBps))
      )
    },
    swap(i, j, amountIn) {
      if (isClosed(i)) return undefined
      const received = afterTax(amountIn, taxOf(i))
      const swap = pool.swap(i, j, received)
      if (!swap) return undefined
      return {
        amountIn: swap.amountIn === received ? amountIn : swap.amountIn,
        amountOut: afterTax(swap.amountOut, taxOf(j)),
        next: createTaxedPool(swap.next, { taxesBps, takesTaxedInput }),
      }
    },
  }
}
