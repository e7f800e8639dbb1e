import { orRefused, uint } from '../maths/checkedUint.ts'
import { type Curve, joinCurve } from '../maths/curve.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import { fitCurve } from '../maths/fittedCurve.ts'
import { curveDepth } from '../maths/fittedPool.ts'
import { stableInvariant, stableOne, toStableAmount } from '../maths/stablePairInvariant.ts'

/** A Camelot v2 pair: a fee per input token, constant product or x3y + y3x where `stable`. */
export type CamelotV2State = {
  readonly id: string
  readonly token0: string
  readonly token1: string
  readonly stable: boolean
  /** 10 ^ decimals of each token: `precisionMultiplier0` and `1`. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Fee on token 0 and on token 1 going in, over 100,000. */
  readonly token0FeePercent: bigint
  readonly token1FeePercent: bigint
  /**
   * The factory's `feeInfo`: part of a stable pair's fee, over 100,000, that leaves the pair at once;
   * 0 where nobody receives it.
   */
  readonly ownerFeeShare: bigint
}

type Trade = { readonly zeroForOne: boolean; readonly amountIn: bigint }

const feeDenominator = 100_000n
const maxReserve = 2n ** 112n - 1n
const maxRounds = 255
/** Gas of one hop through the executor; the stable kind iterates. */
const camelotV2Gas = { volatile: 110_000, stable: 140_000 } as const

/** `getAmountOut`: 0 for dust, undefined where it reverts. */
export function camelotV2AmountOut(
  state: CamelotV2State,
  { zeroForOne, amountIn }: Trade,
): bigint | undefined {
  return orRefused(() =>
    state.stable
      ? stableAmountOut(state, { zeroForOne, amountIn })
      : volatileAmountOut(state, { zeroForOne, amountIn }),
  )
}

function feeRate(state: CamelotV2State, zeroForOne: boolean): bigint {
  return zeroForOne ? state.token0FeePercent : state.token1FeePercent
}

function volatileAmountOut(state: CamelotV2State, { zeroForOne, amountIn }: Trade): bigint {
  const { reserve0, reserve1 } = state
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const paid = uint(amountIn * uint(feeDenominator - feeRate(state, zeroForOne)))
  return uint(paid * reserveOut) / uint(reserveIn * feeDenominator + paid)
}

function stableAmountOut(state: CamelotV2State, { zeroForOne, amountIn }: Trade): bigint {
  const { reserve0, reserve1, unit0, unit1 } = state
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const [unitIn, unitOut] = zeroForOne ? [unit0, unit1] : [unit1, unit0]
  const paid = uint(amountIn - uint(amountIn * feeRate(state, zeroForOne)) / feeDenominator)
  const x = uint(toStableAmount(paid, unitIn) + toStableAmount(reserveIn, unitIn))
  const y = toStableAmount(reserveOut, unitOut)
  const solution = solveStable({ x, y, invariant: pairInvariant(state, reserve0, reserve1) })
  return uint(uint(y - solution) * unitOut) / stableOne
}

/** `_k` of raw amounts. */
function pairInvariant(state: CamelotV2State, amount0: bigint, amount1: bigint): bigint {
  if (!state.stable) return uint(amount0 * amount1)
  const { unit0, unit1 } = state
  return stableInvariant(toStableAmount(amount0, unit0), toStableAmount(amount1, unit1))
}

type Target = { readonly x: bigint; readonly y: bigint; readonly invariant: bigint }

/** The older Solidly loop: terms grouped and rounded one by one, done when a step moves by 1 at most. */
function solveStable({ x, y: start, invariant }: Target): bigint {
  const cube = uint((uint(x * x) / stableOne) * x) / stableOne
  let y = start
  for (let round = 0; round < maxRounds; round++) {
    const square = uint(y * y) / stableOne
    const reached = uint(
      uint(x * (uint(square * y) / stableOne)) / stableOne + uint(cube * y) / stableOne,
    )
    const slope = uint(uint(3n * x * square) / stableOne + cube)
    const isBelow = reached < invariant
    const gap = isBelow ? invariant - reached : reached - invariant
    const step = uint(gap * stableOne) / slope
    y = uint(isBelow ? y + step : y - step)
    if (step <= 1n) return y
  }
  return y
}

/** The pair after a swap; undefined where `swap` would revert on what `getAmountOut` promised. */
function afterSwap(
  state: CamelotV2State,
  { zeroForOne, amountIn, amountOut }: Trade & { readonly amountOut: bigint },
): CamelotV2State | undefined {
  const rate = feeRate(state, zeroForOne)
  const withOutput = (added: bigint) =>
    zeroForOne
      ? { reserve0: state.reserve0 + added, reserve1: state.reserve1 - amountOut }
      : { reserve0: state.reserve0 - amountOut, reserve1: state.reserve1 + added }
  const share = state.stable ? state.ownerFeeShare : 0n
  const sentAway = (amountIn * share * rate) / feeDenominator ** 2n
  const next = withOutput(amountIn - sentAway)
  if (next.reserve0 <= 0n || next.reserve1 <= 0n) return undefined
  if (next.reserve0 > maxReserve || next.reserve1 > maxReserve) return undefined
  const checked = withOutput(amountIn - (amountIn * rate) / feeDenominator)
  const before = pairInvariant(state, state.reserve0, state.reserve1)
  if (pairInvariant(state, checked.reserve0, checked.reserve1) < before) return undefined
  return { ...state, ...next }
}

function camelotV2Curve(state: CamelotV2State, zeroForOne: boolean): Curve | undefined {
  const reserveIn = zeroForOne ? state.reserve0 : state.reserve1
  const reserveOut = zeroForOne ? state.reserve1 : state.reserve0
  const kept = 1 - Number(feeRate(state, zeroForOne)) / Number(feeDenominator)
  if (state.stable)
    return fitCurve({
      most: reserveIn * curveDepth,
      amountOut: (amountIn) => camelotV2AmountOut(state, { zeroForOne, amountIn }),
    })
  const depth = Number(reserveIn)
  const a = (kept * Number(reserveOut)) / depth
  return joinCurve([{ dx: Number(maxReserve - reserveIn), a, b: kept / depth }])
}

/** The pair as the engine sees it. */
export function createCamelotV2Pool(state: CamelotV2State): EnginePool {
  return {
    id: state.id,
    tokens: [state.token0, state.token1],
    gas: state.stable ? camelotV2Gas.stable : camelotV2Gas.volatile,
    curve: (i) => camelotV2Curve(state, i === 0),
    swap(i, _j, amountIn) {
      const zeroForOne = i === 0
      const amountOut = camelotV2AmountOut(state, { zeroForOne, amountIn })
      if (amountOut === undefined || amountOut <= 0n) return undefined
      const next = orRefused(() => afterSwap(state, { zeroForOne, amountIn, amountOut }))
      return next && { amountIn, amountOut, next: createCamelotV2Pool(next) }
    },
  }
}
