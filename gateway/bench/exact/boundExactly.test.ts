import { randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createMarket, type Market } from '../../routing/engine/market.ts'
import { boundExactly } from './boundExactly.ts'
import { loadSolver } from './loadSolver.ts'
import { listEdges, netOf } from './proveTrade.ts'
import type { Question } from './question.ts'

const s = suite('boundExactly')
const highs = await loadSolver()

/** Each step costs this much of d; a swap of the random markets takes 100,000 gas or so. */
const gasPrices = [0, 1e13, 1e14]

function question(market: Market, gasPrice: number, amountIn: number): Question {
  const [tokenIn, tokenOut] = ['a', 'd'].map((token) => market.tokenIndex.get(token) ?? -1)
  return { market, tokenIn: tokenIn ?? -1, tokenOut: tokenOut ?? -1, amountIn, gasPrice }
}

/** Every choice of pools and their directions, each planned as a route: the most that any nets. */
function bruteForce(asked: Question, prices: Float64Array): number {
  const { market } = asked
  const byPool = Map.groupBy(listEdges(asked), (edge) => market.edgePool[edge])
  let choices: (readonly number[])[] = [[]]
  for (const edges of byPool.values())
    choices = choices.flatMap((chosen) => [chosen, ...edges.map((edge) => [...chosen, edge])])
  return Math.max(
    0,
    ...choices.map((edges) => (edges.length > 0 ? netOf(asked, edges, prices) : 0)),
  )
}

s('is what the best of all routes nets, where each step costs its gas [20/exact]', () => {
  let closed = 0
  let asked = 0
  for (let seed = 1; seed <= 12; seed++) {
    const market = createMarket(randomMarket(seed, 6, 'abcd'))
    if (!market.tokenIndex.has('a') || !market.tokenIndex.has('d')) continue
    const prices = new Float64Array(market.tokens.length).fill(1)
    for (const gasPrice of gasPrices) {
      const one = question(market, gasPrice, 10 ** (19 + (seed % 4)))
      const best = bruteForce(one, prices)
      if (best === 0) continue
      asked++
      const edges = listEdges(one)
      const start = { edges, prices, net: best * 0.97, seconds: 60 }
      const { bound } = boundExactly(highs, one, start)
      assert.ok(bound >= best * (1 - 1e-8), `market ${seed} at ${gasPrice}: ${bound} of ${best}`)
      if (bound <= best * (1 + 2e-6)) closed++
    }
  }
  assert.ok(asked > 20)
  assert.is(closed, asked)
})

s('is what is proven without it where the solver ends amid its work [20/exact-ends]', () => {
  const ends: typeof highs = {
    ...highs,
    withModel() {
      throw Object.assign(new Error('Aborted()'), { name: 'RuntimeError' })
    },
  }
  const one = question(createMarket(randomMarket(3, 40)), 1e13, 1e21)
  const prices = new Float64Array(one.market.tokens.length).fill(1)
  const start = { edges: listEdges(one), prices, net: 1e20, seconds: 60 }
  const [told, solved] = [ends, highs].map((solver) => boundExactly(solver, one, start))
  assert.ok(told && solved && Number.isFinite(told.bound) && told.bound > solved.bound)
  assert.equal(told.flows, [])
})

s('finds what nets more than a known route, and nothing more than that', () => {
  const market = createMarket(randomMarket(3, 40))
  const prices = new Float64Array(market.tokens.length).fill(1)
  const one = question(market, 1e13, 1e21)
  const edges = listEdges(one)
  const direct = edges.filter(
    (edge) => market.edgeFrom[edge] === one.tokenIn && market.edgeTo[edge] === one.tokenOut,
  )
  const net = netOf(one, direct.slice(0, 1), prices)
  assert.ok(net > 0)
  const { bound, flows } = boundExactly(highs, one, { edges, prices, net, seconds: 60 })
  const best = Math.max(...flows.map((flow) => netOf(one, flow, prices)))
  assert.ok(best > net && best <= bound && best >= bound * (1 - 2e-6))
  const again = boundExactly(highs, one, { edges, prices, net: best, seconds: 60 })
  assert.ok(again.bound <= best * (1 + 2e-6))
})

s.run()
