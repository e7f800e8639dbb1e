import type { EnginePool } from '../maths/enginePool.ts'
import {
  type ConcentratedState,
  concentratedCurve,
  swapConcentrated,
} from './concentratedLiquidity.ts'

/** Algebra 1.9, which Camelot v3 runs: Uniswap v3 steps with a fee of its own per direction. */
export type AlgebraV19State = ConcentratedState & {
  readonly id: string
  readonly token0: string
  readonly token1: string
  /** Fees of the next swap, token 0 to token 1 and back: see `algebraFees.ts`. */
  readonly feeZtoPips: number
  readonly feeOtzPips: number
}

/** The tick table has one bit per tick, whatever the tick spacing. */
const tableSpacing = 1
/** Gas of one hop through the executor; the volatility oracle writes once a block. */
const algebraV19Gas = 150_000

/** The pool as the engine sees it. */
export function createAlgebraV19Pool(state: AlgebraV19State): EnginePool {
  const feePipsOf = (zeroForOne: boolean) => (zeroForOne ? state.feeZtoPips : state.feeOtzPips)
  return {
    id: state.id,
    tokens: [state.token0, state.token1],
    gas: algebraV19Gas,
    curve: (i) => concentratedCurve(state, { zeroForOne: i === 0, feePips: feePipsOf(i === 0) }),
    swap(i, _j, amountIn) {
      const zeroForOne = i === 0
      const feePips = feePipsOf(zeroForOne)
      const swap = swapConcentrated(state, { zeroForOne, amountIn, feePips, tableSpacing })
      if (!swap) return undefined
      const { sqrtPriceX96, tick, liquidity } = swap
      const next = createAlgebraV19Pool({ ...state, sqrtPriceX96, tick, liquidity })
      return { amountIn: swap.amountIn, amountOut: swap.amountOut, next }
    },
  }
}
