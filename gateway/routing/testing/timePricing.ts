import { toEnginePool } from '../protocols/families.ts'
import { curveOutput } from '../protocols/maths/curve.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

const floatRounds = 2_000
const exactRounds = 100
/** Trades of 1/20,000 to 1/20 of what a curve looks at. */
const parts = [20_000, 2_000, 200, 20]

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

/** Median time of pricing one trade over a family's pools: float64 by the curve, exact by the maths. */
export function timePricing(records: readonly PoolRecord[]): {
  readonly floatNs: number
  readonly exactUs: number
} {
  const floats: number[] = []
  const exacts: number[] = []
  let kept = 0
  for (const record of records) {
    const pool = toEnginePool(record)
    const curve = pool.curve(0, 1)
    const reach = curve ? Math.min(curve.x[curve.count] ?? 0, 2 / (curve.b[0] ?? 1)) : 0
    if (!curve || !(reach > 0)) continue
    for (const part of parts) {
      const x = reach / part
      const amountIn = BigInt(Math.floor(x)) + 1n
      for (let warm = 0; warm < exactRounds; warm += 1) kept += pool.swap(0, 1, amountIn) ? 1 : 0
      const begin = performance.now()
      for (let round = 0; round < exactRounds; round += 1) kept += pool.swap(0, 1, amountIn) ? 1 : 0
      const middle = performance.now()
      for (let round = 0; round < floatRounds; round += 1) kept += curveOutput(curve, x + round)
      const end = performance.now()
      exacts.push(((middle - begin) * 1e3) / exactRounds)
      floats.push(((end - middle) * 1e6) / floatRounds)
    }
  }
  if (!Number.isFinite(kept)) throw new Error('a curve has no end')
  return { floatNs: median(floats), exactUs: median(exacts) }
}
