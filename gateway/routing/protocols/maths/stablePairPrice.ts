export type StablePair = {
  readonly stable: boolean
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly unit0: bigint
  readonly unit1: bigint
}

/** Price of token i before fees: of a stable pair the slope of x3y + y3x = k, in whole tokens. */
export function stablePairPrice(pair: StablePair, i: number): number {
  const price = price0(pair)
  return i === 0 ? price : 1 / price
}

function price0({ stable, reserve0, reserve1, unit0, unit1 }: StablePair): number {
  if (!stable) return Number(reserve1) / Number(reserve0)
  const x = Number(reserve0) / Number(unit0)
  const y = Number(reserve1) / Number(unit1)
  const slope = (3 * x ** 2 * y + y ** 3) / (x ** 3 + 3 * x * y ** 2)
  return (slope * Number(unit1)) / Number(unit0)
}
