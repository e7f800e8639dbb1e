import type { Edges } from './edges.ts'

/**
 * Edges of one (from, to) are a pair: where each pair begins, and the pairs by either token. Every pair is
 * sold both ways, so a token is bought through the mirrors of the pairs that it sells through, in their order.
 */
export function indexPairs(edges: Edges, tokenCount: number) {
  const { pairEdges, pairFrom, pairTo } = listPairs(edges)
  const outPairs = countStarts(pairFrom, tokenCount)
  const mirrors = listMirrors(pairTo, outPairs)
  return {
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
  const isLast = (edge: number) => from[edge] !== from[edge + 1] || to[edge] !== to[edge + 1]
  const end = from.length - 1
  let count = Math.min(from.length, 1)
  for (let edge = 0; edge < end; edge++) if (isLast(edge)) count += 1
  const pairEdges = new Int32Array(count + 1)
  const [pairFrom, pairTo] = [new Int32Array(count), new Int32Array(count)]
  let pair = 0
  for (let edge = 0; edge <= end; edge++) {
    if (edge < end && !isLast(edge)) continue
    pairEdges[pair + 1] = edge + 1
    pairFrom[pair] = from[edge] as number
    pairTo[pair] = to[edge] as number
    pair += 1
  }
  return { pairEdges, pairFrom, pairTo }
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
