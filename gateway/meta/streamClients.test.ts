import { fetchEventSource } from '@microsoft/fetch-event-source'
import { EventSource } from 'eventsource'
import { createEventSource } from 'eventsource-client'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { events as readFetchEvents } from 'fetch-event-stream'
import { startNginx } from '../../fixtures/meta/nginx.ts'
import { answerQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'

/**
 * The stream as the five clients in use read it, unchanged: order, timing, and that they stop. Once
 * directly, and once through a real nginx that buffers and packs with gzip.
 */
const s = suite('meta/streamClients')
const meta = await startScriptedMeta({
  sources: [
    scriptSource({ name: 'a', answer: answerQuote({ provider: 'a' }) }),
    scriptSource({ name: 'b', delayMs: 1_000, answer: answerQuote({ provider: 'b' }) }),
  ],
})
const nginx = await startNginx({ '/': meta.url })
s.after(async () => {
  await nginx?.close()
  await meta.close()
})

const body = JSON.stringify(quoteRequest)
const headers = { 'content-type': 'application/json' }
const post = { method: 'POST', headers, body }

type Seen = { readonly event: string; readonly provider: string | undefined; readonly atMs: number }
function recorder() {
  const started = performance.now()
  const seen: Seen[] = []
  return {
    seen,
    take(event: string | undefined, data: string) {
      const value = JSON.parse(data) as {
        best?: { provider: string }
        quote?: { provider: string }
      }
      const provider = value.best?.provider ?? value.quote?.provider
      seen.push({ event: event ?? '', provider, atMs: performance.now() - started })
    },
  }
}
function checkSeen(seen: readonly Seen[]): void {
  assert.equal(
    seen.map(({ event, provider }) => [event, provider]),
    [
      ['initial', 'a'],
      ['quote', 'b'],
      ['done', undefined],
    ],
  )
  // Not held back until the end of the stream.
  const lead = (seen[2]?.atMs ?? 0) - (seen[0]?.atMs ?? 0)
  assert.ok(lead > 300, `initial came only ${lead} ms before done`)
}
async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not come true')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const ways = [
  ['directly', meta.url],
  ...(nginx ? [['through nginx with gzip', nginx.url] as const] : []),
] as const
for (const [way, base] of ways) {
  const url = `${base}/quote/stream`

  s(`${way}: eventsource-parser over fetch`, async () => {
    const { seen, take } = recorder()
    const res = await fetch(url, post)
    const events = res.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { event, data } of events ?? []) take(event, data)
    checkSeen(seen)
  })

  s(`${way}: fetch-event-stream`, async () => {
    const { seen, take } = recorder()
    for await (const { event, data } of readFetchEvents(await fetch(url, post)))
      if (data !== undefined) take(event, data)
    checkSeen(seen)
  })

  s(`${way}: @microsoft/fetch-event-source, which asks once and ends`, async () => {
    const { seen, take } = recorder()
    const before = meta.requests()
    // Made for browsers: it reads timers and fetch off `window`, and listens to `document`.
    Object.assign(globalThis, { window: globalThis, document: new EventTarget() })
    await fetchEventSource(url, {
      ...post,
      openWhenHidden: true,
      onmessage: ({ event, data }) => {
        // Its parser also reports the block that carries only `retry`.
        if (data !== '') take(event, data)
      },
    })
    checkSeen(seen)
    assert.is(meta.requests() - before, 1)
  })

  s(`${way}: eventsource, which comes back once, hears 204 and stops`, async () => {
    const { seen, take } = recorder()
    const before = meta.requests()
    const source = new EventSource(url, {
      fetch: (input, init) =>
        fetch(input, { ...init, ...post, headers: { ...init.headers, ...headers } }),
    })
    for (const name of ['initial', 'quote', 'done'])
      source.addEventListener(name, ({ data }) => take(name, data))
    await until(() => source.readyState === source.CLOSED)
    checkSeen(seen)
    assert.is(meta.requests() - before, 2)
  })

  s(`${way}: eventsource-client, which comes back once, hears 204 and stops`, async () => {
    const { seen, take } = recorder()
    const before = meta.requests()
    const source = createEventSource({
      url,
      ...post,
      onMessage: ({ event, data }) => take(event, data),
    })
    await until(() => source.readyState === 'closed')
    checkSeen(seen)
    assert.is(meta.requests() - before, 2)
  })
}

if (nginx)
  s('nginx does pack the stream', async () => {
    const res = await fetch(`${nginx.url}/quote/stream`, post)
    assert.is(res.headers.get('content-encoding'), 'gzip')
    await res.text()
  })

s.run()
