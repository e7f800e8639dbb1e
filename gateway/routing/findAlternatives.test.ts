import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { findAlternatives } from './findAlternatives.ts'
import type { Quote } from './finishQuote.ts'
import type { QuoteParameters } from './quoteRequest.ts'
import type { QuoteResponse } from './wire/quote.ts'

const stand = createGeneratedStand({ pools: 150, tokens: 20, seed: 5 })
const asked = generateTrades(stand.market, 30).trades.map((trade) => ({
  chain_id: stand.chain.chainId,
  token_in: trade.in,
  token_out: trade.out,
  amount_in: String(trade.amount),
  max_steps: 6,
}))

const s = suite('findAlternatives')

s('are the next best, share no pool, and cost a unit each [20/alternatives]', async () => {
  let many = 0
  for (const body of asked) {
    const before = stand.ledger.charged
    const { status, body: answer } = await stand.ask('/quote', { ...body, alternatives: 3 })
    if (status !== 200) continue
    assert.is(stand.ledger.charged - before, 4)
    const best = answer as QuoteResponse
    const all = [best, ...(best.alternatives ?? [])]
    const pools = all.flatMap(({ steps }) => steps.map(({ pool }) => pool))
    assert.is(new Set(pools).size, pools.length)
    assert.ok(all.length <= 4)
    if (all.length === 4) many += 1
    // Nothing bounds them: the best has the pools that they go without.
    for (const { optimality_gap_bps: gap } of all.slice(1)) assert.is(gap, undefined)
    for (const { execution, route_readiness } of all)
      assert.equal([execution !== undefined, route_readiness], [true, 'ready'])
    const plain = await stand.get<QuoteResponse>('/quote', body)
    assert.equal([plain.output, plain.alternatives], [best.output, undefined])
  }
  assert.ok(many > 10, `${many} have three`)
})

s('draws the route: what arrives at a token goes on [20/route-graph]', async () => {
  let found = 0
  for (const body of asked) {
    const { status, body: answer } = await stand.ask('/quote', { ...body, route_graph: true })
    if (status !== 200) continue
    found += 1
    const { route_graph: graph, steps, output } = answer as QuoteResponse
    if (!graph) throw new Error('it was asked for')
    assert.is(graph.edges.length, steps.length)
    const [first] = graph.nodes
    assert.equal([first?.received, first?.spent], ['0', body.amount_in])
    for (const [index, edge] of graph.edges.entries()) {
      const step = steps[index]
      assert.is(graph.nodes[edge.from]?.token, step?.token_in)
      assert.is(graph.nodes[edge.to]?.token, step?.token_out)
      assert.equal([edge.amount_in, edge.amount_out], [step?.amount_in, step?.amount_out])
    }
    for (const node of graph.nodes.slice(1)) {
      const isEnd = node.spent === '0'
      if (isEnd) assert.is(node.received, output)
      else assert.is(node.received, node.spent)
      assert.match(node.symbol ?? '', /^T\d+$/)
    }
  }
  assert.ok(found > 10)
})

s('are each searched without the pools of all before it [teeth/alternatives]', async () => {
  const through = (...steps: readonly object[]) =>
    ({ steps, optimalityGapBps: 3 }) as never as Quote
  const best = through({ pool: '0xA' }, { pool: '0xB', poolId: '0xC' })
  const look = async (count: number, others: readonly Quote[], first = best) => {
    const left = [...others]
    const without: unknown[] = []
    const ends = { chainId: 1, tokenIn: zeroAddress, tokenOut: zeroAddress }
    const options = { maxHops: 2, excludePools: ['0x9'] }
    const asked: QuoteParameters = { ...ends, amountIn: 1n, slippageBps: 50, options }
    const find = async (question: QuoteParameters) => {
      without.push(question.options)
      assert.is(question.amountIn, 1n)
      return left.shift()
    }
    return { found: await findAlternatives(find, { best: first, count, asked }), options: without }
  }
  const others = [through({ pool: '0xD' }), through({ pool: '0xE' }), through({ pool: '0xF' })]
  const { found, options } = await look(2, others)
  assert.equal(
    found,
    others.slice(0, 2).map((quote) => ({ ...quote, optimalityGapBps: undefined })),
  )
  assert.equal(options, [
    { maxHops: 2, excludePools: ['0x9', '0xa', '0xc'] },
    { maxHops: 2, excludePools: ['0x9', '0xa', '0xc', '0xd'] },
  ])
  const few = await look(3, others.slice(0, 1))
  assert.equal([few.found.length, few.options.length], [1, 2])
  // A wrap goes through no pool, and in no other way.
  assert.equal(await look(2, others, through()), { found: [], options: [] })
})

s.run()
