import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import { createRatedPool, type RatedFamily, type RatedTrade, ratedAmountOut } from './ratedPool.ts'

/**
 * Spark's PSM3: USDC, USDS and sUSDS in this order, the first two at par, the third at the savings rate:
 * github:sparkdotfi/spark-psm src/PSM3.sol. Lists are by token.
 */
export type Psm3State = {
  readonly id: string
  readonly tokens: readonly string[]
  /** 10 ^ decimals. */
  readonly units: readonly bigint[]
  /** What it can pay. */
  readonly reserves: readonly bigint[]
  /** Dollars of one sUSDS, times 1e27. */
  readonly rate: bigint
}

const ray = 10n ** 27n
const savings = 2

/** Rounds down wherever it divides, in the contract's order. */
function convert({ units, rate }: Psm3State, { i, j, amountIn }: RatedTrade): bigint {
  const [unitIn, unitOut] = [at(units, i), at(units, j)]
  if (i === savings) return uint((uint(amountIn * rate) / ray) * unitOut) / unitIn
  if (j === savings) return uint((uint(amountIn * ray) / rate) * unitOut) / unitIn
  return uint(amountIn * unitOut) / unitIn
}

function trade(state: Psm3State, swap: RatedTrade) {
  const { i, j, amountIn } = swap
  if (amountIn <= 0n || i === j) throw new RangeError('no trade')
  const amountOut = convert(state, swap)
  const reserves = replaceAt(state.reserves, {
    [i]: at(state.reserves, i) + amountIn,
    [j]: uint(at(state.reserves, j) - amountOut),
  })
  return { amountOut, next: { ...state, reserves } }
}

/** Raw units of token j for one of token i, unrounded. */
export function psm3Price({ units, rate }: Psm3State, i: number, j: number): number {
  const worth = (k: number) =>
    (k === savings ? Number(rate) / Number(ray) : 1) / Number(units[k] ?? 1n)
  return worth(i) / worth(j)
}

const family: RatedFamily<Psm3State> = {
  gas: 110_000,
  price: psm3Price,
  most: ({ reserves }, _, j) => reserves[j] ?? 0n,
  trade,
}

/** What the pool pays, 0 for dust; undefined where it reverts. */
export function psm3AmountOut(state: Psm3State, swap: RatedTrade): bigint | undefined {
  return ratedAmountOut(family, { state, trade: swap })
}

/** The pool as the engine sees it. */
export function createPsm3Pool(state: Psm3State): EnginePool {
  return createRatedPool(family, state)
}
