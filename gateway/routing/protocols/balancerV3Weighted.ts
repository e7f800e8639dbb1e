import {
  type BalancerV3VaultState,
  divUpRaw,
  type PoolTrade,
  swapThroughVault,
  type VaultTrade,
} from './balancerV3Vault.ts'
import { at, orRefused, uint } from './checkedUint.ts'
import type { EnginePool } from './enginePool.ts'
import { fitCurve } from './fittedCurve.ts'
import { complement, divDown, mulDown, one18 } from './fixedPoint18.ts'
import { powUp } from './logExpMath.ts'

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

function trade(state: BalancerV3WeightedState, parameters: VaultTrade) {
  return swapThroughVault(state, parameters, (poolTrade) => onSwap(state, poolTrade))
}

/** What the vault pays, 0 for dust; undefined where it reverts. */
export function balancerV3WeightedAmountOut(
  state: BalancerV3WeightedState,
  parameters: VaultTrade,
): bigint | undefined {
  return orRefused(() => trade(state, parameters).amountOut)
}

/** The pool as the engine sees it. */
export function createBalancerV3WeightedPool(state: BalancerV3WeightedState): EnginePool {
  return {
    id: state.id,
    tokens: state.tokens,
    gas: balancerV3WeightedGas,
    curve: (i, j) =>
      fitCurve({
        most: ((state.balancesRaw[i] ?? 0n) * maxInRatio) / one18,
        amountOut: (amountIn) => balancerV3WeightedAmountOut(state, { i, j, amountIn }),
      }),
    swap(i, j, amountIn) {
      const outcome = orRefused(() => trade(state, { i, j, amountIn }))
      if (!outcome || outcome.amountOut <= 0n) return undefined
      const { amountOut, ...balances } = outcome
      return { amountIn, amountOut, next: createBalancerV3WeightedPool({ ...state, ...balances }) }
    },
  }
}
