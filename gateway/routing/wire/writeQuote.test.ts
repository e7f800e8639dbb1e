import { getAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedChain } from '../../bench/quote/generatedChain.ts'
import { generateTrades } from '../../bench/routing/generateMarket.ts'
import type { Quote } from '../finishQuote.ts'
import { quote } from '../quote.ts'
import { fromQuote } from './quote.ts'
import { writeQuote } from './writeQuote.ts'

const { chain, market } = createGeneratedChain({ pools: 60, tokens: 12, seed: 3 })
const deps = {
  chains: new Map([[chain.chainId, chain]]),
  simulator: undefined,
  maxLagMs: 30_000,
  now: () => performance.now(),
}
const options = { serviceName: 'a "quoted" name' }

async function listQuotes(): Promise<readonly Quote[]> {
  const found: Quote[] = []
  for (const trade of generateTrades(market, 12).trades)
    for (const slippageBps of [0, 50]) {
      const outcome = await quote(deps, {
        chainId: chain.chainId,
        amountIn: BigInt(trade.amount),
        slippageBps,
        tokenIn: getAddress(trade.in),
        tokenOut: getAddress(trade.out),
      })
      if (outcome.status === 'ok') found.push(outcome.quote)
    }
  return found
}

const s = suite('written quotes')

s('are the JSON of the answer, with a payload and without', async () => {
  const quotes = await listQuotes()
  assert.ok(quotes.length >= 12, `${quotes.length} quotes`)
  const variants = quotes.flatMap((each): Quote[] => [
    each,
    { ...each, execution: undefined, executable: false, unexecutableReason: 'stale_state' },
    { ...each, inputConsumed: each.amountIn - 1n, optimalityGapBps: 0.25 },
  ])
  for (const each of variants)
    assert.equal(JSON.parse(writeQuote(each, options)), fromQuote(each, options))
})

s.run()
