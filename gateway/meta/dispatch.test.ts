import { mock } from 'node:test'
import { answerQuote, makeRequest, scriptSource } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { type DispatchLimits, defaultLimits, dispatchSource, type SourceEvent } from './dispatch.ts'
import { usualPauseMs } from './provider/callLimit.ts'
import { fail, type Source, type SourceOutcome } from './provider/source.ts'

const s = suite('meta/dispatch')
let nowMs = 1_000_000
const events: SourceEvent[] = []
const never = new AbortController().signal
const request = makeRequest()
const put = (source: Source, limits: Partial<DispatchLimits> = {}) =>
  dispatchSource(
    { now: () => nowMs, observe: (event) => void events.push(event) },
    { source, limits: { ...defaultLimits, ...limits } },
  )
const ask = (source: Source, signal = never, amountIn = 1_000_000n) =>
  source.quote(
    { ...request, trade: { type: 'exactInput', amountIn } },
    { signal, onRetry: () => void retries++ },
  )
const askAs = (source: Source, caller: string, amountIn: bigint, signal = never) =>
  source.quote(
    { ...request, trade: { type: 'exactInput', amountIn } },
    { signal, onRetry: () => undefined, caller },
  )
const reasonOf = (outcome: SourceOutcome) =>
  outcome.status === 'failure' ? outcome.reason : outcome.status
let retries = 0
s.before.each(() => {
  retries = 0
})

/** Answers one after the other, the last one for ever. */
function inTurn(...answers: SourceOutcome[]) {
  let at = 0
  return scriptSource({
    name: 'a',
    answer: async () => answers[Math.min(at++, answers.length - 1)] ?? fail('no_route'),
  })
}
const down: SourceOutcome = { status: 'failure', reason: 'upstream_error' }

s(
  'bounds an answer by the timeout of the source and aborts it [meta/provider-timeout]',
  async () => {
    const hung = scriptSource({ name: 'a', delayMs: 60_000, answer: answerQuote() })
    const outcome = await ask(put(hung, { timeoutMs: 15 }))
    assert.equal(outcome, {
      status: 'failure',
      reason: 'timeout',
      detail: 'no answer within 15 ms',
    })
    assert.ok(hung.signals[0]?.aborted)
  },
)

s('tries a transient fault once more, and nothing else [meta/one-retry]', async () => {
  const shaky = inTurn({ ...down, transient: true }, answerQuote())
  assert.is(reasonOf(await ask(put(shaky))), 'quote')
  assert.is(retries, 1)
  const broken = inTurn({ ...down, transient: true })
  assert.is(reasonOf(await ask(put(broken))), 'upstream_error')
  assert.is(broken.requests.length, 2)
  for (const reason of ['no_route', 'rate_limited', 'upstream_error'] as const) {
    const source = inTurn(fail(reason))
    await ask(put(source))
    assert.is(source.requests.length, 1, reason)
  }
})

s('makes no call while the source asked for a pause [meta/pause]', async () => {
  const source = inTurn(
    { status: 'failure', reason: 'rate_limited', retryAfterMs: 3_000 },
    answerQuote(),
  )
  const dispatched = put(source)
  await ask(dispatched)
  for (let i = 0; i < 5; i++) assert.is(reasonOf(await ask(dispatched)), 'rate_limited')
  assert.is(source.requests.length, 1)
  assert.is(dispatched.state().retryAfterMs, 3_000)
  nowMs += 3_000
  assert.is(reasonOf(await ask(dispatched)), 'quote')
})

s(
  'keeps a pause that is asked for while others stand in the queue, and tries nothing inside [meta/pause-queue]',
  async () => {
    const answers = [
      { ...down, transient: true, retryAfterMs: 3_000 },
      { ...fail('rate_limited'), retryAfterMs: 3_000 },
    ]
    for (const first of answers) {
      const source = inTurn(first, answerQuote())
      const crowd = put(source, { concurrency: 1 })
      const outcomes = await Promise.all([1n, 2n].map((amount) => ask(crowd, never, amount)))
      assert.equal(outcomes.map(reasonOf), [first.reason, 'rate_limited'])
      assert.is(source.requests.length, 1)
      assert.is(retries, 0)
    }
  },
)

