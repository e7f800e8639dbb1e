import { answerQuote } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { fail } from './provider/source.ts'
import { createSourceStats } from './sourceStats.ts'

const s = suite('meta/sourceStats')

s('are none before the first call, and its own after it [teeth/source-figures]', () => {
  const { record, read } = createSourceStats()
  const nothing = { successRate: undefined, p50Ms: undefined, p95Ms: undefined }
  assert.equal(read(), { calls: 0, ...nothing, failures: {}, lastFailure: undefined })
  record(answerQuote(), 7)
  const one = { successRate: 1, p50Ms: 7, p95Ms: 7, failures: {}, lastFailure: undefined }
  assert.equal(read(), { calls: 1, ...one })
})

s('are of the last 256 calls, the failure of the last that failed [teeth/source-figures]', () => {
  const { record, read } = createSourceStats()
  record(fail('rate_limited'), 5_000)
  for (let n = 0; n < 299; n += 1) {
    const failure = n % 8 === 0 ? fail('timeout') : fail('no_route')
    // The slow ones first.
    record(n % 4 === 0 ? failure : answerQuote(), 298 - n)
  }
  assert.equal(read(), {
    calls: 300,
    successRate: 0.75,
    p50Ms: 128,
    p95Ms: 243,
    failures: { timeout: 32, no_route: 32 },
    lastFailure: 'timeout',
  })
})
s.run()
