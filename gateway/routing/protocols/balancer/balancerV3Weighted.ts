import { at, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import {
  createFittedPool,
  type FittedFamily,
  type FittedTrade,
  fittedAmountOut,
} from '../maths/fittedPool.ts'
import { complement, divDown, mulDown, one18 } from '../maths/fixedPoint18.ts'
import { powUp } from '../maths/logExpMath.ts'
import {
  type BalancerV3VaultState,
  divUpRaw,
  type PoolTrade,
  swapThroughVault,
  type VaultOutcome,
} from './balancerV3Vault.ts'

/** A Balancer v3 weighted pool. */
export type BalancerV3WeightedState = BalancerV3VaultState & {
  /** 18 decimals, together 1e18. */
  readonly weights: readonly bigint[]
  /** Live balances a swap must leave, of pools of the 2026 factory; undefined for 2024's. */
  readonly minBalances?: readonly bigint[] | undefined
}

/** Gas of one hop through the executor. */
const balancerV3WeightedGas = 190_000
const maxInRatio = (3n * one18) / 10n

function onSwap(state: BalancerV3WeightedState, trade: PoolTrade): bigint {
  const { i, j, balances, amountIn } = trade
  const { minBalances } = state
  const balanceIn = at(balances, i) + (minBalances ? 1n : 0n)
  const balanceOut = at(balances, j)
  if (minBalances && balanceIn < at(minBalances, i)) throw new RangeError('balance below minimum')
  if (amountIn > mulDown(balanceIn, maxInRatio)) throw new RangeError('more than 30 % in')
  const base = divUpRaw(uint(balanceIn * one18), balanceIn + amountIn)
  const exponent = divDown(at(state.weights, i), at(state.weights, j))
  const amountOut = mulDown(balanceOut, complement(powUp(base, exponent)))
  if (minBalances && balanceOut - amountOut < at(minBalances, j))
    throw new RangeError('balance below minimum')
  return amountOut
}

function trade(state: BalancerV3WeightedState, parameters: FittedTrade) {
  return swapThroughVault(state, parameters, (poolTrade) => onSwap(state, poolTrade))
}

const family: FittedFamily<BalancerV3WeightedState, VaultOutcome> = {
  gas: () => balancerV3WeightedGas,
  most: (state, i) => (at(state.balancesRaw, i) * maxInRatio) / one18,
  trade,
  settle: (state, { outcome: { balancesRaw, lastBalancesLiveScaled18 } }) => ({
    ...state,
    balancesRaw,
    lastBalancesLiveScaled18,
  }),
}

/** What the vault pays, 0 for dust; undefined where it reverts. */
export function balancerV3WeightedAmountOut(
  state: BalancerV3WeightedState,
  trade: FittedTrade,
): bigint | undefined {
  return fittedAmountOut(family, { state, trade })
}

/** The pool as the engine sees it. */
export function createBalancerV3WeightedPool(state: BalancerV3WeightedState): EnginePool {
  return createFittedPool(family, state)
}
