import { type Curve, curveOutput } from '../protocols/curve.ts'
import type { Market } from './market.ts'

/** Float output of an edge for an input. */
export function edgeOutput(market: Market, edge: number, amount: number): number {
  if (amount <= (market.x1[edge] as number))
    return ((market.a0[edge] as number) * amount) / (1 + (market.b0[edge] as number) * amount)
  const curve = market.curves[edge]
  return curve ? curveOutput(curve, amount) : 0
}

/** What an edge does at a marginal price: amounts, and how fast the input answers to the log price. */
export type EdgePoint = { x: number; y: number; slope: number }

/**
 * The input at which one more unit brings `price` units, the output there, and -dx / dlog(price).
 * Written into `point` to spare the garbage of millions of calls.
 */
export function pointAtPrice(market: Market, edge: number, price: number, point: EdgePoint): void {
  const curve = market.curves[edge]
  if (!curve || !((market.a0[edge] as number) > price)) {
    point.x = 0
    point.y = 0
    point.slope = 0
    return
  }
  const k = lastPieceAbove(curve, price)
  const a = curve.a[k] as number
  const b = curve.b[k] as number
  const root = Math.sqrt(a / price)
  const start = curve.x[k] as number
  const width = (curve.x[k + 1] as number) - start
  const dx = (root - 1) / b
  const inside = dx < width
  point.x = start + (inside ? dx : width)
  point.y = inside ? (curve.y[k] as number) + (a * dx) / root : (curve.y[k + 1] as number)
  point.slope = inside ? root / (2 * b) : 0
}

/** Last piece that starts above the price. */
function lastPieceAbove(curve: Curve, price: number): number {
  let low = 0
  let high = curve.count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((curve.a[middle] as number) > price) low = middle
    else high = middle - 1
  }
  return low
}

/** One more unit of input at `x` brings this many units of output. */
export function marginalRate(market: Market, edge: number, x: number): number {
  const curve = market.curves[edge]
  if (!curve) return 0
  let low = 0
  let high = curve.count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((curve.x[middle] as number) <= x) low = middle
    else high = middle - 1
  }
  const stretch = 1 + (curve.b[low] as number) * (x - (curve.x[low] as number))
  return (curve.a[low] as number) / (stretch * stretch)
}
