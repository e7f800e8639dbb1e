import type { Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'

type Ends = Pick<SearchFrame, 'tokenIn' | 'tokenOut'>

/**
 * Answers which edges of a set still lead from tokenIn to tokenOut once some are taken out: those
 * that lost their last supplier or their last buyer go too.
 */
export function createConnection(
  market: Market,
  { tokenIn, tokenOut }: Ends,
  edges: readonly number[],
) {
  const places = new Map<number, number>()
  const placeOf = (token: number) => {
    const known = places.get(token)
    if (known !== undefined) return known
    places.set(token, places.size)
    return places.size - 1
  }
  const source = placeOf(tokenIn)
  const sink = placeOf(tokenOut)
  const tails = Int32Array.from(edges, (edge) => placeOf(market.edgeFrom[edge] as number))
  const heads = Int32Array.from(edges, (edge) => placeOf(market.edgeTo[edge] as number))
  const sellers = new Int32Array(places.size)
  const suppliers = new Int32Array(places.size)
  const isKept = new Uint8Array(edges.length)

  /** Drops what leads nowhere until nothing changes; edges are few, so passes are cheap. */
  function settle(): void {
    for (let goesOn = true; goesOn; ) {
      goesOn = false
      sellers.fill(0)
      suppliers.fill(0)
      for (let k = 0; k < edges.length; k++) {
        if (isKept[k] === 0) continue
        sellers[tails[k] as number] = 1
        suppliers[heads[k] as number] = 1
      }
      suppliers[source] = 1
      sellers[sink] = 1
      for (let k = 0; k < edges.length; k++) {
        if (isKept[k] === 0) continue
        if (suppliers[tails[k] as number] === 1 && sellers[heads[k] as number] === 1) continue
        isKept[k] = 0
        goesOn = true
      }
    }
  }

  function without(isGone: (k: number) => boolean): number[] {
    for (let k = 0; k < edges.length; k++) isKept[k] = isGone(k) ? 0 : 1
    settle()
    return positions((k) => isKept[k] === 1)
  }
  const positions = (isOne: (k: number) => boolean) => {
    const found: number[] = []
    for (let k = 0; k < edges.length; k++) if (isOne(k)) found.push(k)
    return found
  }

  /** Of edges that all lead on, those with another one at both of their ends. */
  function findReplaceable(): ReadonlySet<number> {
    if (without(() => false).length < edges.length) return new Set()
    sellers.fill(0)
    suppliers.fill(0)
    for (const tail of tails) sellers[tail] = (sellers[tail] as number) + 1
    for (const head of heads) suppliers[head] = (suppliers[head] as number) + 1
    const hasOthers = (k: number) =>
      (sellers[tails[k] as number] as number) > 1 && (suppliers[heads[k] as number] as number) > 1
    return new Set(positions(hasOthers))
  }
  let replaceable: ReadonlySet<number> | undefined

  return {
    /** Positions of the edges that stay when `isGone` ones are taken out. */
    without,
    /** Positions of the edges that go when one is taken out, which is among them. */
    goneWith(one: number): readonly number[] {
      replaceable ??= findReplaceable()
      if (replaceable.has(one)) return [one]
      without((k) => k === one)
      return positions((k) => isKept[k] === 0)
    },
  }
}

/** The edges that still lead from tokenIn to tokenOut. */
export function connectedEdges(
  market: Market,
  ends: Ends,
  edges: readonly number[],
): readonly number[] {
  const kept = createConnection(market, ends, edges).without(() => false)
  return kept.length === edges.length ? edges : kept.map((k) => edges[k] as number)
}

/** Leaves out the edges that take nothing or lead nowhere, and with them their tokens' prices. */
export function trimFlow(
  market: Market,
  frame: Ends,
  flow: FlowSolution,
): FlowSolution | undefined {
  if (!Number.isFinite(flow.value)) return undefined
  const connection = createConnection(market, frame, flow.edges)
  const places = connection.without((k) => !((flow.inputs[k] as number) > 0))
  if (places.length === 0) return undefined
  if (places.length === flow.edges.length) return flow
  const edges = places.map((k) => flow.edges[k] as number)
  const logPrices = new Float64Array(flow.logPrices.length).fill(Number.NaN)
  logPrices[frame.tokenOut] = 0
  for (const edge of edges) {
    const token = market.edgeFrom[edge] as number
    logPrices[token] = flow.logPrices[token] as number
  }
  return {
    edges,
    logPrices,
    value: flow.value,
    imbalance: flow.imbalance,
    inputs: Float64Array.from(places, (k) => flow.inputs[k] as number),
    outputs: Float64Array.from(places, (k) => flow.outputs[k] as number),
  }
}
