import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import {
  createFittedPool,
  curveDepth,
  type FittedFamily,
  type FittedTrade,
  fittedAmountOut,
} from '../maths/fittedPool.ts'
import { ampPrecision, converge, nextInvariant, stableBalance } from '../maths/stableSwapBalance.ts'

/** A Curve StableSwapNG plain pool. */
export type CurveStableNgState = {
  readonly id: string
  readonly tokens: readonly string[]
  /** Raw: `get_balances()`, without the admin's share. */
  readonly balances: readonly bigint[]
  /** `stored_rates()`: 10 ^ (36 - decimals) times the rate of the token. */
  readonly rates: readonly bigint[]
  /** Amplification with two extra digits, at the block: it may be moving. */
  readonly aPrecise: bigint
  /** Over 1e10. */
  readonly fee: bigint
  /** Over 1e10; up to 1e10 the fee is static. */
  readonly offpegFeeMultiplier: bigint
  /** The admin's part of the fee, over 1e10. */
  readonly adminFee: bigint
}

type Outcome = { readonly amountOut: bigint; readonly adminShare: bigint }

const one = 10n ** 18n
const feeUnit = 10n ** 10n
/** Gas of one hop through the executor. */
const curveStableNgGas = 190_000

/** Divides by n^n once per step, after all coins. */
function ngInvariant(xp: readonly bigint[], aPrecise: bigint): bigint {
  const count = BigInt(xp.length)
  const sum = uint(xp.reduce((total, x) => total + x, 0n))
  const ann = aPrecise * count
  const powered = count ** count
  return converge(sum, (invariant) => {
    const product = xp.reduce((value, x) => uint(value * invariant) / x, invariant) / powered
    return nextInvariant(invariant, { sum, product, ann, count, precision: ampPrecision })
  })
}

/** Rises with the imbalance of the two coins; `exchange` looks at their averages over the trade. */
function dynamicFee(state: CurveStableNgState, xpi: bigint, xpj: bigint): bigint {
  const { fee, offpegFeeMultiplier } = state
  if (offpegFeeMultiplier <= feeUnit) return fee
  const squaredSum = uint((xpi + xpj) ** 2n)
  const bent = uint((offpegFeeMultiplier - feeUnit) * 4n * xpi * xpj) / squaredSum
  return uint(offpegFeeMultiplier * fee) / (bent + feeUnit)
}

/** `exchange` computes spot prices for its oracle afterwards and reverts where they do not exist. */
function refreshOracle(xp: readonly bigint[], aPrecise: bigint, invariant: bigint): void {
  const count = BigInt(xp.length)
  const xp0 = at(xp, 0)
  const scaled = uint(aPrecise * count * xp0) / ampPrecision
  const product = xp.reduce((value, x) => uint(value * invariant) / x, invariant / count ** count)
  for (let k = 1; k < xp.length; k++)
    uint(uint(one * (scaled + uint(product * xp0) / at(xp, k))) / (scaled + product))
}

function trade(state: CurveStableNgState, { i, j, amountIn }: FittedTrade): Outcome {
  if (amountIn <= 0n || i === j) throw new RangeError('no trade')
  const { aPrecise } = state
  const xp = state.balances.map((balance, k) => uint(balance * at(state.rates, k)) / one)
  const x = uint(at(xp, i) + uint(amountIn * at(state.rates, i)) / one)
  const invariant = ngInvariant(xp, aPrecise)
  const y = stableBalance({ i, j, x, xp, aPrecise, invariant })
  const scaledOut = uint(at(xp, j) - y - 1n)
  const fee = dynamicFee(state, (at(xp, i) + x) / 2n, (at(xp, j) + y) / 2n)
  const scaledFee = uint(scaledOut * fee) / feeUnit
  refreshOracle(replaceAt(xp, { [i]: x, [j]: y }), aPrecise, invariant)
  const rate = at(state.rates, j)
  return {
    amountOut: uint((scaledOut - scaledFee) * one) / rate,
    adminShare: (((scaledFee * state.adminFee) / feeUnit) * one) / rate,
  }
}

const family: FittedFamily<CurveStableNgState, Outcome> = {
  gas: () => curveStableNgGas,
  most: (state, i) => (state.balances[i] ?? 0n) * curveDepth,
  trade,
  settle: (state, { i, j, amountIn, outcome }) => ({
    ...state,
    balances: replaceAt(state.balances, {
      [i]: at(state.balances, i) + amountIn,
      [j]: at(state.balances, j) - outcome.amountOut - outcome.adminShare,
    }),
  }),
}

/** What `exchange` pays, 0 for dust; undefined where it reverts. */
export function curveStableNgAmountOut(
  state: CurveStableNgState,
  trade: FittedTrade,
): bigint | undefined {
  return fittedAmountOut(family, { state, trade })
}

/** The pool as the engine sees it. */
export function createCurveStableNgPool(state: CurveStableNgState): EnginePool {
  return createFittedPool(family, state)
}
