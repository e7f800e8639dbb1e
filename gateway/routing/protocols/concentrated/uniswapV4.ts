import type { EnginePool } from '../maths/enginePool.ts'
import {
  type ConcentratedState,
  concentratedCurve,
  swapConcentrated,
} from './concentratedLiquidity.ts'

/** A pool of Uniswap v4's manager whose hooks, if any, are not asked about swaps. */
export type UniswapV4State = ConcentratedState & {
  readonly id: string
  /** In the order of the pool's currencies; native currency as its wrapped token. */
  readonly tokens: readonly string[]
  readonly tickSpacing: number
  readonly lpFeePips: number
  /** The protocol's part by direction, selling currency 0 first. */
  readonly protocolFeePips: readonly [number, number]
}

/** Gas of one hop through the executor. */
const uniswapV4Gas = 130_000
const onePips = 1_000_000
/** The manager's accounts hold 128 bits with a sign. */
const amountEnd = 1n << 127n

/** What a swap pays: the protocol's fee first, the liquidity's on what is left of it. */
export function uniswapV4FeePips(state: UniswapV4State, zeroForOne: boolean): number {
  const protocol = state.protocolFeePips[zeroForOne ? 0 : 1]
  return protocol + state.lpFeePips - Math.floor((protocol * state.lpFeePips) / onePips)
}

/** The pool as the engine sees it. */
export function createUniswapV4Pool(state: UniswapV4State): EnginePool {
  const { id, tokens, tickSpacing: tableSpacing } = state
  return {
    id,
    tokens,
    gas: uniswapV4Gas,
    curve: (i) =>
      concentratedCurve(state, { zeroForOne: i === 0, feePips: uniswapV4FeePips(state, i === 0) }),
    swap(i, _j, amountIn) {
      const zeroForOne = i === 0
      const feePips = uniswapV4FeePips(state, zeroForOne)
      const swap = swapConcentrated(state, { zeroForOne, amountIn, feePips, tableSpacing })
      if (!swap || swap.amountIn >= amountEnd || swap.amountOut >= amountEnd) return undefined
      const { sqrtPriceX96, tick, liquidity } = swap
      const next = createUniswapV4Pool({ ...state, sqrtPriceX96, tick, liquidity })
      return { amountIn: swap.amountIn, amountOut: swap.amountOut, next }
    },
  }
}
