import { type Curve, curveOutput } from '../protocols/maths/curve.ts'
import type { Market } from './market.ts'

/** Float output of an edge for an input. */
export function edgeOutput(market: Market, edge: number, amount: number): number {
  const { heads } = market
  const head = 4 * edge
  if (amount <= (heads[head + 2] as number))
    return ((heads[head] as number) * amount) / (1 + (heads[head + 1] as number) * amount)
  const curve = market.curves[edge]
  return curve ? curveOutput(curve, amount) : 0
}

const tailDepth = 1e-8

/** What an edge does at a marginal price: amounts, and how fast the input answers to the log price. */
export type EdgePoint = { x: number; y: number; slope: number }

/**
 * The input at which one more unit brings `price` units, the output there, and -dx / dlog(price).
 * Written into `point` to spare the garbage of millions of calls.
 */
export function pointAtPrice(market: Market, edge: number, price: number, point: EdgePoint): void {
  const { heads } = market
  const head = 4 * edge
  const a = heads[head] as number
  if (a > price) {
    const root = Math.sqrt(a / price)
    const bend = heads[head + 1] as number
    const dx = (root - 1) / bend
    if (!(dx < (heads[head + 2] as number))) {
      pointOnCurve(market.curves[edge], price, point)
      return
    }
    point.x = dx
    point.y = (a * dx) / root
    point.slope = root / (2 * bend)
    return
  }
  point.x = 0
  point.y = 0
  point.slope = 0
}

export function pointOnCurve(curve: Curve | undefined, price: number, point: EdgePoint): void {
  if (!curve || !((curve.a[0] as number) > price)) {
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
  if (dx < width) {
    point.x = start + dx
    point.y = (curve.y[k] as number) + (a * dx) / root
    point.slope = root / (2 * b)
    return
  }
  point.x = start + width
  point.y = curve.y[k + 1] as number
  point.slope = 0
  if (k === curve.count - 1) addTail(point, a / (1 + b * width) ** 2, price)
}

/**
 * Past its capacity an edge goes on taking a little for almost nothing, so that every amount has a
 * price; plans cut the tail off again.
 */
function addTail(point: EdgePoint, lastRate: number, price: number): void {
  const depth = point.x * tailDepth
  const excess = lastRate / price
  point.x += depth * (excess - 1)
  point.y += depth * lastRate * Math.log(excess)
  point.slope = depth * excess
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

/** One more unit of input at `x` brings this many units of output; nothing past the capacity. */
export function marginalRate(market: Market, edge: number, x: number): number {
  const curve = market.curves[edge]
  if (!curve || x > (curve.x[curve.count] as number)) return 0
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
