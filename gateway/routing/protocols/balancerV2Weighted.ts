import {
  type BalancerV2State,
  type BalancerV2Trade,
  type ScaledTrade,
  swapThroughV2Vault,
} from './balancerV2Pool.ts'
import { divUpRaw } from './balancerV3Vault.ts'
import { at, orRefused, uint } from './checkedUint.ts'
import type { EnginePool } from './enginePool.ts'
import { fitCurve } from './fittedCurve.ts'
import { complement, divDown, mulDown, one18 } from './fixedPoint18.ts'
import { powUp } from './logExpMath.ts'

/** A Balancer v2 weighted pool. */
export type BalancerV2WeightedState = BalancerV2State & {
  /** 18 decimals, together 1e18. */
  readonly weights: readonly bigint[]
}

/** Gas of one hop through the executor. */
const balancerV2WeightedGas = 110_000
const maxInRatio = (3n * one18) / 10n

function onSwap(state: BalancerV2WeightedState, { i, j, balances, amountIn }: ScaledTrade): bigint {
  const balanceIn = at(balances, i)
  if (amountIn > mulDown(balanceIn, maxInRatio)) throw new RangeError('more than 30 % in')
  const base = divUpRaw(uint(balanceIn * one18), balanceIn + amountIn)
  const exponent = divDown(at(state.weights, i), at(state.weights, j))
  return mulDown(at(balances, j), complement(powUp(base, exponent)))
}

function trade(state: BalancerV2WeightedState, parameters: BalancerV2Trade) {
  return swapThroughV2Vault(state, parameters, (scaled) => onSwap(state, scaled))
}

/** What the vault pays, 0 for dust; undefined where it reverts. */
export function balancerV2WeightedAmountOut(
  state: BalancerV2WeightedState,
  parameters: BalancerV2Trade,
): bigint | undefined {
  return orRefused(() => trade(state, parameters).amountOut)
}

/** The pool as the engine sees it. */
export function createBalancerV2WeightedPool(state: BalancerV2WeightedState): EnginePool {
  return {
    id: state.id,
    tokens: state.tokens,
    gas: balancerV2WeightedGas,
    curve: (i, j) =>
      fitCurve({
        most: ((state.balances[i] ?? 0n) * maxInRatio) / one18,
        amountOut: (amountIn) => balancerV2WeightedAmountOut(state, { i, j, amountIn }),
      }),
    swap(i, j, amountIn) {
      const outcome = orRefused(() => trade(state, { i, j, amountIn }))
      if (!outcome || outcome.amountOut <= 0n) return undefined
      const { amountOut, ...balances } = outcome
      return { amountIn, amountOut, next: createBalancerV2WeightedPool({ ...state, ...balances }) }
    },
  }
}
