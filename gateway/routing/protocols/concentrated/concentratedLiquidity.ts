import { addPiece, beginCurve, type Curve, endCurve } from '../maths/curve.ts'
import {
  maxSqrtRatioX96,
  maxTick,
  minSqrtRatioX96,
  minTick,
  sqrtRatioAtTick,
  tickAtSqrtRatio,
} from '../maths/tickMath.ts'
import type { LiquidityTick } from './tickRanges.ts'
import { tickRangesOf } from './tickRanges.ts'

/** Price and liquidity of a concentrated pool; `ticks` ascending. */
export type ConcentratedState = {
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  readonly ticks: readonly LiquidityTick[]
  /** Words of the tick table that a swap may walk through; no limit when undefined. */
  readonly mostWords?: number | undefined
}

export type ConcentratedSwap = {
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
}

export type ConcentratedParameters = {
  readonly zeroForOne: boolean
  readonly amountIn: bigint
  readonly feePips: number
  /**
   * Raw ticks per bit of the tick table: the tick spacing, or 1 where the table is not compressed.
   * Undefined where the pool links its ticks: steps go from one to the next.
   */
  readonly tableSpacing: number | undefined
}

const q96 = 1n << 96n
const onePips = 1_000_000n
const maxLiquidity = (1n << 128n) - 1n
/**
 * An exact-input swap with no price limit, equal to the contract to the wei: it rounds in every step,
 * and a step ends at the next initialised tick or at the border of a 256-bit word of the tick table.
 * When liquidity runs out `amountIn` is what was taken. Undefined for a state no contract can be in,
 * and where the contract would walk too far through empty words.
 */
export function swapConcentrated(
  state: ConcentratedState,
  { zeroForOne, amountIn, feePips, tableSpacing }: ConcentratedParameters,
): ConcentratedSwap | undefined {
  let { sqrtPriceX96, tick, liquidity } = state
  if (amountIn <= 0n || liquidity < 0n || feePips < 0 || feePips >= 1e6) return undefined
  if (!(tick >= minTick && tick <= maxTick)) return undefined
  const limit = zeroForOne ? minSqrtRatioX96 + 1n : maxSqrtRatioX96 - 1n
  if (zeroForOne ? sqrtPriceX96 <= limit : sqrtPriceX96 >= limit) return undefined
  const fee = BigInt(feePips)
  let remaining = amountIn
  let amountOut = 0n
  let index = findTickIndex(state.ticks, tick, zeroForOne)
  let words = 0
  while (remaining > 0n && sqrtPriceX96 !== limit) {
    const initialised = state.ticks[index]
    const next = nextTick({
      tick,
      initialised: initialised?.[0],
      zeroForOne,
      tableSpacing,
      liquidity,
    })
    words += tableSpacing === undefined ? 0 : Math.abs(next - tick) / (256 * tableSpacing)
    if (state.mostWords !== undefined && words > state.mostWords) return undefined
    const ratio = sqrtRatioAtTick(next)
    const target = zeroForOne ? maxOf(ratio, limit) : minOf(ratio, limit)
    if (zeroForOne ? target > sqrtPriceX96 : target < sqrtPriceX96) return undefined
    const step = swapStep({ sqrtPriceX96, target, liquidity, remaining, fee, zeroForOne })
    remaining -= step.amountIn
    amountOut += step.amountOut
    if (step.sqrtPriceX96 === ratio) {
      if (initialised && next === initialised[0]) {
        liquidity += zeroForOne ? -initialised[1] : initialised[1]
        if (liquidity < 0n || liquidity > maxLiquidity) return undefined
        index += zeroForOne ? -1 : 1
      }
      tick = zeroForOne ? next - 1 : next
    } else if (step.sqrtPriceX96 !== sqrtPriceX96) tick = tickAtSqrtRatio(step.sqrtPriceX96)
    sqrtPriceX96 = step.sqrtPriceX96
  }
  return { amountIn: amountIn - remaining, amountOut, sqrtPriceX96, tick, liquidity }
}

function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** Downwards the greatest initialised tick at or below `tick`, upwards the least one above it. */
function findTickIndex(ticks: readonly LiquidityTick[], tick: number, zeroForOne: boolean): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle] as LiquidityTick)[0] <= tick) low = middle + 1
    else high = middle
  }
  return zeroForOne ? low - 1 : low
}

type NextTick = {
  readonly tick: number
  readonly initialised: number | undefined
  readonly zeroForOne: boolean
  readonly tableSpacing: number | undefined
  readonly liquidity: bigint
}

/** Where the next step ends; without liquidity no amount moves, so empty words are skipped at once. */
function nextTick({ tick, initialised, zeroForOne, tableSpacing, liquidity }: NextTick): number {
  const end = zeroForOne ? minTick : maxTick
  if (liquidity === 0n || tableSpacing === undefined) return initialised ?? end
  const compressed = Math.floor(tick / tableSpacing)
  if (zeroForOne) {
    const border = (compressed >> 8) * 256 * tableSpacing
    return Math.max(initialised ?? border, border, end)
  }
  const border = (((compressed + 1) >> 8) * 256 + 255) * tableSpacing
  return Math.min(initialised ?? border, border, end)
}

type Step = {
  readonly sqrtPriceX96: bigint
  readonly target: bigint
  readonly liquidity: bigint
  readonly remaining: bigint
  readonly fee: bigint
  readonly zeroForOne: boolean
}

