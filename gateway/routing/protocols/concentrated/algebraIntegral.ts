import type { EnginePool } from '../maths/enginePool.ts'
import {
  type ConcentratedState,
  concentratedCurve,
  swapConcentrated,
} from './concentratedLiquidity.ts'

/** Algebra Integral: Uniswap v3 steps between linked ticks, with the fee that the pool names now. */
export type AlgebraIntegralState = ConcentratedState & {
  readonly id: string
  readonly token0: string
  readonly token1: string
  readonly feePips: number
}

/** Gas of one hop through the executor. */
const algebraIntegralGas = 120_000

/** The pool as the engine sees it. */
export function createAlgebraIntegralPool(state: AlgebraIntegralState): EnginePool {
  const { feePips } = state
  return {
    id: state.id,
    tokens: [state.token0, state.token1],
    gas: algebraIntegralGas,
    curve: (i) => concentratedCurve(state, { zeroForOne: i === 0, feePips }),
    swap(i, _j, amountIn) {
      const swap = swapConcentrated(state, {
        zeroForOne: i === 0,
        amountIn,
        feePips,
        tableSpacing: undefined,
      })
      if (!swap) return undefined
      const { sqrtPriceX96, tick, liquidity } = swap
      const next = createAlgebraIntegralPool({ ...state, sqrtPriceX96, tick, liquidity })
      return { amountIn: swap.amountIn, amountOut: swap.amountOut, next }
    },
  }
}
