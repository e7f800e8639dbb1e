import { type Curve, joinCurve } from '../maths/curve.ts'
import type { EnginePool } from '../maths/enginePool.ts'

/** A constant product pair; `feePips` covers the forks (3000 Uniswap and Sushi, 2500 PancakeSwap). */
export type UniswapV2State = {
  readonly id: string
  readonly token0: string
  readonly token1: string
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly feePips: number
}

const maxReserve = 2n ** 112n - 1n
const onePips = 1_000_000n
/** Gas of one hop through the executor. */
const uniswapV2Gas = 80_000

/** Output rounded down as the router's getAmountOut does; undefined where the pair reverts. */
export function uniswapV2AmountOut(
  state: UniswapV2State,
  { zeroForOne, amountIn }: { readonly zeroForOne: boolean; readonly amountIn: bigint },
): bigint | undefined {
  const reserveIn = zeroForOne ? state.reserve0 : state.reserve1
  const reserveOut = zeroForOne ? state.reserve1 : state.reserve0
  if (amountIn <= 0n || reserveIn <= 0n) return undefined
  if (reserveIn + amountIn > maxReserve) return undefined
  const afterFee = amountIn * (onePips - BigInt(state.feePips))
  const amountOut = (afterFee * reserveOut) / (reserveIn * onePips + afterFee)
  return amountOut > 0n ? amountOut : undefined
}

function uniswapV2Curve(state: UniswapV2State, zeroForOne: boolean): Curve | undefined {
  const reserveIn = Number(zeroForOne ? state.reserve0 : state.reserve1)
  const reserveOut = Number(zeroForOne ? state.reserve1 : state.reserve0)
  const kept = 1 - state.feePips / 1e6
  const room = Number(maxReserve) - reserveIn
  return joinCurve([{ dx: room, a: (kept * reserveOut) / reserveIn, b: kept / reserveIn }])
}

/** The pair as the engine sees it. */
export function createUniswapV2Pool(state: UniswapV2State): EnginePool {
  return {
    id: state.id,
    tokens: [state.token0, state.token1],
    gas: uniswapV2Gas,
    curve: (i) => uniswapV2Curve(state, i === 0),
    swap(i, _j, amountIn) {
      const zeroForOne = i === 0
      const amountOut = uniswapV2AmountOut(state, { zeroForOne, amountIn })
      if (amountOut === undefined) return undefined
      const [in0, in1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
      const reserve0 = state.reserve0 + in0
      const reserve1 = state.reserve1 + in1
      return { amountIn, amountOut, next: createUniswapV2Pool({ ...state, reserve0, reserve1 }) }
    },
  }
}
