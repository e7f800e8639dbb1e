import { at, divUp, replaceAt, uint } from '../maths/checkedUint.ts'
import type { FittedTrade } from '../maths/fittedPool.ts'
import { mulDown, mulUp, one18 } from '../maths/fixedPoint18.ts'

/** What Balancer's v3 vault holds about a pool, whatever its maths. */
export type BalancerV3VaultState = {
  readonly id: string
  readonly tokens: readonly string[]
  readonly balancesRaw: readonly bigint[]
  /** 10 ^ (18 - decimals). */
  readonly scalingFactors: readonly bigint[]
  /** 18 decimals; 1e18 without a rate provider. */
  readonly rates: readonly bigint[]
  /** Live balances as the vault last wrote them: yield fees are due on what rose since. */
  readonly lastBalancesLiveScaled18: readonly bigint[]
  readonly paysYieldFees: readonly boolean[]
  /** Percentages with 18 decimals. */
  readonly swapFeePercentage: bigint
  readonly aggregateSwapFeePercentage: bigint
  readonly aggregateYieldFeePercentage: bigint
}

/** Live balances and the input after the fee, 18 decimals: what a pool's own maths sees. */
export type PoolTrade = {
  readonly i: number
  readonly j: number
  readonly balances: readonly bigint[]
  readonly amountIn: bigint
}

export type VaultOutcome = {
  readonly amountOut: bigint
  readonly balancesRaw: readonly bigint[]
  readonly lastBalancesLiveScaled18: readonly bigint[]
}

/** Scaled amounts below this are refused. */
const leastTrade = 1_000_000n
const balanceEnd = 1n << 128n

function toLive(state: BalancerV3VaultState, index: number, raw: bigint): bigint {
  return mulDown(uint(raw * at(state.scalingFactors, index)), at(state.rates, index))
}

/** Raw balances after the yield fee, which the vault takes before every swap. */
function settleYieldFees(state: BalancerV3VaultState): readonly bigint[] {
  return state.balancesRaw.map((raw, index) => {
    if (!state.paysYieldFees[index]) return raw
    const risen = toLive(state, index, raw) - at(state.lastBalancesLiveScaled18, index)
    if (risen <= 0n) return raw
    const due = mulUp(risen, state.aggregateYieldFeePercentage)
    return uint(raw - (due * one18) / (at(state.scalingFactors, index) * at(state.rates, index)))
  })
}

/** The out-token's rate, 1 wei up unless it is whole: the pool must not pay too much. */
function rateRoundedUp(rate: bigint): bigint {
  return rate % one18 === 0n ? rate : rate + 1n
}

function toBalance(value: bigint): bigint {
  if (value >= balanceEnd) throw new RangeError('balance overflow')
  return value
}

function requireLeast(amount: bigint): bigint {
  if (amount < leastTrade) throw new RangeError('trade amount too small')
  return amount
}

/** One exact-input swap through the vault; throws a RangeError where the vault or pool reverts. */
export function swapThroughVault(
  state: BalancerV3VaultState,
  { i, j, amountIn }: FittedTrade,
  onSwap: (trade: PoolTrade) => bigint,
): VaultOutcome {
  if (i === j) throw new RangeError('no trade')
  const raw = settleYieldFees(state)
  const live = raw.map((balance, index) => toLive(state, index, balance))
  const given = toLive(state, i, amountIn)
  const fee = mulUp(given, state.swapFeePercentage)
  const kept = requireLeast(uint(given - fee))
  const paid = requireLeast(uint(onSwap({ i, j, balances: live, amountIn: kept })))
  const unit = uint(at(state.scalingFactors, j) * rateRoundedUp(at(state.rates, j)))
  const amountOut = uint(paid * one18) / unit
  const feeRaw = (fee * one18) / (at(state.scalingFactors, i) * at(state.rates, i))
  const balancesRaw = replaceAt(raw, {
    [i]: toBalance(at(raw, i) + amountIn - mulDown(feeRaw, state.aggregateSwapFeePercentage)),
    [j]: toBalance(at(raw, j) - amountOut),
  })
  const lastBalancesLiveScaled18 = balancesRaw.map((balance, index) =>
    toBalance(toLive(state, index, balance)),
  )
  return { amountOut, balancesRaw, lastBalancesLiveScaled18 }
}

/** Ceiling of a over b for the pools' maths; a zero denominator is a revert. */
export function divUpRaw(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new RangeError('zero division')
  return divUp(a, b)
}
