import { readEvents, type StreamEvent } from '../../fixtures/meta/events.ts'
import { answerQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { checkShape } from '../http/validate.ts'
import { streamEvents } from './wire/streamEvents.ts'

/** What a caller sees of a meta-aggregator that is told to stop. */
const s = suite('meta/shutdown')

const post = (url: string, path: string, change: object = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'r1' },
    body: JSON.stringify({ ...quoteRequest, ...change }),
  })

s(
  'ends streams at once, with an event, and answers quotes within their grace [24/shutdown]',
  async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<ReturnType<typeof answerQuote>>()
    const source = scriptSource({
      name: 'slow',
      answer: () => {
        asked.resolve()
        return answer.promise
      },
    })
    const meta = await startScriptedMeta({ sources: [source], deadlineMs: 60_000 })
    const streaming = await post(meta.url, '/quote/stream', { refreshIntervalMs: 60_000 })
    await asked.promise
    const quoting = post(meta.url, '/quote')
    while (source.signals.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const closed = meta.close({ graceMs: 60_000 })
    const events: StreamEvent[] = []
    for await (const event of readEvents(streaming.body)) events.push(event)
    const done = events.at(-1)?.data as { reason?: string } | undefined
    assert.equal(
      events.map(({ event, id }) => [event, id]),
      [['done', 'r1:1']],
    )
    assert.is(checkShape(streamEvents.done, done), undefined)
    assert.is(done?.reason, 'stopping')
    assert.equal(
      source.signals.map(({ aborted }) => aborted),
      [true, false],
    )
    answer.resolve(answerQuote({ provider: 'slow' }))
    const quoted = await quoting
    assert.is(quoted.status, 200)
    assert.is(((await quoted.json()) as { best: { provider: string } }).best.provider, 'slow')
    await closed
  },
)

s.run()