s('calls nobody for a caller that left the queue', async () => {
  const slow = scriptSource({ name: 'a', delayMs: 20, answer: answerQuote() })
  const crowd = put(slow, { concurrency: 1 })
  const leaving = new AbortController()
  const first = ask(crowd, never, 1n)
  const second = ask(crowd, leaving.signal, 2n).catch(() => undefined)
  leaving.abort(new Error('left'))
  assert.is(reasonOf(await first), 'quote')
  await second
  assert.is(reasonOf(await ask(crowd, never, 3n)), 'quote')
  assert.is(slow.requests.length, 2)
})

s('calls nobody from the queue while those that are being called leave', async () => {
  const hung = scriptSource({ name: 'a', delayMs: 60_000, answer: answerQuote() })
  const crowd = put(hung, { concurrency: 1 })
  const [first, second] = [new AbortController(), new AbortController()]
  const asked = [first, second].map(({ signal }, at) =>
    ask(crowd, signal, BigInt(at + 1)).catch(() => 'left'),
  )
  first.abort(new Error('left'))
  // Promises only: no timer can fire meanwhile, however busy the machine is.
  for (let settled = 0; settled < 50; settled++) await undefined
  second.abort(new Error('left'))
  assert.equal(await Promise.all(asked), ['left', 'left'])
  assert.is(hung.requests.length, 1)
})

s('calls who stays in the queue after another left', async () => {
  let calls = 0
  const source: Source = {
    name: 'a',
    quote: (_, { signal }) =>
      calls++ > 0
        ? Promise.resolve(answerQuote())
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }
  const crowd = put(source, { concurrency: 1 })
  const leaving = new AbortController()
  const first = ask(crowd, leaving.signal, 1n).catch(() => 'left')
  const second = ask(crowd, never, 2n)
  leaving.abort(new Error('left'))
  assert.is(await first, 'left')
  assert.is(reasonOf(await second), 'quote')
})

s(
  'opens the circuit after faults in a row, and lets one call try later [meta/circuit]',
  async () => {
    let passedMs = 0
    const clock = mock.method(performance, 'now', () => passedMs)
    const source = inTurn(down, down, answerQuote())
    const dispatched = put(source, { breakAfter: 2, halfOpenAfterMs: 20 })
    await ask(dispatched)
    await ask(dispatched)
    passedMs += 19
    assert.is(reasonOf(await ask(dispatched)), 'circuit_open')
    assert.is(dispatched.state().breaker, 'open')
    assert.is(source.requests.length, 2)
    passedMs += 1
    assert.is(reasonOf(await ask(dispatched)), 'quote')
    assert.is(dispatched.state().breaker, 'closed')
    clock.mock.restore()
  },
)

s("keeps one caller's poisoned questions from shutting a source for others", async () => {
  let calls = 0
  const source: Source = {
    name: 'a',
    quote: async ({ trade }) => {
      calls += 1
      return trade.type === 'exactInput' && trade.amountIn < 100n ? down : answerQuote()
    },
  }
  const dispatched = put(source)
  for (let n = 1n; n < 20n; n += 1n) await askAs(dispatched, 'ip 192.0.2.1', n)
  assert.is(reasonOf(await askAs(dispatched, 'ip 192.0.2.1', 1_000n)), 'circuit_open')
  assert.is(reasonOf(await askAs(dispatched, 'ip 198.51.100.1', 1_001n)), 'quote')
  assert.is(calls, defaultLimits.breakAfter + 1)
})

s('does not count a healthy refusal as a fault', async () => {
  const dispatched = put(inTurn(fail('no_route')), { breakAfter: 1 })
  await ask(dispatched)
  assert.is(reasonOf(await ask(dispatched)), 'no_route')
})

for (const reason of ['rate_limited', 'not_configured', 'unsupported_exact_output'] as const)
  s(`hears nothing of a source's health in ${reason} [attack/circuit-unasked]`, async () => {
    let answer: SourceOutcome = down
    const source = put(scriptSource({ name: 'a', answer: async () => answer }), {
      breakAfter: 2,
      halfOpenAfterMs: 60_000,
    })
    for (const outcome of [down, fail(reason), down]) {
      answer = outcome
      await ask(source)
      nowMs += usualPauseMs
    }
    assert.is(source.state().breaker, 'open')
    answer = fail('no_route')
    assert.is(reasonOf(await ask(source)), 'circuit_open')
  })

