import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { FittedTrade } from '../maths/fittedPool.ts'
import { divDown, mulDown, mulUp } from '../maths/fixedPoint18.ts'

/** What Balancer's v2 vault and a pool say of it, whatever its maths. */
export type BalancerV2State = {
  readonly id: string
  /** Without the pool's own token. */
  readonly tokens: readonly string[]
  readonly balances: readonly bigint[]
  /** The part of each balance that the vault itself holds: no more can be paid. */
  readonly cash: readonly bigint[]
  /** 18 decimals; 10 ^ (18 - decimals), times the rate where there is one. */
  readonly scalingFactors: readonly bigint[]
  /** 18 decimals. */
  readonly swapFeePercentage: bigint
  readonly isPaused: boolean
}

/** What a pool's own maths sees: scaled balances, and the input after the fee. */
export type ScaledTrade = FittedTrade & { readonly balances: readonly bigint[] }

export type BalancerV2Outcome = {
  readonly amountOut: bigint
  readonly balances: readonly bigint[]
  readonly cash: readonly bigint[]
}

/** The vault packs a balance's two parts in 112 bits each. */
const balanceEnd = 1n << 112n

/** One exact-input swap through the vault; throws a RangeError where the vault or pool reverts. */
export function swapThroughV2Vault(
  state: BalancerV2State,
  { i, j, amountIn }: FittedTrade,
  onSwap: (trade: ScaledTrade) => bigint,
): BalancerV2Outcome {
  if (state.isPaused || amountIn <= 0n || i === j) throw new RangeError('no trade')
  const { scalingFactors } = state
  const kept = uint(amountIn - mulUp(amountIn, state.swapFeePercentage))
  const balances = state.balances.map((balance, k) => mulDown(balance, at(scalingFactors, k)))
  const paid = uint(onSwap({ i, j, balances, amountIn: mulDown(kept, at(scalingFactors, i)) }))
  const amountOut = divDown(paid, at(scalingFactors, j))
  const move = (amounts: readonly bigint[]) =>
    replaceAt(amounts, { [i]: at(amounts, i) + amountIn, [j]: uint(at(amounts, j) - amountOut) })
  const moved = { amountOut, balances: move(state.balances), cash: move(state.cash) }
  if (at(moved.balances, i) >= balanceEnd) throw new RangeError('balance overflow')
  return moved
}