/** SwapMath.computeSwapStep for exact input; `amountIn` includes the fee. */
function swapStep({ sqrtPriceX96, target, liquidity, remaining, fee, zeroForOne }: Step) {
  const afterFee = (remaining * (onePips - fee)) / onePips
  const full = zeroForOne
    ? amount0Up(target, sqrtPriceX96, liquidity)
    : amount1Up(sqrtPriceX96, target, liquidity)
  const reached = afterFee >= full
  const price = reached ? target : priceAfterInput(sqrtPriceX96, liquidity, afterFee, zeroForOne)
  const amountOut = zeroForOne
    ? ((sqrtPriceX96 - price) * liquidity) / q96
    : ((liquidity << 96n) * (price - sqrtPriceX96)) / price / sqrtPriceX96
  if (price !== target) return { sqrtPriceX96: price, amountIn: remaining, amountOut }
  const kept = onePips - fee
  return { sqrtPriceX96: price, amountIn: full + (full * fee + kept - 1n) / kept, amountOut }
}

/** Amount of token 0 between two prices, rounded up. */
function amount0Up(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  const numerator = (liquidity << 96n) * (upper - lower)
  const perUpper = (numerator + upper - 1n) / upper
  return (perUpper + lower - 1n) / lower
}

/** Amount of token 1 between two prices, rounded up. */
function amount1Up(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower) + q96 - 1n) / q96
}

function priceAfterInput(price: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean) {
  if (!zeroForOne) return price + (amount << 96n) / liquidity
  const numerator = liquidity << 96n
  const product = amount * price
  // The contract takes the other formula where amount * price, or else the sum, overflows 256 bits.
  if ((numerator + product) >> 256n === 0n) {
    const denominator = numerator + product
    return (numerator * price + denominator - 1n) / denominator
  }
  const denominator = numerator / price + amount
  return (numerator + denominator - 1n) / denominator
}

type Direction = { readonly zeroForOne: boolean; readonly feePips: number }

/** The swap as pieces between initialised ticks. */
export function concentratedCurve(
  state: ConcentratedState,
  { zeroForOne, feePips }: Direction,
): Curve | undefined {
  const kept = 1 - feePips / 1e6
  if (state.sqrtPriceX96 < minSqrtRatioX96 || state.sqrtPriceX96 > maxSqrtRatioX96) return undefined
  beginCurve(state.ticks.length + 1)
  if (!addRanges(state, zeroForOne, kept)) addTickByTick(state, { zeroForOne, kept })
  return endCurve()
}

/** Adds the pieces by the table's ranges; false where the state does not fit to its own ticks. */
function addRanges(
  { sqrtPriceX96, tick, liquidity, ticks }: ConcentratedState,
  zeroForOne: boolean,
  kept: number,
): boolean {
  const ranges = tickRangesOf(ticks)
  if (!ranges) return false
  const here = findTickIndex(ticks, tick, true)
  if (liquidity !== (ranges.liquidity[here] ?? 0n)) return false
  const end = ticks[zeroForOne ? here : here + 1]
  if (!end) return true
  const ratio = sqrtRatioAtTick(end[0])
  const width = zeroForOne ? sqrtPriceX96 - ratio : ratio - sqrtPriceX96
  if (width < 0n) return false
  const { depth, root, span } = ranges
  const at = (values: Float64Array, k: number) => values[k] as number
  const last = ticks.length - 1
  const add = zeroForOne ? downwards(kept) : upwards(kept)
  add(toRoot(sqrtPriceX96), toRoot(ratio), toRoot(width), Number(liquidity))
  if (zeroForOne)
    for (let k = here - 1; k >= 0; k--) add(at(root, k + 1), at(root, k), at(span, k), at(depth, k))
  else
    for (let k = here + 1; k < last; k++)
      add(at(root, k), at(root, k + 1), at(span, k), at(depth, k))
  return true
}

function toRoot(ratioX96: bigint): number {
  return Number(ratioX96) / 2 ** 96
}

/** The pieces of any state, tick by tick; a broken one ends them. */
function addTickByTick(
  state: ConcentratedState,
  { zeroForOne, kept }: { readonly zeroForOne: boolean; readonly kept: number },
): void {
  const { ticks } = state
  const limit = zeroForOne ? minSqrtRatioX96 + 1n : maxSqrtRatioX96 - 1n
  const add = zeroForOne ? downwards(kept) : upwards(kept)
  let price = state.sqrtPriceX96
  let liquidity = state.liquidity
  let index = findTickIndex(ticks, state.tick, zeroForOne)
  while (liquidity >= 0n) {
    const crossed = ticks[index]
    const ratio = crossed ? sqrtRatioAtTick(crossed[0]) : limit
    const width = zeroForOne ? price - ratio : ratio - price
    add(toRoot(price), toRoot(ratio), toRoot(width), Number(liquidity))
    if (!crossed) break
    if (width > 0n) price = ratio
    liquidity += zeroForOne ? -crossed[1] : crossed[1]
    index += zeroForOne ? -1 : 1
  }
}

/** A range between two square roots of the price that are `span` apart; loose numbers, for speed. */
type AddRange = (start: number, end: number, span: number, depth: number) => void

const downwards =
  (kept: number): AddRange =>
  (start, end, span, depth) => {
    if (!(depth > 0 && span > 0)) return
    addPiece((depth * span) / (start * end) / kept, kept * start * start, (kept * start) / depth)
  }

const upwards =
  (kept: number): AddRange =>
  (start, _end, span, depth) => {
    if (!(depth > 0 && span > 0)) return
    addPiece((depth * span) / kept, kept / (start * start), kept / (depth * start))
  }
