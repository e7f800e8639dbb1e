import { type Bound, boundOutput } from './boundOutput.ts'
import type { Market } from './market.ts'
import { priceOutside } from './priceOutside.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'
import { tightenBound } from './tightenBound.ts'

/** Prices of tokens outside the flow to bound the output with, as parts of the output to probe with. */
const boundProbeParts = [0, 1e-5, 1e-3]
/** A bound this near is not looked for closer. */
const tightPart = 2e-7
/** One farther away than this and four times the gas of the route is worth further work. */
const loosePart = 1e-3
const boundPasses = 8

/**
 * The least of several valid bounds: the flow's prices with various prices around it; and, for a flow
 * that leaves pools alone because of their gas, prices that leave no profit in them.
 */
export function* leastBound(
  market: Market,
  frame: SearchFrame,
  {
    flow,
    amountIn,
    net,
    gasCost,
    isOver,
  }: {
    readonly flow: FlowSolution
    readonly amountIn: number
    /** What the route brings, and what its gas costs, in tokenOut. */
    readonly net: number
    readonly gasCost: number
    readonly isOver: () => boolean
  },
) {
  const enough = net * (1 + tightPart)
  const anywhere = new Uint8Array(market.tokens.length)
  const everywhere = { hopsFromIn: anywhere, hopsToOut: anywhere }
  const gasFree = { ...frame, ...everywhere, gasPrice: 0 }
  const spot = { ...flow, logPrices: new Float64Array(market.tokens.length).fill(Number.NaN) }
  spot.logPrices[frame.tokenOut] = 0
  const pricings = boundProbeParts.map((part) => ({ flow, probe: flow.value * part }))
  if (frame.gasPrice > 0) pricings.push({ flow, probe: 0 }, { flow: spot, probe: 0 })
  let least: Bound | undefined
  for (const [index, { flow: base, probe }] of pricings.entries()) {
    const mayRaise = index >= boundProbeParts.length
    const outside = priceOutside(market, gasFree, base, {
      probe,
      passes: boundPasses,
      mayRaise,
    })
    yield
    const next = boundOutput(market, frame, {
      prices: outside.prices,
      amountIn,
    })
    if (!least || next.bound < least.bound) least = next
    if (least.bound <= enough || isOver()) break
    yield
  }
  if (!least || least.bound <= enough || isOver()) return least
  const loose = { enough: net * (1 + loosePart) + 4 * gasCost, isOver }
  return yield* tightenBound(market, frame, {
    first: least,
    amountIn,
    net,
    ...loose,
  })
}
