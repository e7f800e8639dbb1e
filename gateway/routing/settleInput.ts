import { lesser, negligiblePart } from '../amounts/amounts.ts'
import type { Route } from './engine/route.ts'
import { meet } from './replayShares.ts'

/** Each is a request to the chain or two; three or four but where the output is a handful of units. */
export const mostSettlings = 14

type Point = Pick<Route, 'amountIn' | 'amountOut'>

/**
 * The least input, as far as a few questions tell, for which a route gives `target` with what its pools
 * really give. Undefined where a pool refuses or `most` is not enough.
 */
export async function settleInput({
  route,
  target,
  most,
  settle,
}: {
  readonly route: Route
  readonly target: bigint
  readonly most: bigint
  readonly settle: (route: Route) => Promise<Route | undefined>
}): Promise<Route | undefined> {
  let low: Point = { amountIn: 0n, amountOut: 0n }
  let best: Route | undefined
  let { amountIn } = route
  let tooLittle = 0
  for (let asked = 0; asked < mostSettlings; asked += 1) {
    const settled = await settle({ ...route, amountIn })
    if (!settled || settled.amountOut <= 0n) return best
    if (settled.amountOut >= target) best = settled
    else low = settled
    tooLittle = best === settled ? 0 : tooLittle + 1
    if (!best && amountIn >= most) return undefined
    if (best && isLeast(low, best, target)) return best
    amountIn = best ? between(low, best, { target, tooLittle }) : above(low, { target, most })
  }
  return best
}

function isLeast(low: Point, best: Route, target: bigint): boolean {
  const width = best.amountIn - low.amountIn
  const negligible = best.amountIn / negligiblePart
  if (width <= 1n + negligible) return true
  return unitOf(best) <= negligible && (best.amountOut - target) * negligiblePart <= target
}

/**
 * Outputs bend downwards: the chord meets the target above the least input. Where they step, so that it met
 * too little, halves.
 */
function between(
  low: Point,
  best: Route,
  { target, tooLittle }: { readonly target: bigint; readonly tooLittle: number },
): bigint {
  const half = (low.amountIn + best.amountIn) / 2n
  const unitLess = best.amountIn - 1n - unitOf(best)
  const surplus = (best.amountIn * (best.amountOut - target)) / best.amountOut
  // Nothing is known to be too little yet: twice the surplus less most likely is.
  if (low.amountIn === 0n && 2n * surplus < unitLess) return unitLess - 2n * surplus
  if (tooLittle > 1) return half
  const onChord = meet(low, best, target) + 1n
  if (onChord <= unitLess) return onChord
  return low.amountIn < unitLess ? unitLess : half
}

/** The input for one unit of the coarsest amount on the way: by so much more, nothing more may come out. */
function unitOf({ amountIn, steps }: Route): bigint {
  const amounts = steps.flatMap((step) => [step.amountIn, step.amountOut])
  // For very little, a concentrated pool gives nothing and refuses nothing.
  const coarsest = amounts.filter((amount) => amount > 0n).reduce(lesser, amountIn)
  return amountIn / coarsest
}

/** Twice what is missing by price, so that the next answer is enough. */
function above(
  low: Point,
  { target, most }: { readonly target: bigint; readonly most: bigint },
): bigint {
  const missing = (low.amountIn * (target - low.amountOut)) / low.amountOut
  return lesser(low.amountIn + 2n * missing + 1n, most)
}
