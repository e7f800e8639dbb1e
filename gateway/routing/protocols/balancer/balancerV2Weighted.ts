import { at, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import {
  createFittedPool,
  type FittedFamily,
  type FittedTrade,
  fittedAmountOut,
} from '../maths/fittedPool.ts'
import { complement, divDown, mulDown, one18 } from '../maths/fixedPoint18.ts'
import { powUp, powUpPlain } from '../maths/logExpMath.ts'
import {
  type BalancerV2Outcome,
  type BalancerV2State,
  type ScaledTrade,
  swapThroughV2Vault,
} from './balancerV2Pool.ts'
import { divUpRaw } from './balancerV3Vault.ts'

/** A Balancer v2 weighted pool. */
export type BalancerV2WeightedState = BalancerV2State & {
  /** 18 decimals, together 1e18. */
  readonly weights: readonly bigint[]
  /** The first version knows no whole exponents: its powers all have the error margin. */
  readonly hasPlainPowers?: boolean | undefined
}

/** Gas of one hop through the executor. */
const balancerV2WeightedGas = 110_000
const maxInRatio = (3n * one18) / 10n

function onSwap(state: BalancerV2WeightedState, { i, j, balances, amountIn }: ScaledTrade): bigint {
  const balanceIn = at(balances, i)
  if (amountIn > mulDown(balanceIn, maxInRatio)) throw new RangeError('more than 30 % in')
  const base = divUpRaw(uint(balanceIn * one18), balanceIn + amountIn)
  const exponent = divDown(at(state.weights, i), at(state.weights, j))
  const power = state.hasPlainPowers ? powUpPlain : powUp
  return mulDown(at(balances, j), complement(power(base, exponent)))
}

function trade(state: BalancerV2WeightedState, parameters: FittedTrade) {
  return swapThroughV2Vault(state, parameters, (scaled) => onSwap(state, scaled))
}

const family: FittedFamily<BalancerV2WeightedState, BalancerV2Outcome> = {
  gas: () => balancerV2WeightedGas,
  most: (state, i) => ((state.balances[i] ?? 0n) * maxInRatio) / one18,
  trade,
  settle: (state, { outcome: { balances, cash } }) => ({ ...state, balances, cash }),
}

/** What the vault pays, 0 for dust; undefined where it reverts. */
export function balancerV2WeightedAmountOut(
  state: BalancerV2WeightedState,
  trade: FittedTrade,
): bigint | undefined {
  return fittedAmountOut(family, { state, trade })
}

/** The pool as the engine sees it. */
export function createBalancerV2WeightedPool(state: BalancerV2WeightedState): EnginePool {
  return createFittedPool(family, state)
}
