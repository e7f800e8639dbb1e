import { type CurvePiece, curveOutput, joinCurve } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'

/** A pool that sells its later tokens for its earlier ones along the pieces, and nothing back. */
export function curvePool(
  id: string,
  tokens: string,
  { pieces, gas = 1 }: { readonly pieces: readonly CurvePiece[]; readonly gas?: number },
): EnginePool {
  const curve = joinCurve(pieces)
  const pool: EnginePool = {
    id,
    tokens: tokens.split('/'),
    gas,
    curve: (i, j) => (i < j ? curve : undefined),
    swap(i, j, offered) {
      if (i >= j || !curve) return undefined
      const end = curve.x[curve.count] as number
      const amountIn = Number(offered) > end ? BigInt(Math.floor(end)) : offered
      const amountOut = BigInt(Math.floor(curveOutput(curve, Number(amountIn))))
      return { amountIn, amountOut, next: pool }
    },
  }
  return pool
}
