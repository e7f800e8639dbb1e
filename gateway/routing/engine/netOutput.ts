import type { Route } from './route.ts'
import type { SearchFrame } from './searchFrame.ts'

/** What a route brings, net of gas. */
export function netOutput(frame: SearchFrame, route: Route): number {
  return Number(route.amountOut) - route.gas * frame.gasPrice
}

/** A route that sells all beats one that does not; then the net output decides. */
export function betterRoute(frame: SearchFrame, one: Route | undefined, other: Route | undefined) {
  if (!one || !other) return one ?? other
  if (one.amountIn !== other.amountIn) return one.amountIn > other.amountIn ? one : other
  return netOutput(frame, one) > netOutput(frame, other) ? one : other
}