s(
  'shares one call between equal requests, and aborts it when the last caller left [meta/single-flight]',
  async () => {
    const source = scriptSource({ name: 'a', delayMs: 60_000, answer: answerQuote() })
    const dispatched = put(source)
    const first = new AbortController()
    const second = new AbortController()
    const asked = [ask(dispatched, first.signal), ask(dispatched, second.signal)]
    const other = ask(dispatched, second.signal, 5n)
    assert.is(source.requests.length, 2)
    first.abort(new Error('left'))
    assert.is(source.signals[0]?.aborted, false)
    second.abort(new Error('left'))
    assert.ok(source.signals.every((signal) => signal.aborted))
    for (const settled of await Promise.allSettled([...asked, other]))
      assert.is(settled.status, 'rejected')
  },
)

s('limits calls at once [meta/call-limits]', async () => {
  const slow = scriptSource({ name: 'a', delayMs: 20, answer: answerQuote() })
  const crowd = put(slow, { concurrency: 1 })
  const outcomes = await Promise.all([1n, 2n, 3n].map((amount) => ask(crowd, never, amount)))
  assert.equal(outcomes.map(reasonOf), ['quote', 'quote', 'rate_limited'])
})

s(
  'answers an honest caller while 500 requests flood from 4 addresses [strangers/places]',
  async () => {
    // Hangs for whoever floods, answers the others at once.
    const source = scriptSource({ name: 'a', answer: answerQuote() })
    const hung = scriptSource({ name: 'a', delayMs: 60_000, answer: answerQuote() })
    const either: Source = {
      name: 'a',
      quote: (p, context) => (context.caller === 'honest' ? source : hung).quote(p, context),
    }
    const shared = put(either, { concurrency: 32, timeoutMs: 60_000 })
    const leaving = new AbortController()
    const flood = Array.from({ length: 500 }, (_, at) =>
      askAs(shared, `flood ${at % 4}`, BigInt(at + 1), leaving.signal).then(reasonOf, () => 'left'),
    )
    for (let at = 0; at < 20; at++)
      assert.is(reasonOf(await askAs(shared, 'honest', BigInt(1_000 + at))), 'quote')
    leaving.abort(new Error('left'))
    const ends = await Promise.all(flood)
    // Places and room to wait were used, and what did not fit was told so.
    assert.ok(ends.filter((end) => end === 'left').length >= 32)
    assert.ok(ends.filter((end) => end === 'rate_limited').length >= 400)
  },
)

/** One place, and the amounts in the order in which they were asked for. */
function makeCrowd() {
  const slow = scriptSource({ name: 'a', delayMs: 1, answer: answerQuote() })
  const crowd = put(slow, { concurrency: 1, waiting: 20 })
  const amounts = () =>
    slow.requests.map(({ trade }) => (trade.type === 'exactInput' ? trade.amountIn : 0n))
  const flood = (count: number) =>
    Array.from({ length: count }, (_, at) => askAs(crowd, 'flood', BigInt(at + 1)))
  return { crowd, amounts, flood }
}

s(
  'has whoever joins a call wait no longer than for one of his own [strangers/joined-turn]',
  async () => {
    const { crowd, amounts, flood } = makeCrowd()
    const asked = flood(9)
    assert.is(reasonOf(await askAs(crowd, 'honest', 9n)), 'quote')
    assert.equal(amounts().slice(0, 3), [1n, 2n, 9n])
    assert.ok((await Promise.all(asked)).every((outcome) => reasonOf(outcome) === 'quote'))
    // One call for both.
    assert.is(amounts().length, 9)
  },
)

s('spends no turn of who left a call that others wait for', async () => {
  const { crowd, amounts, flood } = makeCrowd()
  const leaving = new AbortController()
  const asked = flood(3)
  const left = askAs(crowd, 'honest', 3n, leaving.signal).catch(() => 'left')
  const other = askAs(crowd, 'honest', 4n)
  leaving.abort(new Error('left'))
  await Promise.all([...asked, other])
  assert.equal([await left, amounts()], ['left', [1n, 2n, 4n, 3n]])
})

s('reports its figures', async () => {
  const dispatched = put(inTurn(answerQuote(), fail('no_route')))
  const started = performance.now()
  await ask(dispatched)
  await ask(dispatched)
  const tookMs = performance.now() - started
  const { calls, successRate, failures, p50Ms } = dispatched.state()
  assert.equal([calls, successRate, failures], [2, 0.5, { no_route: 1 }])
  assert.ok(p50Ms !== undefined && p50Ms >= 0 && p50Ms <= tookMs)
  assert.equal(
    events.slice(-2).map(({ source, outcome }) => [source, outcome]),
    [
      ['a', 'quote'],
      ['a', 'no_route'],
    ],
  )
})

s.run()
