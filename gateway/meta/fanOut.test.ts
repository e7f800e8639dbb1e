import { mock } from 'node:test'
import { answerQuote, makeRequest, scriptSource } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { defaultLimits, dispatchSource } from './dispatch.ts'
import { type Entry, failuresOf, fanOut, type Hasty, isOfQuestion } from './fanOut.ts'
import { type FailureReason, fail, type Source } from './provider/source.ts'

const s = suite('meta/fanOut')
const faults: string[] = []
const deps = {
  now: () => 1_000,
  onFault: ({ provider }: { provider: string }) => void faults.push(provider),
}
const request = makeRequest()
const never = new AbortController().signal
/** Nobody is left behind. */
const patient: Hasty = {
  has: () => false,
  usualMs: () => undefined,
  isSilent: () => false,
  leave: () => undefined,
}
const quotedBy = (entries: readonly Entry[]) =>
  entries.flatMap(({ provider, outcome }) => (outcome.status === 'quote' ? [provider] : []))
const run = (
  sources: readonly Source[],
  more: {
    deadlineMs?: number
    patienceMs?: number
    signal?: AbortSignal
    hasty?: Hasty
    isSimulated?: boolean
  } = {},
) =>
  fanOut(deps, { sources, request, deadlineMs: 2_000, patienceMs: 1_000, signal: never, ...more })

s('asks all at once and answers in the order of arrival [meta/fan-out]', async () => {
  // Neither answers unless both are asked: each waits for the other.
  const slowIsAsked = Promise.withResolvers<void>()
  const fastHasAnswered = Promise.withResolvers<void>()
  const slow = scriptSource({
    name: 'slow',
    answer: async () => {
      slowIsAsked.resolve()
      await fastHasAnswered.promise
      return answerQuote({ provider: 'slow' })
    },
  })
  const fast = scriptSource({
    name: 'fast',
    answer: async () => {
      await slowIsAsked.promise
      setImmediate(() => fastHasAnswered.resolve())
      return fail('no_route')
    },
  })
  const entries = await run([slow, fast], { deadlineMs: 20_000, patienceMs: 20_000 })
  assert.equal(
    entries.map(({ provider, outcome }) => [provider, outcome.status]),
    [
      ['fast', 'failure'],
      ['slow', 'quote'],
    ],
  )
  assert.equal(failuresOf(entries), [{ provider: 'fast', reason: 'no_route' }])
})

s(
  'stops waiting for slow sources once patience ends with a quote in hand [meta/patience]',
  async () => {
    const fast = scriptSource({ name: 'fast', answer: answerQuote() })
    const slow = scriptSource({ name: 'slow', delayMs: 60_000, answer: answerQuote() })
    const entries = await run([fast, slow], { patienceMs: 30 })
    assert.match(failuresOf(entries)[0]?.reason ?? '', /^timeout: slower than the 30 ms/)
    assert.ok(slow.signals[0]?.aborted)
  },
)

s('waits beyond patience when only slow sources can answer [meta/slow-only]', async () => {
  const bad = scriptSource({ name: 'bad', answer: fail('no_route') })
  const slow = scriptSource({ name: 'slow', delayMs: 60, answer: answerQuote() })
  const slower = scriptSource({ name: 'slower', delayMs: 60_000, answer: answerQuote() })
  const entries = await run([bad, slow, slower], { patienceMs: 10 })
  assert.equal(
    entries.map(({ outcome }) => outcome.status),
    ['failure', 'quote', 'failure'],
  )
  // With the first quote after that the wait ends at once.
  assert.match(failuresOf(entries)[1]?.reason ?? '', /^timeout: slower than the 10 ms that other/)
})

s(
  'waits beyond patience where what is in hand cannot win unproved [meta/unproved-in-hand]',
  async () => {
    const unproved = scriptSource({ name: 'unproved', answer: answerQuote({ mustBeProved: true }) })
    const slow = scriptSource({ name: 'slow', delayMs: 60, answer: answerQuote() })
    for (const isSimulated of [false, true]) {
      const entries = await run([unproved, slow], { patienceMs: 10, isSimulated })
      assert.equal(quotedBy(entries), ['unproved', 'slow'])
    }
  },
)

s(
  'with dry runs patience ends with enough quotes alone, as any may fall [17/enough-to-dry-run]',
  async () => {
    const [one, other] = ['one', 'other'].map((name) =>
      scriptSource({ name, answer: answerQuote({ provider: name }) }),
    )
    const own = scriptSource({ name: 'own', answer: answerQuote({ isReference: true }) })
    assert.ok(one && other)
    const ask = async (
      sources: readonly Source[],
      { isSimulated = true, delayMs = 60_000 } = {},
    ) => {
      const slow = scriptSource({ name: 'slow', delayMs, answer: answerQuote() })
      return quotedBy(await run([...sources, slow], { patienceMs: 10, isSimulated }))
    }
    assert.equal(await ask([one], { delayMs: 60 }), ['one', 'slow'])
    assert.equal(await ask([one], { isSimulated: false }), ['one'])
    assert.equal(await ask([one, other]), ['one', 'other'])
    assert.equal(await ask([own]), ['own'])
  },
)

