import { wholeBps } from '../../../amounts/amounts.ts'
import { orRefused, uint } from '../maths/checkedUint.ts'
import { type Curve, type CurvePiece, joinCurve } from '../maths/curve.ts'
import type { EnginePool } from '../maths/enginePool.ts'

/** Reserves of one bin, raw amounts. */
export type LiquidityBookBin = {
  readonly id: number
  readonly reserveX: bigint
  readonly reserveY: bigint
}

/** A Liquidity Book pair, 2.1 or 2.2: their swaps are the same. */
export type LiquidityBookState = {
  readonly id: string
  readonly tokenX: string
  readonly tokenY: string
  /** Price step of neighbouring bins. */
  readonly binStepBps: number
  readonly activeId: number
  /** All bins of the pair that hold liquidity, by rising id. */
  readonly bins: readonly LiquidityBookBin[]
  readonly baseFactor: number
  readonly filterPeriodSecs: number
  readonly decayPeriodSecs: number
  /** What a decaying volatility keeps. */
  readonly reductionFactorBps: number
  readonly variableFeeControl: number
  /** The protocol's part of the fee. */
  readonly protocolShareBps: number
  readonly maxVolatilityAccumulator: number
  readonly volatilityAccumulator: number
  readonly volatilityReference: number
  readonly idReference: number
  readonly lastUpdateSecs: number
  /** Timestamp of the block that will hold the swap: the fee decays with time. */
  readonly nowSecs: number
}

export type LiquidityBookSwap = {
  readonly amountInLeft: bigint
  readonly amountOut: bigint
  readonly fee: bigint
  readonly next: LiquidityBookState
}

type Direction = { readonly swapForY: boolean }
type BinSwap = { readonly amountIn: bigint; readonly amountOut: bigint; readonly fee: bigint }

/** Gas of one hop through the executor, a few bins. */
const liquidityBookGas = 150_000
/** A bin's distance counts so much volatility. */
const volatilityOfBin = Number(wholeBps)
const one18 = 10n ** 18n
const scaleX128 = 1n << 128n
const uint256Max = (1n << 256n) - 1n
const uint128End = 1n << 128n
/** The bin whose price is 1. */
const middleId = 1 << 23
/** The contract's power takes exponents of 20 bits. */
const exponentBits = 20

function uint128(value: bigint): bigint {
  if (value >= uint128End) throw new RangeError('outside of 128 bits')
  return value
}

/** Price of X in Y of a bin as Q128.128, rounded as the contract's power does. */
export function binPriceX128(id: number, binStepBps: number): bigint {
  const exponent = id - middleId
  const distance = Math.abs(exponent)
  if (distance >= 1 << exponentBits) throw new RangeError('exponent out of bounds')
  // The base is above 1: it is inverted first, so that all squares fit.
  let squaredX128 = uint256Max / (scaleX128 + (BigInt(binStepBps) << 128n) / wholeBps)
  let resultX128 = scaleX128
  for (let k = 0; k < exponentBits; k++) {
    if ((distance >> k) & 1) resultX128 = (resultX128 * squaredX128) >> 128n
    squaredX128 = (squaredX128 * squaredX128) >> 128n
  }
  if (resultX128 === 0n) throw new RangeError('price underflow')
  return exponent > 0 ? uint256Max / resultX128 : resultX128
}

/** References as the first step of a swap renews them: held, decayed or dropped by age. */
function renewReferences(state: LiquidityBookState): LiquidityBookState {
  const ageSecs = state.nowSecs - state.lastUpdateSecs
  const renewed = { ...state, lastUpdateSecs: state.nowSecs }
  if (ageSecs < state.filterPeriodSecs) return renewed
  const kept = Math.floor(
    (state.volatilityAccumulator * state.reductionFactorBps) / Number(wholeBps),
  )
  const volatilityReference = ageSecs < state.decayPeriodSecs ? kept : 0
  return { ...renewed, idReference: state.activeId, volatilityReference }
}

function volatilityAt(state: LiquidityBookState, binId: number): number {
  const moved = state.volatilityReference + Math.abs(binId - state.idReference) * volatilityOfBin
  return Math.min(moved, state.maxVolatilityAccumulator)
}

/** Base and variable fee, 18 decimals. */
function totalFee(state: LiquidityBookState, volatility: number): bigint {
  const step = BigInt(state.binStepBps)
  const base = BigInt(state.baseFactor) * step * 10n ** 10n
  const bent = (BigInt(volatility) * step) ** 2n * BigInt(state.variableFeeControl)
  return uint128(base + (bent + 99n) / 100n)
}

/** The input a whole bin takes without fees, rounded up. */
function inputOfBin(reserveOut: bigint, { priceX128, swapForY }: Direction & PriceX128): bigint {
  return swapForY
    ? ((reserveOut << 128n) + priceX128 - 1n) / priceX128
    : (reserveOut * priceX128 + scaleX128 - 1n) >> 128n
}

type PriceX128 = { readonly priceX128: bigint }

