import { wholeBps } from '../../../amounts/amounts.ts'
import { at, replaceAt, uint } from '../maths/checkedUint.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import {
  createFittedPool,
  curveDepth,
  type FittedFamily,
  type FittedTrade,
} from '../maths/fittedPool.ts'

/**
 * A Trident pool: constant product counted in shares of a BentoBox, or x3y + y3x counted in the
 * amounts those shares stand for. Lists are by token.
 */
export type TridentState = {
  readonly id: string
  readonly tokens: readonly string[]
  readonly stable: boolean
  /** Over 10,000. */
  readonly feeBps: bigint
  /** 10 ^ decimals. */
  readonly units: readonly bigint[]
  /** Shares, or amounts in a stable pool. */
  readonly reserves: readonly bigint[]
  /** The pool's shares in the box. */
  readonly shares: readonly bigint[]
  /** All amounts and all shares in the box. */
  readonly elastics: readonly bigint[]
  readonly bases: readonly bigint[]
  /** Tokens that lie in the box: the rest is out at work and cannot be paid. */
  readonly liquid: readonly bigint[]
}

type Outcome = { readonly amountOut: bigint; readonly next: TridentState }

/** Stable maths has 12 decimals, whatever the tokens have. */
const stableUnit = 10n ** 12n
const maxRounds = 255
const maxReserve = (1n << 112n) - 1n
/** The box does not let its shares of a token fall below this, but for none. */
const leastShares = 1_000n
/** Gas of one hop through the executor; the stable kind iterates. */
const tridentGas = { volatile: 200_000, stable: 230_000 } as const

function toShares(amount: bigint, { elastic, base }: Total): bigint {
  return elastic === 0n ? amount : uint(amount * base) / elastic
}

/** The value of shares, rounded down. */
export function toAmount(shares: bigint, { elastic, base }: Total): bigint {
  return base === 0n ? shares : uint(shares * elastic) / base
}

function toSharesUp(amount: bigint, total: Total): bigint {
  const shares = toShares(amount, total)
  return toAmount(shares, total) < amount ? shares + 1n : shares
}

type Total = { readonly elastic: bigint; readonly base: bigint }

function totalOf({ elastics, bases }: TridentState, k: number): Total {
  return { elastic: at(elastics, k), base: at(bases, k) }
}

/** One swap paid by a deposit in the pool's name; throws a RangeError where box or pool reverts. */
function swapTrident(state: TridentState, { i, j, amountIn }: FittedTrade): Outcome {
  if (amountIn <= 0n || i === j) throw new RangeError('no trade')
  const paid = deposit(state, { i, amountIn })
  const bought = state.stable ? buyAmount(state, { paid, i, j }) : buyShares(state, { paid, i, j })
  const next = withdraw(paid, { j, ...bought })
  const reserves = next.stable
    ? next.shares.map((shares, k) => toAmount(shares, totalOf(next, k)))
    : next.shares
  if (!next.stable && reserves.some((reserve) => reserve > maxReserve))
    throw new RangeError('a reserve overflows')
  return { amountOut: bought.amount, next: { ...next, reserves } }
}

function deposit(state: TridentState, { i, amountIn }: Omit<FittedTrade, 'j'>): TridentState {
  const total = totalOf(state, i)
  const shares = toShares(amountIn, total)
  if (total.base + shares < leastShares) throw new RangeError('too small a deposit')
  return {
    ...state,
    shares: replaceAt(state.shares, { [i]: at(state.shares, i) + shares }),
    elastics: replaceAt(state.elastics, { [i]: total.elastic + amountIn }),
    bases: replaceAt(state.bases, { [i]: total.base + shares }),
    liquid: replaceAt(state.liquid, { [i]: at(state.liquid, i) + amountIn }),
  }
}

type Bought = { readonly shares: bigint; readonly amount: bigint }
type Paid = { readonly paid: TridentState; readonly i: number; readonly j: number }

function buyShares({ reserves, feeBps }: TridentState, { paid, i, j }: Paid): Bought {
  const given = uint(at(paid.shares, i) - at(reserves, i)) * (wholeBps - feeBps)
  const shares = (given * at(reserves, j)) / (at(reserves, i) * wholeBps + given)
  return { shares, amount: toAmount(shares, totalOf(paid, j)) }
}

function buyAmount({ reserves, units, feeBps }: TridentState, { paid, i, j }: Paid): Bought {
  const given = uint(toAmount(at(paid.shares, i), totalOf(paid, i)) - at(reserves, i))
  const kept = given - uint(given * feeBps) / wholeBps
  const scaled = (amount: bigint, k: number) => uint(amount * stableUnit) / at(units, k)
  const [x, y] = [scaled(at(reserves, i), i), scaled(at(reserves, j), j)]
  const left = solve({ x: x + scaled(kept, i), y, invariant: invariantOf(x, y) })
  const amount = uint(uint(y - left) * at(units, j)) / stableUnit
  return { amount, shares: toSharesUp(amount, totalOf(paid, j)) }
}

function invariantOf(x: bigint, y: bigint): bigint {
  const product = uint(x * y) / stableUnit
  return uint(product * (uint(x * x) / stableUnit + uint(y * y) / stableUnit)) / stableUnit
}

/** Newton's method as the contract has it: it ends where a step moves y by no more than 1. */
function solve({ x, y: start, invariant }: { x: bigint; y: bigint; invariant: bigint }): bigint {
  const cube = uint((uint(x * x) / stableUnit) * x) / stableUnit
  let y = start
  for (let round = 0; round < maxRounds; round++) {
    const square = uint(y * y) / stableUnit
    const reached =
      uint(x * (uint(square * y) / stableUnit)) / stableUnit + uint(cube * y) / stableUnit
    const slope = uint(3n * x * square) / stableUnit + cube
    const isBelow = reached < invariant
    const step = uint((isBelow ? invariant - reached : reached - invariant) * stableUnit) / slope
    y = uint(isBelow ? y + step : y - step)
    if (step <= 1n) return y
  }
  return y
}

function withdraw(
  state: TridentState,
  { j, shares, amount }: Bought & { j: number },
): TridentState {
  const { elastic, base } = totalOf(state, j)
  const left = uint(base - shares)
  if (left > 0n && left < leastShares) throw new RangeError('the box cannot be emptied')
  return {
    ...state,
    shares: replaceAt(state.shares, { [j]: uint(at(state.shares, j) - shares) }),
    elastics: replaceAt(state.elastics, { [j]: uint(elastic - amount) }),
    bases: replaceAt(state.bases, { [j]: left }),
    liquid: replaceAt(state.liquid, { [j]: uint(at(state.liquid, j) - amount) }),
  }
}

const family: FittedFamily<TridentState, Outcome> = {
  gas: ({ stable }) => (stable ? tridentGas.stable : tridentGas.volatile),
  most: (state, i) => toAmount(at(state.shares, i), totalOf(state, i)) * curveDepth,
  trade: swapTrident,
  settle: (_, { outcome }) => outcome.next,
}

/** The pool as the engine sees it. */
export function createTridentPool(state: TridentState): EnginePool {
  return createFittedPool(family, state)
}
