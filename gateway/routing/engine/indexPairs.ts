import type { Edges } from './edges.ts'

/**
 * Edges of one (from, to) are a pair: where each pair begins, and the pairs by either token. Every pair is
 * sold both ways, so a token is bought through the mirrors of the pairs that it sells through, in their order.
 */
export function indexPairs(edges: Edges, tokenCount: number) {
  const { edgePair, pairEdges, pairFrom, pairTo } = listPairs(edges)
  const outPairs = countStarts(pairFrom, tokenCount)
  const mirrors = listMirrors(pairTo, outPairs)
  return {
    edgePair,
    pairEdges,
    pairFrom,
    pairTo,
    outPairs,
    inPairs: outPairs,
    inPairFrom: pairTo,
    inPairList: mirrors,
    inPairPlace: mirrors,
  }
}

function listPairs({ from, to }: Edges) {
  const edgePair = new Int32Array(from.length)
  let last = -1
  for (let edge = 0; edge < edgePair.length; edge++) {
    if (edge === 0 || from[edge - 1] !== from[edge] || to[edge - 1] !== to[edge]) last += 1
    edgePair[edge] = last
  }
  const pairEdges = new Int32Array(last + 2)
  const [pairFrom, pairTo] = [new Int32Array(last + 1), new Int32Array(last + 1)]
  // From the back: of a pair's edges the first one stays.
  for (let edge = edgePair.length - 1; edge >= 0; edge--) {
    const pair = edgePair[edge] as number
    pairEdges[pair] = edge
    pairFrom[pair] = from[edge] as number
    pairTo[pair] = to[edge] as number
  }
  pairEdges[last + 1] = edgePair.length
  return { edgePair, pairEdges, pairFrom, pairTo }
}

/** Which pair buys what each sells: pairs are sorted by what they sell, then by what they buy. */
function listMirrors(pairTo: Int32Array, outPairs: Int32Array): Int32Array {
  const free = outPairs.slice()
  const mirrors = new Int32Array(pairTo.length)
  for (let pair = 0; pair < mirrors.length; pair++) {
    const token = pairTo[pair] as number
    const place = free[token] as number
    mirrors[pair] = place
    free[token] = place + 1
  }
  return mirrors
}

/** starts[t] = how many entries are below t. */
export function countStarts(values: Int32Array, size: number): Int32Array {
  const starts = new Int32Array(size + 1)
  for (const value of values) starts[value + 1] = (starts[value + 1] as number) + 1
  for (let index = 0; index < size; index++)
    starts[index + 1] = (starts[index + 1] as number) + (starts[index] as number)
  return starts
}
