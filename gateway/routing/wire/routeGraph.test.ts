import { type Address, getAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import { plainQuote } from '../testing/plainQuote.ts'
import { routeGraph, toRouteGraph } from './routeGraph.ts'

const s = suite('routing/wire/routeGraph')
const [a, b, c] = ['12', 'ab', 'cd'].map((byte) => getAddress(`0x${byte.repeat(20)}`)) as [
  Address,
  Address,
  Address,
]
const [step] = plainQuote.steps as readonly [(typeof plainQuote.steps)[number]]

s('draws what arrives at each token and goes on, by the steps', () => {
  const steps = [
    { ...step, tokenIn: a, tokenOut: b, amountIn: 60n, amountOut: 6n, shareBps: 6_000 },
    { ...step, tokenIn: a, tokenOut: c, amountIn: 40n, amountOut: 4n, shareBps: 4_000 },
    { ...step, tokenIn: b, tokenOut: c, amountIn: 5n, amountOut: 7n, shareBps: 6_000 },
  ]
  // Known by their lower case.
  const known = { address: b, symbol: 'B', decimals: 0 }
  const graph = toRouteGraph(steps, new Map([[b.toLowerCase(), known]]))
  assert.is(checkShape(routeGraph, graph), undefined)
  assert.equal(graph, {
    nodes: [
      { token: a, received: '0', spent: '100' },
      { token: b, symbol: 'B', decimals: 0, received: '6', spent: '5' },
      { token: c, received: '11', spent: '0' },
    ],
    edges: [
      { from: 0, to: 1, step: 0, amount_in: '60', amount_out: '6', share_bps: 6_000 },
      { from: 0, to: 2, step: 1, amount_in: '40', amount_out: '4', share_bps: 4_000 },
      { from: 1, to: 2, step: 2, amount_in: '5', amount_out: '7', share_bps: 6_000 },
    ],
  })
})
s('draws nothing for a wrap', () => {
  assert.equal(toRouteGraph([], new Map()), { nodes: [], edges: [] })
})
s.run()
