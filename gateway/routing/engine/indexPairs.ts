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

/** The pair in which one token is sold for another; -1 where no pool has both. */
export function pairBetween(
  { outPairs, pairTo }: { readonly outPairs: Int32Array; readonly pairTo: Int32Array },
  from: number,
  to: number,
): number {
  const end = outPairs[from + 1] as number
  let [low, high] = [outPairs[from] as number, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pairTo[middle] as number) < to) low = middle + 1
    else high = middle
  }
  return low < end && pairTo[low] === to ? low : -1
}

/** The pair that an edge is of. */
export function pairOf({ pairEdges }: { readonly pairEdges: Int32Array }, edge: number): number {
  let [low, high] = [0, pairEdges.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((pairEdges[middle] as number) <= edge) low = middle
    else high = middle
  }
  return low
}

function listPairs({ from, to }: Edges) {
  const count = countPairs({ from, to })
  const pairEdges = new Int32Array(count + 1)
  const [pairFrom, pairTo] = [new Int32Array(count), new Int32Array(count)]
  let [pair, lastFrom, lastTo] = [-1, -1, -1]
  for (let edge = 0; edge < from.length; edge++) {
    if (from[edge] === lastFrom && to[edge] === lastTo) continue
    lastFrom = from[edge] as number
    lastTo = to[edge] as number
    pair += 1
    pairEdges[pair] = edge
    pairFrom[pair] = lastFrom
    pairTo[pair] = lastTo
  }
  pairEdges[count] = from.length
  return { pairEdges, pairFrom, pairTo }
}

function countPairs({ from, to }: Pick<Edges, 'from' | 'to'>): number {
  let count = Math.min(from.length, 1)
  for (let edge = 1; edge < from.length; edge++)
    if (from[edge] !== from[edge - 1] || to[edge] !== to[edge - 1]) count += 1
  return count
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
function countStarts(values: Int32Array, size: number): Int32Array {
  const starts = new Int32Array(size + 1)
  for (const value of values) starts[value + 1] = (starts[value + 1] as number) + 1
  for (let index = 0; index < size; index++)
    starts[index + 1] = (starts[index + 1] as number) + (starts[index] as number)
  return starts
}
