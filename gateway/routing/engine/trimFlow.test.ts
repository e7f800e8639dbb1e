import { assert, suite } from '../../../fixtures/test.ts'
import { curvePool } from '../testing/curvePool.ts'
import { createMarket } from './market.ts'
import { connectedEdges, createConnection, trimFlow } from './trimFlow.ts'

const s = suite('trimFlow')
const pieces = [{ dx: 1e9, a: 1, b: 1e-15 }]
const market = createMarket(
  ['a/b', 'b/c', 'c/d', 'a/d', 'x/c', 'b/y'].map((tokens) =>
    curvePool(tokens.replace('/', ''), tokens, { pieces }),
  ),
)
const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
const ends = { tokenIn: numberOf('a'), tokenOut: numberOf('d') }
/** `ab`: the edge that sells a for b. */
const edgeOf = (name: string) =>
  [...market.edgeFrom.keys()].find(
    (edge) =>
      market.edgeFrom[edge] === numberOf(name[0] ?? '') &&
      market.edgeTo[edge] === numberOf(name[1] ?? ''),
  ) ?? -1
const edges = (...names: readonly string[]) => names.map(edgeOf)
const chain = ['ab', 'bc', 'cd'] as const

s('keeps what leads from one end to the other [teeth/trim-flow]', () => {
  assert.equal(connectedEdges(market, ends, edges(...chain, 'ad')), edges(...chain, 'ad'))
  // x is bought by nobody, y sold to nobody.
  assert.equal(connectedEdges(market, ends, edges(...chain, 'xc', 'by')), edges(...chain))
  assert.equal(connectedEdges(market, ends, edges('ab', 'cd')), [])
  assert.equal(connectedEdges(market, ends, []), [])
  const all = edges('ad')
  assert.is(connectedEdges(market, ends, all), all, 'the same list where nothing goes')
})

s('takes with an edge all that it alone supplied or bought from [teeth/trim-flow]', () => {
  const connection = createConnection(market, ends, edges(...chain, 'ad'))
  const kept = (gone: number) => connection.without((k) => k === gone)
  assert.equal([kept(0), kept(1), kept(2), kept(3)], [[3], [3], [3], [0, 1, 2]])
  assert.equal(
    connection.without(() => true),
    [],
  )
  assert.equal(
    connection.without(() => false),
    [0, 1, 2, 3],
    'each time from all of them',
  )
})

s('tells what goes with each edge as it is without it [teeth/trim-flow]', () => {
  for (const names of [
    [...chain, 'ad'],
    ['ab', ...chain, 'cd', 'ad'],
    // One leads nowhere from the first on.
    [...chain, ...chain, 'xc'],
    chain,
    [],
  ]) {
    const whole = createConnection(market, ends, edges(...names))
    const places = [...names.keys()]
    for (const one of places) {
      const stays = new Set(whole.without((k) => k === one))
      const goes = places.filter((k) => !stays.has(k))
      assert.equal(whole.goneWith(one), goes, `${names} without ${one}`)
    }
  }
  const twofold = createConnection(market, ends, edges(...chain, ...chain))
  assert.equal(twofold.goneWith(2), [2])
})

function flow(names: readonly string[], inputs: readonly number[], value = 5) {
  const logPrices = new Float64Array(market.tokens.length).fill(Number.NaN)
  for (const [k, token] of [...'abcd'].entries()) logPrices[numberOf(token)] = -k - 1
  return {
    edges: edges(...names),
    inputs: Float64Array.from(inputs),
    outputs: Float64Array.from(inputs, (input) => 2 * input),
    value,
    imbalance: 0.25,
    logPrices,
  }
}

s('leaves out what takes nothing, and the prices of its tokens [teeth/trim-flow]', () => {
  const trimmed = trimFlow(market, ends, flow([...chain, 'ad'], [3, 0, 2, 4]))
  if (!trimmed) throw new Error('nothing is left')
  const priceOf = (token: string) => trimmed.logPrices[numberOf(token)]
  assert.equal(trimmed.edges, edges('ad'))
  assert.equal([[...trimmed.inputs], [...trimmed.outputs]], [[4], [8]])
  assert.equal([trimmed.value, trimmed.imbalance], [5, 0.25])
  assert.equal([priceOf('a'), priceOf('d')], [-1, 0])
  assert.equal([priceOf('b'), priceOf('c')], [Number.NaN, Number.NaN])
})

s('is the flow itself where all is used, and none where nothing is [teeth/trim-flow]', () => {
  const whole = flow(chain, [3, 1, 2])
  assert.is(trimFlow(market, ends, whole), whole)
  assert.is(trimFlow(market, ends, flow(chain, [3, 0, 2])), undefined)
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.is(trimFlow(market, ends, flow(chain, [3, 1, 2], value)), undefined)
})
s.run()
