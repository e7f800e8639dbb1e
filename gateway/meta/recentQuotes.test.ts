import { answerQuote } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { fail, type SourceOutcome } from './provider/source.ts'
import { createRecentQuotes } from './recentQuotes.ts'

const s = suite('meta/recentQuotes')

s('remembers for an hour, by chain, who had a quote [teeth/recent-quotes]', () => {
  let nowMs = 1_000
  const recent = createRecentQuotes({ now: () => nowMs })
  const entryOf = (provider: string, outcome: SourceOutcome) => ({
    provider,
    outcome,
    attempts: 1,
    elapsedMs: 1,
    receivedAtMs: 1,
  })
  recent.note(1, [entryOf('quotes', answerQuote()), entryOf('fails', fail('timeout'))])
  const has = () => [recent.has(1, 'quotes'), recent.has(1, 'fails'), recent.has(2, 'quotes')]
  assert.equal(has(), [true, false, false])
  nowMs += 3_599_999
  assert.equal(has(), [true, false, false])
  nowMs += 1
  assert.equal(has(), [false, false, false])
})
s.run()
