import { makeQuote, makeRequest } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import {
  absurdProviders,
  bestOf,
  type GasPrice,
  type RankedQuote,
  rank,
  rankingOf,
} from './rank.ts'
import type { QuoteSimulation } from './simulateQuotes.ts'
import type { SourceQuote } from './source.ts'

const s = suite('meta/rank')
const request = makeRequest()

function ranked(
  provider: string,
  quote: Partial<SourceQuote>,
  simulation: QuoteSimulation = { status: 'disabled' },
): RankedQuote {
  const full = makeQuote({ provider, ...quote })
  return {
    entry: {
      provider,
      outcome: { status: 'quote', quote: full },
      attempts: 1,
      elapsedMs: 1,
      receivedAtMs: 1,
    },
    quote: full,
    simulation,
  }
}
const order = (quotes: readonly RankedQuote[], gasPrice?: GasPrice, references: bigint[] = []) =>
  rank({ quotes, request, gasPrice, references }).map(({ quote }) => quote.provider)

s('puts the higher output first, and the earlier of two equal ones', () => {
  const quotes = [
    ranked('a', { amountOut: 100n }),
    ranked('b', { amountOut: 120n }),
    ranked('c', { amountOut: 120n }),
  ]
  assert.equal(order(quotes), ['b', 'c', 'a'])
})

s('puts what a simulation proved before what is only promised, reverted last', () => {
  const quotes = [
    ranked('liar', { amountOut: 200n }, { status: 'success', actualOutput: 90n }),
    ranked('unproved', { amountOut: 150n }, { status: 'rpcError' }),
    ranked('honest', { amountOut: 100n }, { status: 'success', actualOutput: 100n }),
    ranked('broken', { amountOut: 500n }, { status: 'reverted' }),
  ]
  assert.equal(order(quotes), ['honest', 'liar', 'unproved', 'broken'])
})

s('has no best when everything reverted', () => {
  assert.is(bestOf([ranked('a', {}, { status: 'reverted' })]), undefined)
})

s('compares net of gas and of the L1 data fee where a price is known', () => {
  const gasPrice = { tokenAmount: 1n, perWei: 1_000n, gasPriceWei: 1n, l1FeeWei: { b: 3_000n } }
  const quotes = [
    ranked('a', { amountOut: 110n, gasEstimate: 20_000n }), // nets 90
    ranked('b', { amountOut: 100n, gasEstimate: 5_000n }), // nets 92
  ]
  assert.equal(order(quotes), ['a', 'b'])
  assert.equal(order(quotes, gasPrice), ['b', 'a'])
})

s('says what amounts were compared less of', () => {
  const gasPrice = { tokenAmount: 1n, perWei: 1n, gasPriceWei: 1n, l1FeeWei: {} }
  assert.is(rankingOf(undefined), 'gross')
  assert.is(rankingOf({ ...gasPrice, l1FeeWei: undefined }), 'netOfGas')
  assert.is(rankingOf(gasPrice), 'netOfGasAndL1Fee')
})

s('prefers the smaller input for an exact output', () => {
  const exactOutput = makeRequest({ trade: { type: 'exactOutput', targetOut: 1n, maxIn: 1_000n } })
  const quotes = [ranked('a', { amountIn: 12n }), ranked('b', { amountIn: 11n })]
  const sorted = rank({ quotes, request: exactOutput, gasPrice: undefined, references: [] })
  assert.is(sorted[0]?.quote.provider, 'b')
})

s('keeps an absurdly high quote from winning until a simulation proves it', () => {
  const others = [ranked('routing', { amountOut: 100n }), ranked('b', { amountOut: 101n })]
  assert.equal(order([...others, ranked('lure', { amountOut: 203n })]), ['b', 'routing', 'lure'])
  const proved = ranked('lure', { amountOut: 203n }, { status: 'success', actualOutput: 203n })
  assert.equal(order([...others, proved])[0], 'lure')
})

s('is not fooled by two lures that agree', () => {
  const quotes = [
    ranked('routing', { amountOut: 100n }),
    ranked('b', { amountOut: 99n }),
    ranked('x', { amountOut: 900n }),
    ranked('y', { amountOut: 901n }),
  ]
  assert.is(order(quotes)[0], 'routing')
})

s('takes routing at its word when it alone sees the good pool', () => {
  const quotes = [ranked('routing', { amountOut: 300n }), ranked('b', { amountOut: 100n })]
  assert.is(absurdProviders({ quotes, request, references: [] }).size, 0)
})

s('measures a lone quote against an order book', () => {
  const lone = [ranked('a', { amountOut: 300n })]
  assert.is(absurdProviders({ quotes: lone, request, references: [100n] }).has('a'), true)
  assert.is(absurdProviders({ quotes: lone, request, references: [200n] }).has('a'), false)
})

s.run()
