import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape, createValidate } from '../../http/validate.ts'
import type { QuoteOutcome } from '../quote.ts'
import { plainQuote, tokenIn, tokenOut } from '../testing/plainQuote.ts'
import { fromQuote } from './quote.ts'
import { fromOutcomes, mostQuotes, quotesBody, quotesResponse } from './quotes.ts'

const s = suite('routing/wire/quotes')
const serviceName = 'test'
const hashes = ['ab', 'cd', 'ef', '12'].map((byte) => `0x${byte.repeat(32)}` as const)

s('answers each in its place: a quote, or why there is none', () => {
  const found: QuoteOutcome = { status: 'ok', quote: plainQuote }
  const better: QuoteOutcome = { status: 'ok', quote: { ...plainQuote, amountOut: 95n } }
  const away: QuoteOutcome = { status: 'unavailable', reason: 'it is crowded' }
  const asked: unknown[] = []
  const answer = fromOutcomes([found, { status: 'no_route' }, away, better], (quote, index) => {
    asked.push([quote.amountOut, index])
    return { serviceName, hash: hashes[index] }
  })
  assert.is(checkShape(quotesResponse, answer), undefined)
  assert.equal(answer.quotes, [
    { quote: fromQuote(plainQuote, { serviceName, hash: hashes[0] }) },
    { error: 'no executable route found', code: 'no_route' },
    { error: 'no quote right now: it is crowded', code: 'unavailable' },
    { quote: fromQuote(better.quote, { serviceName, hash: hashes[3] }) },
  ])
  assert.equal(asked, [
    [90n, 0],
    [95n, 3],
  ])
})
s('takes one to fifty questions at once', () => {
  const validate = createValidate(quotesBody([8453]), 'body')
  const one = { chain_id: 8453, token_in: tokenIn, token_out: tokenOut, amount_in: '5' }
  const isTaken = (count: number) =>
    validate({ quotes: Array.from({ length: count }, () => ({ ...one })) }) === undefined
  assert.is(mostQuotes, 50)
  assert.equal([0, 1, 50, 51].map(isTaken), [false, true, true, false])
})
s.run()
