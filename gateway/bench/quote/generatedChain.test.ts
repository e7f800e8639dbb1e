import { assert, suite } from '../../../fixtures/test.ts'
import { findRoute, findRouteInSlices } from '../../routing/engine/findRoute.ts'
import { createSlices } from '../../routing/engine/slices.ts'
import { searchLimits } from '../../routing/searchRoute.ts'
import { generateTrades } from '../routing/generateMarket.ts'
import { createGeneratedChain } from './generatedChain.ts'

const s = suite('quotes while blocks come in')

const { chain, market, advance } = createGeneratedChain({ pools: 300, tokens: 30, seed: 7 })
const questions = generateTrades(market, 20).trades.map((trade) => ({
  tokenIn: trade.in,
  tokenOut: trade.out,
  amountIn: BigInt(trade.amount),
  ...searchLimits.deep,
  deadlineMs: 60_000,
  gasPriceWei: 10_000_000n,
  nativeToken: market.base,
  now: () => performance.now(),
}))
/** A turn after every piece of work: the writer comes between all of them. */
const slices = createSlices({ now: () => performance.now(), leastMs: 0, mostMs: 0 })
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function current() {
  const state = chain.sync.current()
  assert.ok(state)
  return state.market
}

s('waits for no state write, and answers from the state it began on', async () => {
  let blocks = 0
  let isOver = false
  const writing = (async () => {
    for (; !isOver; blocks++) {
      advance()
      await turn()
    }
  })()
  let foldedMeanwhile = 0
  let changedAnswers = 0
  for (const question of questions) {
    const began = current()
    const before = blocks
    const route = await findRouteInSlices(began, question, { slices })
    foldedMeanwhile += blocks - before
    assert.ok(route)
    assert.equal(route, findRoute(began, question), 'what was written meanwhile changes nothing')
    if (findRoute(current(), question)?.amountOut !== route?.amountOut) changedAnswers++
  }
  isOver = true
  await writing
  assert.ok(foldedMeanwhile >= questions.length, `${foldedMeanwhile} blocks`)
  assert.ok(changedAnswers > questions.length / 2, 'the next quote sees what was written')
})

s(
  'holds up no state write: several quotes at once, a block after each of their turns',
  async () => {
    const began = current()
    let isOver = false
    const quoting = Promise.all(
      questions.map((question) => findRouteInSlices(began, question, { slices })),
    ).finally(() => {
      isOver = true
    })
    let blocks = 0
    for (; !isOver; blocks++) {
      advance()
      await turn()
    }
    const routes = await quoting
    assert.ok(blocks >= 5, `${blocks} blocks`)
    for (const [index, question] of questions.entries())
      assert.is(routes[index]?.amountOut, findRoute(began, question)?.amountOut)
  },
)

s.run()
