import type { Edges } from './edges.ts'

/** Edges of one (from, to) are a pair: where each pair begins, and the pairs by either token. */
export function indexPairs({ from, to }: Edges, tokenCount: number) {
  const edgeCount = from.length
  const column = () => new Int32Array(edgeCount + 1)
  const [starts, froms, tos] = [column(), column(), column()]
  let count = 0
  for (let edge = 0; edge < edgeCount; edge++) {
    if (edge > 0 && from[edge - 1] === from[edge] && to[edge - 1] === to[edge]) continue
    starts[count] = edge
    froms[count] = from[edge] as number
    tos[count] = to[edge] as number
    count += 1
  }
  starts[count] = edgeCount
  const pairEdges = starts.slice(0, count + 1)
  const [pairFrom, pairTo] = [froms.slice(0, count), tos.slice(0, count)]
  const inPairs = countStarts(pairTo, tokenCount)
  const free = inPairs.slice()
  const inPairList = new Int32Array(pairTo.length)
  for (let pair = 0; pair < pairTo.length; pair++) {
    const token = pairTo[pair] as number
    inPairList[free[token] as number] = pair
    free[token] = (free[token] as number) + 1
  }
  const edgePair = new Int32Array(edgeCount)
  for (let pair = 0; pair < pairFrom.length; pair++)
    for (let edge = pairEdges[pair] as number; edge < (pairEdges[pair + 1] as number); edge++)
      edgePair[edge] = pair
  const inPairPlace = new Int32Array(pairTo.length)
  for (let place = 0; place < inPairList.length; place++)
    inPairPlace[inPairList[place] as number] = place
  return {
    edgePair,
    inPairPlace,
    pairEdges,
    pairFrom,
    pairTo,
    outPairs: countStarts(pairFrom, tokenCount),
    inPairs,
    inPairList,
    inPairFrom: inPairList.map((pair) => pairFrom[pair] as number),
  }
}

/** starts[t] = how many entries are below t. */
export function countStarts(values: Int32Array, size: number): Int32Array {
  const starts = new Int32Array(size + 1)
  for (const value of values) starts[value + 1] = (starts[value + 1] as number) + 1
  for (let index = 0; index < size; index++)
    starts[index + 1] = (starts[index + 1] as number) + (starts[index] as number)
  return starts
}
