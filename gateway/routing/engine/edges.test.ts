import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { evenPool } from '../testing/curvePool.ts'
import { copyRuns, type Edge, listEdges, mergeEdges, mostTokens, toColumns } from './edges.ts'

const s = suite('edges')
const byPair = (one: Edge, other: Edge) => one.from - other.from || one.to - other.to

/** Edges between seven tokens, sorted; those of one pair in any order. */
function drawEdges(next: () => number, count: number): readonly Edge[] {
  const below = (most: number) => Math.floor(next() * most)
  return Array.from({ length: count }, () => {
    const from = below(7)
    const to = (from + 1 + below(6)) % 7
    return { pool: below(1_000), from, to, i: below(256), j: below(256) }
  }).sort(byPair)
}

s('come and go among those that stay, each behind those of its pair', () => {
  const next = random(4)
  for (let round = 0; round < 60; round += 1) {
    const old = drawEdges(next, round)
    const came = drawEdges(next, round % 9)
    const part = next()
    const gone = [...old.keys()].filter(() => next() < part)
    const { edges, runs } = mergeEdges(toColumns(old), { gone, came })
    const stay = old.filter((_, index) => !gone.includes(index))
    // Sorting leaves equals in their order.
    const expected = [...stay, ...came].sort(byPair)
    assert.equal(edges, toColumns(expected))
    // By twos, as what is written of each edge is copied.
    const rows = copyRuns(
      new Float64Array(2 * expected.length).fill(-1),
      Float64Array.from({ length: 2 * old.length }, (_, index) => index),
      runs,
      2,
    )
    const places = expected.flatMap((edge) => {
      const index = old.indexOf(edge)
      return index < 0 ? [-1, -1] : [2 * index, 2 * index + 1]
    })
    assert.equal([...rows], places)
    assert.ok(runs.every(({ count }) => count > 0))
    assert.ok(runs.length <= gone.length + came.length + 1)
  }
})

s('are both directions of every two tokens of each pool, sorted', () => {
  const seats = new Map([...'dcba'].map((token, seat) => [token, seat]))
  const pools = [evenPool('p', 'a/b/c'), evenPool('q', 'c/d'), evenPool('r', 'd/d')]
  assert.equal(
    listEdges(pools, seats).map(({ pool, from, to, i, j }) => [pool, from, to, i, j].join()),
    [
      '1,0,1,1,0',
      '1,1,0,0,1',
      '0,1,2,2,1',
      '0,1,3,2,0',
      '0,2,1,1,2',
      '0,2,3,1,0',
      '0,3,1,0,2',
      '0,3,2,0,1',
    ],
  )
  const crowd = Array.from({ length: mostTokens }, (_, n) => `t${n}`)
  const numbers = new Map(crowd.map((token, n) => [token, n]))
  const count = (tokens: readonly string[]) =>
    listEdges([evenPool('p', tokens.join('/'))], numbers).length
  assert.equal([count(crowd), count([...crowd, 'more'])], [256 * 255, 0])
})
s.run()
