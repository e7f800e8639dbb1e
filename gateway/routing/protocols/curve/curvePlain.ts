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

/** A plain Curve StableSwap pool of 2 to 4 coins from a factory before NG. */
export type CurvePlainState = {
  readonly id: string
  readonly tokens: readonly string[]
  /** Raw, without the admin's share: `balances(i)`. */
  readonly balances: readonly bigint[]
  /** 10 ^ (36 - decimals). */
  readonly rates: readonly bigint[]
  /** Amplification with two extra digits, at the block: it may be moving. */
  readonly aPrecise: bigint
  /** Over 1e10. */
  readonly fee: bigint
  /** The admin's part of the fee, over 1e10. */
  readonly adminFee: bigint
}

type Outcome = { readonly amountOut: bigint; readonly adminShare: bigint }

const one = 10n ** 18n
const feeUnit = 10n ** 10n
/** Gas of one hop through the executor. */
const curvePlainGas = 130_000

/**
 * The 2-coin code divides by n^n once a step, the others by (balance * n) coin by coin: the results
 * differ in the last digits.
 */
function plainInvariant(xp: readonly bigint[], aPrecise: bigint): bigint {
  const count = BigInt(xp.length)
  const sum = uint(xp.reduce((total, x) => total + x, 0n))
  const ann = aPrecise * count
  const productOf = (invariant: bigint): bigint =>
    xp.length === 2
      ? xp.reduce((product, x) => uint(product * invariant) / x, invariant) / 4n
      : xp.reduce((product, x) => uint(product * invariant) / (x * count), invariant)
  return converge(sum, (invariant) =>
    nextInvariant(invariant, {
      sum,
      product: productOf(invariant),
      ann,
      count,
      precision: ampPrecision,
    }),
  )
}

function trade(state: CurvePlainState, { i, j, amountIn }: FittedTrade): Outcome {
  if (i === j) throw new RangeError('no trade')
  const xp = state.balances.map((balance, k) => uint(balance * at(state.rates, k)) / one)
  const x = uint(at(xp, i) + uint(amountIn * at(state.rates, i)) / one)
  const invariant = plainInvariant(xp, state.aPrecise)
  const y = stableBalance({ i, j, x, xp, aPrecise: state.aPrecise, invariant })
  const scaledOut = uint(at(xp, j) - y - 1n)
  const scaledFee = uint(scaledOut * state.fee) / feeUnit
  const rate = at(state.rates, j)
  return {
    amountOut: uint((scaledOut - scaledFee) * one) / rate,
    adminShare: (((scaledFee * state.adminFee) / feeUnit) * one) / rate,
  }
}

const family: FittedFamily<CurvePlainState, Outcome> = {
  gas: () => curvePlainGas,
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
export function curvePlainAmountOut(
  state: CurvePlainState,
  trade: FittedTrade,
): bigint | undefined {
  return fittedAmountOut(family, { state, trade })
}

/** The pool as the engine sees it. */
export function createCurvePlainPool(state: CurvePlainState): EnginePool {
  return createFittedPool(family, state)
}
