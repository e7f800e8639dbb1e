import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import {
  createFittedPool,
  curveDepth,
  type FittedFamily,
  type FittedTrade,
  fittedAmountOut,
} from '../maths/fittedPool.ts'
import { converge } from '../maths/stableSwapBalance.ts'
import {
  type BalancerV2Outcome,
  type BalancerV2State,
  type ScaledTrade,
  swapThroughV2Vault,
} from './balancerV2Pool.ts'
import { ampPrecision, computeInvariant } from './balancerV3Stable.ts'
import { divUpRaw } from './balancerV3Vault.ts'

/** A Balancer v2 composable stable pool, between its tokens; its own token is not traded here. */
export type BalancerV2StableState = BalancerV2State & {
  /** Amplification with three extra digits, at the block: it may be moving. */
  readonly amp: bigint
}

/** Gas of one hop through the executor. */
const balancerV2StableGas = 150_000

type Target = { readonly balances: readonly bigint[]; readonly invariant: bigint; j: number }

/** Balance of token j that keeps the invariant; both quotients of the amplification are cut early. */
function computeBalance(amp: bigint, { balances, invariant, j }: Target): bigint {
  const count = BigInt(balances.length)
  const ann = amp * count
  const [first = 0n, ...others] = balances
  const product = others.reduce(
    (value, balance) => uint(uint(value * balance) * count) / invariant,
    uint(first * count),
  )
  const sum = uint(balances.reduce((total, balance) => total + balance, 0n)) - at(balances, j)
  const squared = uint(invariant * invariant)
  const quotient = uint(divUpRaw(squared, uint(ann * product)) * ampPrecision)
  const c = uint(quotient * at(balances, j))
  const b = uint(sum + (invariant / ann) * ampPrecision)
  return converge(divUpRaw(uint(squared + c), uint(invariant + b)), (balance) =>
    divUpRaw(uint(uint(balance * balance) + c), uint(2n * balance + b - invariant)),
  )
}

function onSwap(state: BalancerV2StableState, { i, j, balances, amountIn }: ScaledTrade): bigint {
  const invariant = computeInvariant(state.amp, balances)
  const grown = replaceAt(balances, { [i]: uint(at(balances, i) + amountIn) })
  const left = computeBalance(state.amp, { balances: grown, invariant, j })
  return uint(at(balances, j) - left - 1n)
}

function trade(state: BalancerV2StableState, parameters: FittedTrade) {
  return swapThroughV2Vault(state, parameters, (scaled) => onSwap(state, scaled))
}

const family: FittedFamily<BalancerV2StableState, BalancerV2Outcome> = {
  gas: () => balancerV2StableGas,
  most: (state, i) => (state.balances[i] ?? 0n) * curveDepth,
  trade,
  settle: (state, { outcome: { balances, cash } }) => ({ ...state, balances, cash }),
}

/** What the vault pays, 0 for dust; undefined where it reverts. */
export function balancerV2StableAmountOut(
  state: BalancerV2StableState,
  trade: FittedTrade,
): bigint | undefined {
  return fittedAmountOut(family, { state, trade })
}

/** The pool as the engine sees it. */
export function createBalancerV2StablePool(state: BalancerV2StableState): EnginePool {
  return createFittedPool(family, state)
}
