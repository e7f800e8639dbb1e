import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

/**
 * Least-squares fit over 138 receipts of the offline world, one to ten steps: at most 9 % off, half of
 * them within 2 %. `gasModel.fork.test.ts` holds it to 10 % on others.
 */
const transactionGas = 55_000
const tokenGas = 4_400
/** Of what a token's transfer costs above a plain one: most of its slots are warm after the first. */
const transferPart = 0.65

export type GasStep = {
  readonly pool: PoolRecord
  readonly tokenIn: string
  readonly tokenOut: string
  readonly crossedTicks: number
}

export type GasParameters = {
  readonly steps: readonly GasStep[]
  /** Engine tokens at both ends, undefined where native: those move without a transfer. */
  readonly paidToken: string | undefined
  readonly receivedToken: string | undefined
  /** Gas of a token's transfer above that of a plain ERC-20. */
  readonly extraTransferGas: (token: string) => number
}

function stepGas({ pool, tokenIn, crossedTicks }: GasStep): number {
  const { stepGas: ofFamily, crossingGas = 0 } = familyOf(pool)
  return ofFamily(pool, pool.tokens.indexOf(tokenIn)) + crossingGas * crossedTicks
}

/** Gas of the execution payload, without a chain's L1 data fee. */
export function estimateGas({
  steps,
  paidToken,
  receivedToken,
  extraTransferGas,
}: GasParameters): bigint {
  const tokens = new Set(steps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const moved = [
    ...steps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]),
    ...[paidToken, receivedToken].flatMap((token) => token ?? []),
  ]
  const extra = moved.reduce((sum, token) => sum + transferPart * extraTransferGas(token), 0)
  const stepsGas = steps.reduce((sum, step) => sum + stepGas(step), 0)
  return BigInt(Math.round(transactionGas + tokenGas * tokens.size + stepsGas + extra))
}
