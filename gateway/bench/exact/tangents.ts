import { edgeOutput } from '../../routing/engine/edgeCurve.ts'
import type { Market } from '../../routing/engine/market.ts'
import { at } from '../../routing/engine/pieces.ts'

/** Inputs of edges at which a tangent holds the curve down: above it everywhere, since a curve is concave. */
export type Tangents = ReturnType<typeof createTangents>

/** A hair before the end, behind which a curve has no slope. */
const beforeEnd = 1 - 1e-12
/** What lies higher than this part of the whole above a curve is held down. */
const least = 1e-9

export function createTangents(market: Market) {
  const inputs = new Map<number, number[]>()

  function add(edge: number, input: number): void {
    const curve = at(market.curves, edge)
    const end = (curve?.x[curve.count] as number) * beforeEnd
    const known = inputs.get(edge) ?? [0]
    if (input > 0) known.push(Math.min(input, end))
    inputs.set(edge, known)
  }

  return {
    of: (edge: number): readonly number[] => inputs.get(edge) ?? [0],
    add,
    /** Holds down what a solution takes for more than the curves give; how much that is in all, of `unit`. */
    hold(
      edges: readonly number[],
      {
        inputs: taken,
        outputs,
        used,
        prices,
        unit,
      }: {
        readonly inputs: Float64Array
        readonly outputs: Float64Array
        readonly used: Float64Array
        readonly prices: Float64Array
        readonly unit: number
      },
    ): number {
      let above = 0
      for (const [k, edge] of edges.entries()) {
        const part = used[k] as number
        const input = (taken[k] as number) / part
        if (!(part > least && input > 0)) continue
        const excess = (outputs[k] as number) - part * edgeOutput(market, edge, input)
        const worth = (excess * (prices[market.edgeTo[edge] as number] as number)) / unit
        if (worth > least) add(edge, input)
        above += Math.max(0, worth)
      }
      return above
    },
  }
}
