import type { PoolRecord } from './protocols/poolRecord.ts'

/** Measured on receipts of the offline world; `gasModel.fork.test.ts` keeps the model within 10 %. */
const transactionGas = 62_000n
const nativeInGas = -8_000n
const nativeOutGas = 12_000n
const pairStepGas = 62_000n
const rangeStepGas = 90_000n
/** Crossing one initialised tick: eight storage slots, most of them touched for the first time. */
const crossedTickGas = 21_000n

export type GasStep = { readonly pool: PoolRecord; readonly crossedTicks: number }

/** Gas of the execution payload, without a chain's L1 data fee. */
export function estimateGas({
  steps,
  isNativeIn,
  isNativeOut,
}: {
  readonly steps: readonly GasStep[]
  readonly isNativeIn: boolean
  readonly isNativeOut: boolean
}): bigint {
  const stepsGas = steps.reduce(
    (sum, { pool, crossedTicks }) =>
      sum +
      (pool.protocol === 'uniswap_v2'
        ? pairStepGas
        : rangeStepGas + crossedTickGas * BigInt(crossedTicks)),
    0n,
  )
  return (
    transactionGas + stepsGas + (isNativeIn ? nativeInGas : 0n) + (isNativeOut ? nativeOutGas : 0n)
  )
}
