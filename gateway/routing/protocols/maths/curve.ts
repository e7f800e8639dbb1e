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
  /**
   * Where a curve is fitted, how far above it the pool may lie: in piece k it gives no more than
   * `1 + over[k]` times the curve, past the end no more than `1 + over[count]` times `y[count]`.
   */
  readonly over: Float64Array | undefined
}

/** Constant-price pieces get this relative bend, upwards, so that a price has one amount. */
const leastBend = 1e-8

export type CurvePiece = { readonly dx: number; readonly a: number; readonly b: number }

/** Joins pieces into a curve; pieces without width or with a broken number end it. */
export function joinCurve(pieces: readonly CurvePiece[]): Curve | undefined {
  beginCurve(pieces.length)
  for (const { dx, a, b } of pieces) addPiece(dx, a, b)
  return endCurve()
}

/** One draft for all: a curve is ended before the next is begun, and leaves nothing to collect. */
const draft = { ...createBuffer(64), count: 0, isBroken: false }

function createBuffer(size: number) {
  return { dx: new Float64Array(size), a: new Float64Array(size), b: new Float64Array(size) }
}

/** The same piece by piece, for curves made by the thousand; `most` pieces at most. */
export function beginCurve(most: number): void {
  if (most > draft.dx.length) Object.assign(draft, createBuffer(2 * most))
  draft.count = 0
  draft.isBroken = false
}

export function addPiece(dx: number, a: number, b: number): void {
  if (draft.isBroken) return
  if (!isUsable(dx, a, b)) {
    draft.isBroken = true
    return
  }
  draft.dx[draft.count] = dx
  draft.a[draft.count] = a
  draft.b[draft.count] = b
  draft.count++
}

export function endCurve(): Curve | undefined {
  return draft.count === 0 ? undefined : finishCurve(draft.count)
}

function isUsable(dx: number, a: number, b: number): boolean {
  return dx > 0 && a > 0 && a < Number.POSITIVE_INFINITY && b >= 0 && b < Number.POSITIVE_INFINITY
}

function finishCurve(count: number): Curve {
  const x = new Float64Array(count + 1)
  const y = new Float64Array(count + 1)
  const a = new Float64Array(count)
  const b = new Float64Array(count)
  for (let k = 0; k < count; k++) {
    const dx = draft.dx[k] as number
    const given = draft.b[k] as number
    const rate = draft.a[k] as number
    const bend = Math.max(given, leastBend / dx)
    a[k] = bend === given ? rate : rate * (1 + leastBend)
    b[k] = bend
    x[k + 1] = (x[k] as number) + dx
    y[k + 1] = (y[k] as number) + pieceOutput(a[k] as number, bend, dx)
  }
  return { count, x, y, a, b, over: undefined }
}

/** Greatest output of a unit of input, wherever the pool lies above its curve. */
export function greatestRate({ a, over }: Curve): number {
  return (a[0] as number) * (1 + (over?.[0] ?? 0))
}

function pieceOutput(a: number, b: number, dx: number): number {
  return dx === Number.POSITIVE_INFINITY ? a / b : (a * dx) / (1 + b * dx)
}

/** Index of the piece that holds input `x`. */
function findPiece(curve: Curve, x: number): number {
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