const [vouched, ...toBeProved] = ['vouched', 'first', 'second', 'third'].map((name) =>
  scriptSource({
    name,
    answer: answerQuote({ provider: name, mustBeProved: name !== 'vouched' }),
  }),
)
s(
  'with dry runs three quotes are enough as well, one of which may win unproved [17/enough-of-any]',
  async () => {
    assert.ok(vouched)
    const quotes = async (sources: readonly Source[], isSimulated: boolean, delayMs = 60) => {
      const slow = scriptSource({ name: 'slow', delayMs, answer: answerQuote() })
      const entries = await run([...sources, slow], { patienceMs: 10, isSimulated })
      return quotedBy(entries).length
    }
    const two = toBeProved.slice(0, 2)
    assert.is(await quotes([vouched, ...two], true, 60_000), 3)
    assert.is(await quotes(toBeProved, true), 4, 'dry runs may be had for none of them')
    assert.is(await quotes(two, true), 3, 'two wait for the slow one')
    assert.is(await quotes([vouched, ...two.slice(1)], true), 3, 'so do one of each')
    assert.is(await quotes(toBeProved, false), 4, 'none of them can win')
  },
)

s('and end the wait for who is not worth it [17/enough-of-any]', async () => {
  const hung = scriptSource({ name: 'hung', delayMs: 60_000, answer: answerQuote() })
  const hasty = { ...patient, has: (name: string) => name === 'hung' }
  assert.ok(vouched)
  const two = toBeProved.slice(0, 2)
  const entries = await run([vouched, ...two, hung], { hasty, isSimulated: true })
  assert.match(failuresOf(entries)[0]?.reason ?? '', /slower than the \d+ ms that it is/)
})

s('ends at the deadline with nothing in hand [meta/deadline]', async () => {
  const slow = scriptSource({ name: 'slow', delayMs: 60_000, answer: answerQuote() })
  const entries = await run([slow], { deadlineMs: 25, patienceMs: 10 })
  assert.is(failuresOf(entries)[0]?.reason, 'timeout: no answer within 25 ms')
})

s('turns a throw into a failure without its text', async () => {
  const broken = scriptSource({
    name: 'broken',
    answer: () => Promise.reject(new Error('secret https://key@host')),
  })
  const entries = await run([broken])
  assert.is(failuresOf(entries)[0]?.reason, 'upstream_error: the source failed unexpectedly')
  assert.equal(faults, ['broken'])
})

s('asks nobody for a caller who has left already', async () => {
  const source = scriptSource({ name: 'a', answer: answerQuote() })
  const entries = await run([source], { signal: AbortSignal.abort() })
  assert.is(failuresOf(entries)[0]?.reason, 'timeout: the request was given up')
  assert.equal(source.requests, [])
})

s('counts how often a source was asked', async () => {
  const quote: Source['quote'] = async (_, { onRetry }) => {
    onRetry()
    onRetry()
    return fail('no_route')
  }
  const once = scriptSource({ name: 'once', answer: fail('no_route') })
  const entries = await run([{ name: 'thrice', quote }, once])
  assert.equal(
    entries.map(({ attempts }) => attempts),
    [3, 1],
  )
})

s('leaves no timer and no listener behind [meta/fan-out-left]', async () => {
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const listening = new Set<unknown>()
  const { addEventListener, removeEventListener } = EventTarget.prototype
  type Given = Parameters<EventTarget['addEventListener']>
  function add(this: EventTarget, ...given: Given) {
    listening.add(given[1])
    addEventListener.apply(this, given)
  }
  function remove(this: EventTarget, ...given: Given) {
    listening.delete(given[1])
    removeEventListener.apply(this, given)
  }
  const adding = mock.method(EventTarget.prototype, 'addEventListener', add)
  const removing = mock.method(EventTarget.prototype, 'removeEventListener', remove)
  const before = countTimers()
  const hasty = {
    ...patient,
    has: (name: string) => name !== 'fast',
    usualMs: (name: string) => (name === 'fast' ? 500_000 : undefined),
  }
  const sources = ['fast', 'slow', 'slower'].map((name) =>
    scriptSource({ name, answer: answerQuote() }),
  )
  await run(sources, { deadlineMs: 400_000, patienceMs: 300_000, hasty })
  adding.mock.restore()
  removing.mock.restore()
  assert.equal([adding.mock.callCount(), listening.size, countTimers() - before], [1, 0, 0])
})

s('aborts everything when the caller leaves', async () => {
  const caller = new AbortController()
  const slow = scriptSource({ name: 'slow', delayMs: 60_000, answer: answerQuote() })
  const asked = run([slow], { signal: caller.signal })
  // Who leaves before that has nobody asked.
  await new Promise(setImmediate)
  caller.abort()
  await asked
  assert.ok(slow.signals[0]?.aborted)
})

