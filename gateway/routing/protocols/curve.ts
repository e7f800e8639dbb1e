/**
 * One direction of a pool as float64, for the search only: `count` concave pieces, the k-th starting
 * at input `x[k]` and output `y[k]` (raw token amounts) and following
 * `y[k] + a[k] dx / (1 + b[k] dx)`. Constant product, concentrated liquidity and bins are exactly of
 * this form (a tiny `b`: constant price); other invariants are fitted.
 * `x[count]` is the greatest input the pool takes (Infinity for constant product), `y[count]` its output.
 */
export type Curve = {
  readonly count: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly a: Float64Array
  readonly b: Float64Array
}

/** Constant-price pieces get this relative bend, upwards, so that a price has one amount. */
const leastBend = 1e-8

export type CurvePiece = { readonly dx: number; readonly a: number; readonly b: number }

/** Joins pieces into a curve; pieces without width or with a broken number end it. */
export function joinCurve(pieces: readonly CurvePiece[]): Curve | undefined {
  const count = countUsable(pieces)
  if (count === 0) return undefined
  const x = new Float64Array(count + 1)
  const y = new Float64Array(count + 1)
  const a = new Float64Array(count)
  const b = new Float64Array(count)
  for (let k = 0; k < count; k++) {
    const piece = pieces[k] as CurvePiece
    const bend = Math.max(piece.b, leastBend / piece.dx)
    a[k] = bend === piece.b ? piece.a : piece.a * (1 + leastBend)
    b[k] = bend
    x[k + 1] = (x[k] as number) + piece.dx
    y[k + 1] = (y[k] as number) + pieceOutput(a[k] as number, bend, piece.dx)
  }
  return { count, x, y, a, b }
}

function countUsable(pieces: readonly CurvePiece[]): number {
  for (let k = 0; k < pieces.length; k++) {
    const { dx, a, b } = pieces[k] as CurvePiece
    if (
      !(dx > 0 && a > 0 && a < Number.POSITIVE_INFINITY && b >= 0 && b < Number.POSITIVE_INFINITY)
    )
      return k
  }
  return pieces.length
}

function pieceOutput(a: number, b: number, dx: number): number {
  return dx === Number.POSITIVE_INFINITY ? a / b : (a * dx) / (1 + b * dx)
}

/** Index of the piece that holds input `x`. */
export function findPiece(curve: Curve, x: number): number {
  let low = 0
  let high = curve.count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((curve.x[middle] as number) <= x) low = middle
    else high = middle - 1
  }
  return low
}

/** Output for input `x`; an input beyond the pool's capacity gives the output of the capacity. */
export function curveOutput(curve: Curve, x: number): number {
  const k = findPiece(curve, x)
  const end = curve.x[curve.count] as number
  const dx = Math.min(x, end) - (curve.x[k] as number)
  const a = curve.a[k] as number
  const b = curve.b[k] as number
  return (curve.y[k] as number) + pieceOutput(a, b, dx)
}
