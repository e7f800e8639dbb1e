import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { toColumns } from './edges.ts'
import { indexPairs, pairBetween, pairOf } from './indexPairs.ts'

const s = suite('indexPairs')
const tokenCount = 9

/** Both directions of some pairs among nine tokens, up to three edges each, sorted. */
function drawEdges(seed: number) {
  const next = random(seed)
  const below = (most: number) => Math.floor(next() * most)
  const ends = Array.from({ length: below(14) }, () => {
    const from = below(tokenCount)
    return [from, (from + 1 + below(tokenCount - 1)) % tokenCount] as const
  })
  return ends
    .flatMap(([from, to], pool) => [
      { pool, from, to, i: 0, j: 1 },
      { pool, from: to, to: from, i: 1, j: 0 },
    ])
    .sort((one, other) => one.from - other.from || one.to - other.to)
}

s('finds the edges of a pair, the pair of an edge and the pairs of a token', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const edges = drawEdges(seed)
    const index = indexPairs(toColumns(edges), tokenCount)
    const names = [...new Set(edges.map(({ from, to }) => `${from},${to}`))]
    assert.equal(
      names.map((_, pair) => `${index.pairFrom[pair]},${index.pairTo[pair]}`),
      names,
    )
    assert.is(index.pairEdges.length, names.length + 1)
    assert.is(index.pairFrom.length, names.length)
    for (const [edge, { from, to }] of edges.entries()) {
      const pair = pairOf(index, edge)
      assert.is(names[pair], `${from},${to}`)
      assert.ok(edge >= (index.pairEdges[pair] ?? 0) && edge < (index.pairEdges[pair + 1] ?? 0))
    }
    for (let from = 0; from < tokenCount; from += 1) {
      const own = (column: Int32Array) =>
        Array.from({ length: names.length }, (_, pair) => pair).filter(
          (pair) => pair >= (column[from] ?? 0) && pair < (column[from + 1] ?? 0),
        )
      const sold = names.flatMap((name, pair) => (name.startsWith(`${from},`) ? [pair] : []))
      assert.equal(own(index.outPairs), sold)
      const bought = own(index.inPairs).map((place) => index.inPairList[place] ?? -1)
      assert.equal(
        bought.toSorted((one, other) => one - other),
        names.flatMap((name, pair) => (name.endsWith(`,${from}`) ? [pair] : [])),
      )
      for (const place of own(index.inPairs)) {
        const pair = index.inPairList[place] ?? -1
        assert.equal(
          [index.inPairFrom[place], index.inPairPlace[pair]],
          [index.pairFrom[pair], place],
        )
      }
      for (let to = 0; to < tokenCount; to += 1)
        assert.is(pairBetween(index, from, to), names.indexOf(`${from},${to}`))
    }
  }
})
s.run()
