import { type Curve, curveOutput } from '../protocols/maths/curve.ts'
import { bestRate, type Market } from './market.ts'
import { at } from './pieces.ts'

/** Float output of an edge for an input. */
export function edgeOutput(market: Market, edge: number, amount: number): number {
  const { heads } = market
  const head = 4 * edge
  if (amount <= (heads[head + 2] as number))
    return ((heads[head] as number) * amount) / (1 + (heads[head + 1] as number) * amount)
  const curve = at(market.curves, edge)
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
      pointOnCurve(at(market.curves, edge), price, point)
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

type EdgePrices = { readonly priceFrom: number; readonly priceTo: number }

const best: EdgePoint = { x: 0, y: 0, slope: 0 }

/** The most that an edge earns at these prices, wherever its pool lies above its curve; a unit of each apart. */
export function mostProfit(market: Market, edge: number, prices: EdgePrices): number {
  const curve = at(market.curves, edge)
  if (curve?.over) return fittedProfit(curve, curve.over, prices)
  const { priceFrom, priceTo } = prices
  if (!(bestRate(market, edge) * priceTo > priceFrom)) return 0
  pointAtPrice(market, edge, priceFrom / priceTo, best)
  return priceTo * best.y - priceFrom * best.x
}

/**
 * Piece by piece, each raised by what it may lie too low, or as high as no concave curve through the same
 * points comes, whichever allows less.
 */
function fittedProfit(curve: Curve, over: Float64Array, prices: EdgePrices): number {
  let most = 0
  for (let k = 0; k < curve.count; k++) {
    const raised = raisedProfit(curve, k, over[k] as number, prices)
    // Few pieces reach as high as that, and the lines around one cost more to follow.
    if (raised > most) most = Math.max(most, Math.min(raised, tangentProfit(curve, k, prices)))
  }
  const { count, x, y } = curve
  const { priceFrom, priceTo } = prices
  if (!(meanRate(curve, count - 1) * priceTo > priceFrom)) return most
  const utmost = (y[count] as number) * (1 + (over[count] as number))
  return Math.max(most, priceTo * utmost - priceFrom * (x[count] as number))
}

function raisedProfit({ x, y, a, b }: Curve, k: number, over: number, prices: EdgePrices): number {
  const { priceFrom } = prices
  const price = prices.priceTo * (1 + over)
  const [start, rate, bend] = [x[k] as number, a[k] as number, b[k] as number]
  const root = Math.sqrt(Math.max(1, (rate * price) / priceFrom))
  const dx = Math.min((root - 1) / bend, (x[k + 1] as number) - start)
  return price * ((y[k] as number) + (rate * dx) / (1 + bend * dx)) - priceFrom * (start + dx)
}

/** Of a concave curve no part lies above the lines through the two points before it, or after it. */
function tangentProfit(curve: Curve, k: number, { priceFrom, priceTo }: EdgePrices): number {
  const { x, y, count } = curve
  const [startX, startY] = [x[k] as number, y[k] as number]
  const [endX, endY] = [x[k + 1] as number, y[k + 1] as number]
  const after = k + 1 < count ? meanRate(curve, k + 1) : 0
  const profit = (input: number, output: number) => priceTo * output - priceFrom * input
  const ends = Math.max(profit(startX, startY), profit(endX, endY))
  if (k === 0) return Math.max(ends, profit(0, endY - after * endX))
  const before = meanRate(curve, k - 1)
  const width = endX - startX
  const meets = k + 1 < count ? (endY - startY - after * width) / (before - after) : width
  const dx = Math.min(meets, width)
  return Math.max(ends, profit(startX + dx, startY + before * dx))
}

/** Units out per unit in over a whole piece. */
function meanRate({ x, y }: Curve, k: number): number {
  return ((y[k + 1] as number) - (y[k] as number)) / ((x[k + 1] as number) - (x[k] as number))
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
  const curve = at(market.curves, edge)
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
