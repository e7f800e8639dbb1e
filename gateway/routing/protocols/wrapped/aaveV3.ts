import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import { createRatedPool, type RatedFamily, type RatedTrade, ratedAmountOut } from './ratedPool.ts'

/** A reserve of Aave v3: what it takes, then its aToken, one for one. Lists are by token. */
export type AaveV3State = {
  readonly id: string
  readonly tokens: readonly string[]
  /**
   * The greatest swap that is paid in this token: what is there to be withdrawn, and room below the cap; below
   * zero by what is missing before anything is.
   */
  readonly mosts: readonly bigint[]
  /** Most units that a supply loses by rounding. */
  readonly rounding: bigint
}

const asset = 0

/**
 * The least that is delivered, whatever the index is by then. A supply mints whole scaled units, worth
 * `rounding` less at most. Who is sent aTokens has at least as many, and withdraws all of them.
 */
function trade(state: AaveV3State, { i, j, amountIn }: RatedTrade) {
  if (amountIn <= 0n || i === j) throw new RangeError('no trade')
  const mosts = replaceAt(state.mosts, {
    [i]: at(state.mosts, i) + amountIn,
    [j]: uint(at(state.mosts, j) - amountIn),
  })
  const kept = i === asset ? state.rounding : 0n
  const amountOut = amountIn > kept ? amountIn - kept : 0n
  return { amountOut, next: { ...state, mosts } }
}

const family: RatedFamily<AaveV3State> = {
  gas: 200_000,
  price: () => 1,
  most: ({ mosts }, _, j) => mosts[j] ?? 0n,
  trade,
}

/** What is delivered at least, 0 for dust; undefined where the market reverts. */
export function aaveV3AmountOut(state: AaveV3State, swap: RatedTrade): bigint | undefined {
  return ratedAmountOut(family, { state, trade: swap })
}

/** The reserve as the engine sees it. */
export function createAaveV3Pool(state: AaveV3State): EnginePool {
  return createRatedPool(family, state)
}
