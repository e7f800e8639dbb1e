import { wholeBps } from '../../../amounts/amounts.ts'
import { orRefused, uint } from '../maths/checkedUint.ts'
import { type Curve, joinCurve } from '../maths/curve.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import { fitCurve } from '../maths/fittedCurve.ts'
import { curveDepth } from '../maths/fittedPool.ts'
import { stableInvariant, stableOne, toStableAmount } from '../maths/stablePairInvariant.ts'

/** An Aerodrome v2 pool: constant product, or x3y + y3x where `stable`. */
export type AerodromeV2State = {
  readonly id: string
  readonly token0: string
  readonly token1: string
  readonly stable: boolean
  /** 10 ^ decimals of each token, as the pool keeps them. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** The factory's `getFee`, over 10,000; taken from the input and paid out of the pool at once. */
  readonly feeBps: bigint
}

type Trade = { readonly zeroForOne: boolean; readonly amountIn: bigint }

const maxRounds = 255
/** Gas of one hop through the executor; the stable kind iterates. */
const aerodromeV2Gas = { volatile: 120_000, stable: 150_000 } as const

/** `getAmountOut`: 0 for dust, undefined where it reverts. */
export function aerodromeV2AmountOut(
  state: AerodromeV2State,
  { zeroForOne, amountIn }: Trade,
): bigint | undefined {
  return orRefused(() => {
    const paid = uint(amountIn - feeOf(state, amountIn))
    return state.stable
      ? stableAmountOut(state, { zeroForOne, amountIn: paid })
      : volatileAmountOut(state, { zeroForOne, amountIn: paid })
  })
}

function feeOf(state: AerodromeV2State, amountIn: bigint): bigint {
  return uint(amountIn * state.feeBps) / wholeBps
}

function volatileAmountOut(state: AerodromeV2State, { zeroForOne, amountIn }: Trade): bigint {
  const { reserve0, reserve1 } = state
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  return uint(amountIn * reserveOut) / uint(reserveIn + amountIn)
}

function stableAmountOut(state: AerodromeV2State, { zeroForOne, amountIn }: Trade): bigint {
  const { reserve0, reserve1, unit0, unit1 } = state
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const [unitIn, unitOut] = zeroForOne ? [unit0, unit1] : [unit1, unit0]
  const x = uint(toStableAmount(amountIn, unitIn) + toStableAmount(reserveIn, unitIn))
  const y = toStableAmount(reserveOut, unitOut)
  const solution = solveStable(state, { x, y, invariant: poolInvariant(state, reserve0, reserve1) })
  return uint(uint(y - solution) * unitOut) / stableOne
}

/** `_k` of raw amounts. */
function poolInvariant(state: AerodromeV2State, amount0: bigint, amount1: bigint): bigint {
  if (!state.stable) return uint(amount0 * amount1)
  const { unit0, unit1 } = state
  return stableInvariant(toStableAmount(amount0, unit0), toStableAmount(amount1, unit1))
}

function stableSlope(x: bigint, y: bigint): bigint {
  const first = uint(3n * x * (uint(y * y) / stableOne)) / stableOne
  return uint(first + uint((uint(x * x) / stableOne) * x) / stableOne)
}

type Target = { readonly x: bigint; readonly y: bigint; readonly invariant: bigint }

/**
 * Newton's method ending as the contract's `_get_y` does. Where it looks one step up it passes scaled
 * amounts through `_k`, which scales them once more and token 0 first whatever the direction: the
 * results depend on it.
 */
function solveStable(state: AerodromeV2State, { x, y: start, invariant }: Target): bigint {
  let y = start
  for (let round = 0; round < maxRounds; round++) {
    const reached = stableInvariant(x, y)
    const isBelow = reached < invariant
    const gap = isBelow ? invariant - reached : reached - invariant
    let step = uint(gap * stableOne) / stableSlope(x, y)
    if (step === 0n) {
      if (reached === invariant) return y
      if (isBelow && poolInvariant(state, x, y + 1n) > invariant) return y + 1n
      if (!isBelow && stableInvariant(x, uint(y - 1n)) < invariant) return y
      step = 1n
    }
    y = uint(isBelow ? y + step : y - step)
  }
  throw new RangeError('no solution')
}

/** The pool after a swap; undefined where `swap` would revert on what `getAmountOut` promised. */
function afterSwap(
  state: AerodromeV2State,
  { zeroForOne, amountIn, amountOut }: Trade & { readonly amountOut: bigint },
): AerodromeV2State | undefined {
  const kept = amountIn - feeOf(state, amountIn)
  const reserve0 = state.reserve0 + (zeroForOne ? kept : -amountOut)
  const reserve1 = state.reserve1 + (zeroForOne ? -amountOut : kept)
  if (reserve0 <= 0n || reserve1 <= 0n) return undefined
  const before = poolInvariant(state, state.reserve0, state.reserve1)
  if (poolInvariant(state, reserve0, reserve1) < before) return undefined
  return { ...state, reserve0, reserve1 }
}

function aerodromeV2Curve(state: AerodromeV2State, zeroForOne: boolean): Curve | undefined {
  const reserveIn = zeroForOne ? state.reserve0 : state.reserve1
  const reserveOut = zeroForOne ? state.reserve1 : state.reserve0
  const kept = 1 - Number(state.feeBps) / Number(wholeBps)
  if (state.stable)
    return fitCurve({
      most: reserveIn * curveDepth,
      amountOut: (amountIn) => aerodromeV2AmountOut(state, { zeroForOne, amountIn }),
    })
  const depth = Number(reserveIn)
  const a = (kept * Number(reserveOut)) / depth
  return joinCurve([{ dx: Number.POSITIVE_INFINITY, a, b: kept / depth }])
}

/** The pool as the engine sees it. */
export function createAerodromeV2Pool(state: AerodromeV2State): EnginePool {
  return {
    id: state.id,
    tokens: [state.token0, state.token1],
    gas: state.stable ? aerodromeV2Gas.stable : aerodromeV2Gas.volatile,
    curve: (i) => aerodromeV2Curve(state, i === 0),
    swap(i, _j, amountIn) {
      const zeroForOne = i === 0
      const amountOut = aerodromeV2AmountOut(state, { zeroForOne, amountIn })
      if (amountOut === undefined || amountOut <= 0n) return undefined
      const next = orRefused(() => afterSwap(state, { zeroForOne, amountIn, amountOut }))
      return next && { amountIn, amountOut, next: createAerodromeV2Pool(next) }
    },
  }
}
