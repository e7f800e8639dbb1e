import { at, uint } from './checkedUint.ts'

/** Extra digits of Curve's amplification. */
export const ampPrecision = 100n
const maxRounds = 255

export type StableBalanceParameters = {
  readonly i: number
  readonly j: number
  /** Scaled balance of coin i after the trade. */
  readonly x: bigint
  readonly xp: readonly bigint[]
  readonly aPrecise: bigint
  readonly invariant: bigint
}

/** Repeats until two values differ by at most 1, as all of Curve's loops do. */
export function converge(start: bigint, step: (value: bigint) => bigint): bigint {
  let value = start
  for (let round = 0; round < maxRounds; round++) {
    const next = uint(step(value))
    const difference = next > value ? next - value : value - next
    if (difference <= 1n) return next
    value = next
  }
  throw new RangeError('no convergence')
}

/** One Newton step of the invariant D; `product` is D^(n+1) / (n^n * all balances), however rounded. */
export function nextInvariant(
  invariant: bigint,
  {
    sum,
    product,
    ann,
    count,
    precision,
  }: {
    readonly sum: bigint
    readonly product: bigint
    readonly ann: bigint
    readonly count: bigint
    readonly precision: bigint
  },
): bigint {
  const above = uint(uint((ann * sum) / precision + product * count) * invariant)
  const below = uint((ann - precision) * invariant) / precision + (count + 1n) * product
  return above / uint(below)
}

/** Scaled balance of coin j that keeps the invariant; the rule all StableSwap pools share. */
export function stableBalance({
  i,
  j,
  x,
  xp,
  aPrecise,
  invariant,
}: StableBalanceParameters): bigint {
  const count = BigInt(xp.length)
  const ann = aPrecise * count
  let sum = 0n
  let c = invariant
  for (let k = 0; k < xp.length; k++) {
    if (k === j) continue
    const balance = k === i ? x : at(xp, k)
    sum += balance
    c = uint(c * invariant) / uint(balance * count)
  }
  c = uint(c * invariant * ampPrecision) / (ann * count)
  const b = uint(sum + (invariant * ampPrecision) / ann)
  return converge(invariant, (y) => uint(uint(y * y) + c) / uint(2n * y + b - invariant))
}
