import type { EnginePool } from '../maths/enginePool.ts'
import {
  type ConcentratedState,
  concentratedCurve,
  swapConcentrated,
} from './concentratedLiquidity.ts'

/** Uniswap v3 and its forks: Sushi v3, PancakeSwap v3, Aerodrome Slipstream (fee read per block). */
export type UniswapV3State = ConcentratedState & {
  readonly id: string
  readonly token0: string
  readonly token1: string
  readonly feePips: number
  readonly tickSpacing: number
}

/** Gas of one hop through the executor. */
const uniswapV3Gas = 110_000

/** The pool as the engine sees it. */
export function createUniswapV3Pool(state: UniswapV3State): EnginePool {
  return {
    id: state.id,
    tokens: [state.token0, state.token1],
    gas: uniswapV3Gas,
    curve: (i) => concentratedCurve(state, { zeroForOne: i === 0, feePips: state.feePips }),
    swap(i, _j, amountIn) {
      const zeroForOne = i === 0
      const { feePips, tickSpacing: tableSpacing } = state
      const swap = swapConcentrated(state, { zeroForOne, amountIn, feePips, tableSpacing })
      if (!swap) return undefined
      const { sqrtPriceX96, tick, liquidity } = swap
      const next = createUniswapV3Pool({ ...state, sqrtPriceX96, tick, liquidity })
      return { amountIn: swap.amountIn, amountOut: swap.amountOut, next }
    },
  }
}
