import { type Curve, type CurvePiece, curveOutput, joinCurve } from './curve.ts'

/** Input and output, raw amounts. */
export type Point = { readonly x: number; readonly y: number }

export type FittedCurveParameters = {
  /** An input that buys most of a balanced pool, raw amount; more is looked at where it buys more. */
  readonly most: bigint
  /** Exact output; undefined where the pool refuses. */
  readonly amountOut: (amountIn: bigint) => bigint | undefined
}

/** Parts of `most` to sample, over 2^32: fine where a pool bends, coarse where it is flat. */
const parts: readonly bigint[] = [
  ...[20, 18, 16, 14].map((power) => 1n << BigInt(32 - power)),
  ...Array.from({ length: 49 }, (_, k) => BigInt(Math.round(2 ** (20 + k / 4)))),
]
/** Outputs below this say more about rounding than about the price. */
const leastOutput = 1000n

/** A balanced pair sells a ninth more for twice an input of four times its balance: its samples stay close. */
const worthPart = 8n
/** So many times the input that buys less than this part more is beyond the end of a pool. */
const aheadTimes = 16n
const endPart = 50n
/** Doublings of an input past the end of a curve. */
const beyondPowers = [1n, 2n, 3n, 4n, 8n, 40n]
/** From a unit of 18 decimals to more than is worth anything. */
const mostDoublings = 64

/** A curve through exact outputs at amounts of many sizes, concave everywhere. */
export function fitCurve({ most, amountOut }: FittedCurveParameters): Curve | undefined {
  const depth = findDepth({ most, amountOut })
  const known = parts.flatMap((part) => {
    const amount = (depth * part) >> 32n
    const output = amount > 0n ? amountOut(amount) : undefined
    if (output === undefined || output < leastOutput) return []
    return [{ x: Number(amount), y: Number(output) }]
  })
  return curveThrough(known, () => outputBeyond({ most: depth, amountOut }))
}

/** The most that is bought by more than `most`; 0 where nothing is. A fee that grows may buy less for more. */
function outputBeyond({ most, amountOut }: FittedCurveParameters): number {
  return Math.max(...beyondPowers.map((power) => Number(amountOut(most << power) ?? 0n)))
}

/** What there is to buy may be worth many times what the pool holds of the token sold. */
function findDepth({ most, amountOut }: FittedCurveParameters): bigint {
  let depth = most
  let bought = amountOut(depth)
  const twice = amountOut(most * 2n)
  if (!bought || !twice || (twice - bought) * worthPart <= bought) return most
  for (let doubling = 0; bought && doubling < mostDoublings; doubling += 1) {
    const ahead = amountOut(depth * aheadTimes) ?? amountOut(depth * 2n)
    if (!ahead || (ahead - bought) * endPart <= bought) break
    depth *= 2n
    bought = amountOut(depth)
  }
  return depth
}

/**
 * A curve from nothing through points in rising order, concave everywhere. An output is rounded down, so a
 * point below the line between its neighbours tells of its rounding and is passed over. What the pool pays
 * at its utmost is asked for where there is a curve; by itself a curve ends where its points do.
 */
export function curveThrough(
  known: readonly Point[],
  utmost: () => number = () => 0,
): Curve | undefined {
  const points = hullOf(known)
  const curve = joinCurve(fitPieces(points))
  return curve && { ...curve, over: measureOver(curve, points, utmost()) }
}

/**
 * How far off a curve is between its points: as far as curves through every other point are at those that
 * they leave out, where their pieces are twice as wide. The last one, and what a pool takes beyond it, are as
 * far off as the most that it pays.
 */
function measureOver(curve: Curve, points: readonly Point[], utmost: number): Float64Array {
  // Of one point nothing can be left out.
  const errors = new Float64Array(points.length).fill(points.length < 3 ? 1 : 0)
  for (const left of [0, 1]) {
    const isLeft = (k: number) => k > 0 && k < points.length - 1 && k % 2 === left
    const other = joinCurve(fitPieces(points.filter((_, k) => !isLeft(k))))
    for (const [k, { x, y }] of points.entries())
      if (other && isLeft(k)) errors[k] = Math.abs(curveOutput(other, x) / y - 1)
  }
  const { count, y } = curve
  const most = Math.max(0, utmost / (y[count] as number) - 1) + 1 / Number(endPart)
  errors[count] = most
  // Where an error changes its sign, one point alone shows none.
  const over = Float64Array.from({ length: count }, (_, k) =>
    Math.max(...errors.subarray(Math.max(0, k - 1), k + 3)),
  )
  return Float64Array.of(...over, most)
}

/** The points that no line between two others passes above, from nothing on. */
function hullOf(known: readonly Point[]): readonly Point[] {
  const hull: Point[] = [{ x: 0, y: 0 }]
  for (const point of known) {
    const last = hull[hull.length - 1] as Point
    if (!(point.x > last.x && point.y > last.y)) continue
    while (hull.length > 1) {
      const [before, top] = hull.slice(-2) as [Point, Point]
      if (slopeTo(before, point) < slopeTo(before, top)) break
      hull.pop()
    }
    hull.push(point)
  }
  return hull
}

const slopeTo = (from: Point, to: Point) => (to.y - from.y) / (to.x - from.x)

/**
 * One hyperbola per interval, through both its points. The slope at a point is the geometric mean of
 * its neighbours' mean slopes, lowered where the next piece would otherwise start steeper than this
 * one ends.
 */
function fitPieces(points: readonly Point[]): readonly CurvePiece[] {
  const slopes = points.slice(1).map((point, k) => slopeTo(points[k] as Point, point))
  const pieces: CurvePiece[] = []
  let endSlope = Number.POSITIVE_INFINITY
  for (let k = 0; k < slopes.length; k++) {
    const mean = slopes[k] as number
    const next = slopes[k + 1] ?? mean
    const middle = Math.sqrt((slopes[k - 1] ?? mean) * mean)
    const a = Math.max(mean, Math.min(middle, endSlope, (mean * mean) / next))
    const dx = (points[k + 1] as Point).x - (points[k] as Point).x
    pieces.push({ dx, a, b: (a / mean - 1) / dx })
    endSlope = (mean * mean) / a
  }
  return pieces
}
