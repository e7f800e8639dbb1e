import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import {
  createFittedPool,
  curveDepth,
  type FittedFamily,
  type FittedTrade,
  fittedAmountOut,
} from '../maths/fittedPool.ts'
import { converge, nextInvariant } from '../maths/stableSwapBalance.ts'
import {
  type BalancerV3VaultState,
  divUpRaw,
  type PoolTrade,
  swapThroughVault,
  type VaultOutcome,
} from './balancerV3Vault.ts'

/** A Balancer v3 stable pool. */
export type BalancerV3StableState = BalancerV3VaultState & {
  /** Amplification with three extra digits, at the block: it may be moving. */
  readonly amp: bigint
  /** Whether the pool refuses balances 10,000 apart: those of the 2026 factory do. */
  readonly limitsImbalance: boolean
}

/** Gas of one hop through the executor. */
const balancerV3StableGas = 200_000
/** Extra digits of Balancer's amplification. */
export const ampPrecision = 1000n
const maxImbalance = 10_000n

/** The invariant D of both Balancer generations, rounded down. */
export function computeInvariant(amp: bigint, balances: readonly bigint[]): bigint {
  const count = BigInt(balances.length)
  const sum = uint(balances.reduce((total, balance) => total + balance, 0n))
  const ann = amp * count
  return converge(sum, (invariant) => {
    const product = balances.reduce(
      (value, balance) => uint(value * invariant) / (balance * count),
      invariant,
    )
    return nextInvariant(invariant, { sum, product, ann, count, precision: ampPrecision })
  })
}

/** Balance of token j that keeps the invariant, rounded up; the first token starts the product. */
function computeBalance(
  amp: bigint,
  { balances, invariant, j }: { balances: readonly bigint[]; invariant: bigint; j: number },
): bigint {
  const count = BigInt(balances.length)
  const ann = amp * count
  const [first = 0n, ...others] = balances
  const product = others.reduce(
    (value, balance) => uint(uint(value * balance) * count) / invariant,
    uint(first * count),
  )
  const sum = balances.reduce((total, balance) => total + balance, 0n) - at(balances, j)
  const squared = uint(invariant * invariant)
  const c = uint(divUpRaw(squared * ampPrecision, uint(ann * product)) * at(balances, j))
  const b = uint(sum + (invariant * ampPrecision) / ann)
  return converge(divUpRaw(squared + c, invariant + b), (balance) =>
    divUpRaw(uint(balance * balance) + c, uint(2n * balance + b - invariant)),
  )
}

function requireBalance(balances: readonly bigint[]): void {
  if (balances.some((greater) => balances.some((less) => greater / less >= maxImbalance)))
    throw new RangeError('imbalance ratio exceeded')
}

function onSwap(state: BalancerV3StableState, { i, j, balances, amountIn }: PoolTrade): bigint {
  const invariant = computeInvariant(state.amp, balances)
  const grown = replaceAt(balances, { [i]: uint(at(balances, i) + amountIn) })
  const left = computeBalance(state.amp, { balances: grown, invariant, j })
  const amountOut = uint(at(balances, j) - left - 1n)
  if (state.limitsImbalance) requireBalance(replaceAt(grown, { [j]: at(balances, j) - amountOut }))
  return amountOut
}

function trade(state: BalancerV3StableState, parameters: FittedTrade) {
  return swapThroughVault(state, parameters, (poolTrade) => onSwap(state, poolTrade))
}

const family: FittedFamily<BalancerV3StableState, VaultOutcome> = {
  gas: () => balancerV3StableGas,
  most: (state, i) => (state.balancesRaw[i] ?? 0n) * curveDepth,
  trade,
  settle: (state, { outcome: { balancesRaw, lastBalancesLiveScaled18 } }) => ({
    ...state,
    balancesRaw,
    lastBalancesLiveScaled18,
  }),
}

/** What the vault pays, 0 for dust; undefined where it reverts. */
export function balancerV3StableAmountOut(
  state: BalancerV3StableState,
  trade: FittedTrade,
): bigint | undefined {
  return fittedAmountOut(family, { state, trade })
}

/** The pool as the engine sees it. */
export function createBalancerV3StablePool(state: BalancerV3StableState): EnginePool {
  return createFittedPool(family, state)
}