function swapBin(
  bin: LiquidityBookBin,
  { priceX128, swapForY, fee, offered }: Direction & PriceX128 & { fee: bigint; offered: bigint },
): BinSwap {
  const reserveOut = swapForY ? bin.reserveY : bin.reserveX
  const mostKept = uint128(inputOfBin(reserveOut, { priceX128, swapForY }))
  const kept18 = uint(one18 - fee)
  const mostFee = (mostKept * fee + kept18 - 1n) / kept18
  const most = uint128(mostKept + mostFee)
  if (offered >= most) return { amountIn: most, amountOut: reserveOut, fee: mostFee }
  const feeTaken = (offered * fee + one18 - 1n) / one18
  const kept = offered - feeTaken
  const bought = uint128(swapForY ? (kept * priceX128) >> 128n : (kept << 128n) / priceX128)
  return { amountIn: offered, amountOut: bought, fee: feeTaken }
}

function settleBin(
  state: LiquidityBookState,
  { bin, swap, swapForY }: Direction & { bin: LiquidityBookBin; swap: BinSwap },
): LiquidityBookBin {
  const share = (swap.fee * BigInt(state.protocolShareBps)) / wholeBps
  const added = swap.amountIn - share
  return swapForY
    ? { ...bin, reserveX: bin.reserveX + added, reserveY: bin.reserveY - swap.amountOut }
    : { ...bin, reserveX: bin.reserveX - swap.amountOut, reserveY: bin.reserveY + added }
}

/** Bins from the active one on, in the order the swap meets them. */
function binsAhead(state: LiquidityBookState, swapForY: boolean): readonly LiquidityBookBin[] {
  return swapForY
    ? state.bins.filter((bin) => bin.id <= state.activeId).reverse()
    : state.bins.filter((bin) => bin.id >= state.activeId)
}

/** `getSwapOut`: walks the bins until the input is used up or none is left. */
function walkBins(
  state: LiquidityBookState,
  { swapForY, amountIn }: Direction & { amountIn: bigint },
): LiquidityBookSwap {
  let next = renewReferences(state)
  let amountInLeft = uint128(amountIn)
  let amountOut = 0n
  let fee = 0n
  const settled = new Map<number, LiquidityBookBin>()
  for (const bin of binsAhead(state, swapForY)) {
    next = { ...next, activeId: bin.id }
    if ((swapForY ? bin.reserveY : bin.reserveX) > 0n) {
      next = { ...next, volatilityAccumulator: volatilityAt(next, bin.id) }
      const priceX128 = binPriceX128(bin.id, state.binStepBps)
      const binFee = totalFee(next, next.volatilityAccumulator)
      const swap = swapBin(bin, { priceX128, swapForY, fee: binFee, offered: amountInLeft })
      settled.set(bin.id, settleBin(state, { bin, swap, swapForY }))
      amountInLeft -= swap.amountIn
      amountOut += swap.amountOut
      fee += swap.fee
    }
    if (amountInLeft === 0n) break
  }
  const bins = state.bins.map((bin) => settled.get(bin.id) ?? bin)
  return { amountInLeft, amountOut: uint128(amountOut), fee, next: { ...next, bins } }
}

/** What the pair's `getSwapOut` answers, and the pair afterwards; undefined where it reverts. */
export function liquidityBookSwapOut(
  state: LiquidityBookState,
  parameters: { readonly swapForY: boolean; readonly amountIn: bigint },
): LiquidityBookSwap | undefined {
  return orRefused(() => walkBins(state, parameters))
}

/** A bin has one price: each is one straight piece. */
function liquidityBookCurve(state: LiquidityBookState, swapForY: boolean): Curve | undefined {
  const renewed = renewReferences(state)
  const pieces: CurvePiece[] = []
  for (const bin of binsAhead(state, swapForY)) {
    const reserveOut = swapForY ? bin.reserveY : bin.reserveX
    if (reserveOut === 0n) continue
    const priceX128 = binPriceX128(bin.id, state.binStepBps)
    const kept = 1 - Number(totalFee(renewed, volatilityAt(renewed, bin.id))) / 1e18
    const dx = Number(inputOfBin(reserveOut, { priceX128, swapForY })) / kept
    pieces.push({ dx, a: Number(reserveOut) / dx, b: 0 })
  }
  return joinCurve(pieces)
}

/** The pair as the engine sees it. */
export function createLiquidityBookPool(state: LiquidityBookState): EnginePool {
  return {
    id: state.id,
    tokens: [state.tokenX, state.tokenY],
    gas: liquidityBookGas,
    curve: (i) => orRefused(() => liquidityBookCurve(state, i === 0)),
    swap(i, _j, amountIn) {
      if (amountIn <= 0n) return undefined
      const swap = liquidityBookSwapOut(state, { swapForY: i === 0, amountIn })
      // The pair's own swap reverts when it runs out of bins, and when it pays nothing.
      if (!swap || swap.amountInLeft > 0n || swap.amountOut === 0n) return undefined
      return { amountIn, amountOut: swap.amountOut, next: createLiquidityBookPool(swap.next) }
    },
  }
}
