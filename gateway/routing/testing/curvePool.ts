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

/** A constant product of `depth` of each token at a rate of one, without a fee: x sells for rate * depth * x / (depth + x). */
export const evenPool = (
  id: string,
  tokens: string,
  { depth = 1e6, rate = 1, gas = 1 } = {},
): EnginePool => curvePool(id, tokens, { pieces: [{ dx: 1e15, a: rate, b: 1 / depth }], gas })
