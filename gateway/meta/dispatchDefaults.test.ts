import { mock } from 'node:test'
import { answerQuote, makeRequest, scriptSource } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { defaultLimits, dispatchSource } from './dispatch.ts'
import { fail, type Source, type SourceOutcome } from './provider/source.ts'

/** What holds of a source where nothing else is said, by a clock that is set here. */
const s = suite('meta/dispatch by default')
let nowMs = 0
s.before.each(() => {
  nowMs = 1_000
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(performance, 'now', () => nowMs)
})
s.after.each(() => {
  mock.timers.reset()
  mock.restoreAll()
})
const put = (source: Source) =>
  dispatchSource({ now: () => nowMs }, { source, limits: defaultLimits })
const never = new AbortController().signal
let amountIn = 0n
/** Another question each time, of nobody in particular or of a caller. */
function ask(
  source: Source,
  { caller, signal = never }: { caller?: string; signal?: AbortSignal } = {},
) {
  amountIn += 1n
  const request = makeRequest({ trade: { type: 'exactInput', amountIn } })
  return source.quote(request, { signal, onRetry: () => undefined, caller })
}
const reasonOf = (outcome: SourceOutcome) =>
  outcome.status === 'failure' ? outcome.reason : outcome.status
/** Promises and immediates, but no timer. */
async function settle() {
  for (let left = 20; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve))
}

s('is left alone after five faults in a row, for ten seconds', async () => {
  const source = scriptSource({ name: 'a', answer: fail('upstream_error') })
  const dispatched = put(source)
  for (let fault = 0; fault < 5; fault += 1) {
    assert.is(reasonOf(await ask(dispatched)), 'upstream_error')
    await settle()
  }
  assert.is(reasonOf(await ask(dispatched)), 'circuit_open')
  nowMs += 9_999
  assert.is(reasonOf(await ask(dispatched)), 'circuit_open')
  assert.is(source.requests.length, 5)
  nowMs += 1
  assert.is(reasonOf(await ask(dispatched)), 'upstream_error')
})
s('is asked 32 things at once, while as many wait, and no more', async () => {
  const source = scriptSource({ name: 'a', delayMs: 60_000, answer: answerQuote() })
  const dispatched = put(source)
  const leaving = new AbortController()
  const asked = Array.from({ length: 65 }, (_, n) =>
    ask(dispatched, { caller: `${n}`, signal: leaving.signal }).then(reasonOf, () => 'left'),
  )
  await settle()
  assert.is(source.requests.length, 32)
  leaving.abort()
  await settle()
  mock.timers.tick(1_000)
  const ends = await Promise.all(asked)
  assert.is(ends.filter((end) => end === 'rate_limited').length, 1)
  assert.is(ends.filter((end) => end === 'left').length, 64)
})
s('has five seconds for an answer', async () => {
  const source = scriptSource({ name: 'a', delayMs: 60_000, answer: answerQuote() })
  let ended = ''
  const asked = ask(put(source)).then((outcome) => {
    ended = outcome.status === 'failure' ? `${outcome.reason}: ${outcome.detail}` : outcome.status
  })
  await settle()
  mock.timers.tick(4_999)
  await settle()
  assert.is(ended, '')
  mock.timers.tick(1)
  await asked
  assert.is(ended, 'timeout: no answer within 5000 ms')
})
s('is asked again a moment after a fault that passes', async () => {
  const answers = [{ ...fail('upstream_error'), transient: true }, answerQuote()]
  const source = scriptSource({
    name: 'a',
    answer: async () => answers.shift() ?? fail('no_route'),
  })
  const asked = ask(put(source))
  await settle()
  mock.timers.tick(49)
  await settle()
  assert.is(source.requests.length, 1)
  mock.timers.tick(1)
  assert.is(reasonOf(await asked), 'quote')
  assert.is(source.requests.length, 2)
})
s.run()