s(
  'waits no longer than for the others for who is not worth it, and hears of it later [strangers/meta-left]',
  async () => {
    const fast = scriptSource({ name: 'fast', answer: answerQuote() })
    const answer = Promise.withResolvers<void>()
    const slow = scriptSource({
      name: 'slow',
      answer: async () => {
        await answer.promise
        return answerQuote({ provider: 'slow' })
      },
    })
    const gone = scriptSource({ name: 'gone', delayMs: 60_000, answer: answerQuote() })
    const heard = Promise.withResolvers<Entry>()
    const hasty: Hasty = {
      ...patient,
      has: (name) => name !== 'fast',
      leave: (name) => (name === 'slow' ? heard.resolve : undefined),
    }
    const entries = await run([slow, gone, fast], { patienceMs: 20_000, deadlineMs: 40_000, hasty })
    assert.equal(
      entries.map(({ provider, isLeftBehind }) => [provider, isLeftBehind]),
      [
        ['fast', undefined],
        ['slow', true],
        ['gone', true],
      ],
    )
    assert.match(
      failuresOf(entries)[0]?.reason ?? '',
      /^timeout: slower than the \d+ ms that it is/,
    )
    assert.not.ok(slow.signals[0]?.aborted, 'its call goes on')
    assert.ok(gone.signals[0]?.aborted, 'nobody is to be told of this one')
    answer.resolve()
    assert.is((await heard.promise).outcome.status, 'quote')
  },
)

s(
  'grants the least wait to whoever did not keep anybody waiting for nothing [strangers/meta-least-wait]',
  async () => {
    const [silent, slow] = ['silent', 'slow'].map((name) =>
      scriptSource({ name, delayMs: 60_000, answer: answerQuote() }),
    )
    const fast = scriptSource({ name: 'fast', answer: answerQuote({ provider: 'fast' }) })
    const hasty: Hasty = {
      ...patient,
      has: (name) => name !== 'fast',
      isSilent: (name) => name === 'silent',
    }
    assert.ok(silent && slow)
    const entries = await run([slow, silent, fast], {
      patienceMs: 6_000,
      deadlineMs: 40_000,
      hasty,
    })
    assert.equal(
      entries.map(({ provider }) => provider),
      ['fast', 'silent', 'slow'],
    )
    assert.match(failuresOf(entries)[1]?.reason ?? '', /slower than the 200 ms/)
  },
)

s("does not call a turn that never came the source's time limit [meta/no-turn]", async () => {
  const hung = scriptSource({ name: 'busy', delayMs: 60_000, answer: answerQuote() })
  const limits = { ...defaultLimits, concurrency: 1 }
  const busy = dispatchSource({ now: Date.now }, { source: hung, limits })
  const leaving = new AbortController()
  const context = { signal: leaving.signal, onRetry: () => undefined, caller: 'other' }
  const other = busy.quote(makeRequest({ slippageBps: 1 }), context).catch(() => 'left')
  const fast = scriptSource({ name: 'fast', answer: answerQuote() })
  const hurry = { ...patient, has: (name: string) => name === 'busy' }
  for (const more of [{}, { hasty: hurry }]) {
    const entries = await run([busy, fast], { patienceMs: 20, ...more })
    assert.equal(failuresOf(entries), [
      { provider: 'busy', reason: 'rate_limited: its turn did not come in time' },
    ])
  }
  leaving.abort(new Error('left'))
  assert.is(await other, 'left')
  assert.is(hung.requests.length, 1)
})

s('waits for whoever there is while nobody has a quote [strangers/meta-only-slow]', async () => {
  const bad = scriptSource({ name: 'bad', answer: fail('no_route') })
  const slow = scriptSource({ name: 'slow', delayMs: 60, answer: answerQuote() })
  const hasty: Hasty = { ...patient, has: (name) => name === 'slow' }
  const entries = await run([bad, slow], { patienceMs: 20, hasty })
  assert.is(entries.at(-1)?.outcome.status, 'quote')
})

s(
  'is of the question where who looked found nothing, and nobody who had quotes is away [teeth/meta-question]',
  () => {
    const judge = (reasons: readonly FailureReason[], hadQuotes: boolean) =>
      isOfQuestion(
        reasons.map((reason) => ({
          provider: reason,
          outcome: fail(reason),
          attempts: 1,
          elapsedMs: 1,
          receivedAtMs: 1,
        })),
        () => hadQuotes,
      )
    for (const [reasons, without, having] of [
      [['no_route'], true, true],
      [['target_not_allowed', 'calldata_mismatch'], true, true],
      [['no_route', 'timeout'], true, false],
      [['timeout'], false, false],
      [['unsupported_chain', 'unsupported_token', 'unsupported_exact_output'], true, true],
      [['unsupported_chain', 'not_configured'], true, false],
      [['unsupported_chain', 'rate_limited'], false, false],
    ] as const)
      assert.equal([judge(reasons, false), judge(reasons, true)], [without, having], `${reasons}`)
  },
)
s.run()
