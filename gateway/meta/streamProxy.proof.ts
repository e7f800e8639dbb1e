import { readEvents } from '../../fixtures/meta/events.ts'
import { startNginx } from '../../fixtures/meta/nginx.ts'
import { answerQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { reportFigures } from '../../fixtures/proof.ts'
import { startRecordingServer } from '../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { defaultLimits, dispatchSource } from './dispatch.ts'
import type { Source } from './provider/source.ts'
import { startProviders } from './sources/providers.ts'

/**
 * Streams behind a real nginx, with its buffering and gzip on, and many at
 * once. `node gateway/meta/streamProxy.proof.ts`.
 */
const s = suite('meta/streamProxy')
const slowMs = 600
const recorded = await startRecordingServer()
recorded.answerWith(() => ({ delayMs: 'never' }))
const running = startProviders(
  { now: Date.now, gasPriceWei: async () => 1n },
  {
    settings: ['velora', 'fabric', 'nordstern', 'sushi'].map((name) => ({
      name,
      baseUrl: `${recorded.url}/${name}`,
    })),
    allowPrivate: true,
  },
)
const fast: Source = scriptSource({ name: 'a', answer: answerQuote({ provider: 'a' }) })
const slow: Source = scriptSource({
  name: 'b',
  delayMs: slowMs,
  answer: answerQuote({ provider: 'b' }),
})
const hanging = running.map(({ source }) =>
  dispatchSource({ now: Date.now }, { source, limits: { ...defaultLimits, timeoutMs: 60_000 } }),
)
const meta = await startScriptedMeta({ sources: [fast, slow] })
const hungMeta = await startScriptedMeta({ sources: [fast, ...hanging], deadlineMs: 60_000 })

/** How long it takes, to the millisecond. */
const until = (what: string, isTrue: () => boolean, deadlineMs: number) =>
  waitFor(what, isTrue, { deadlineMs, everyMs: 1 })

const started = await startNginx({ '/hung/': `${hungMeta.url}/`, '/': meta.url })
if (!started) throw new Error('this proof needs nginx')
const nginx = started
s.after(async () => {
  await nginx.close()
  await Promise.all([meta.close({ graceMs: 0 }), hungMeta.close({ graceMs: 0 })])
  await Promise.all(running.map(({ http }) => http.close()))
  await recorded.close()
})

const open = (base: string, more: { body?: object; headers?: object; signal?: AbortSignal } = {}) =>
  fetch(`${base}/quote/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({ ...quoteRequest, ...more.body }),
    ...(more.signal && { signal: more.signal }),
  })

for (const encoding of ['identity', 'gzip'])
  s(`through nginx with ${encoding}, each event arrives when it is sent`, async () => {
    const res = await open(nginx.url, { headers: { 'accept-encoding': encoding } })
    const at = new Map<string, number>()
    for await (const { event } of readEvents(res.body)) at.set(event, performance.now())
    assert.equal([...at.keys()], ['initial', 'quote', 'done'])
    const lead = (at.get('quote') ?? 0) - (at.get('initial') ?? 0)
    reportFigures(`a stream through nginx, ${encoding}`, {
      'initial before the late quote, ms': Math.round(lead),
    })
    assert.ok(lead > slowMs / 2, `${lead}`)
  })

for (const [name, base] of [
  ['directly', hungMeta.url],
  ['through nginx', `${nginx.url}/hung`],
] as const)
  s(`a client that leaves ${name} closes every socket upstream within 50 ms`, async () => {
    const leaving = new AbortController()
    const res = await open(base, { signal: leaving.signal })
    const reader = res.body?.getReader()
    await reader?.read()
    await until('all are asked', () => recorded.open() === hanging.length, 5_000)
    leaving.abort()
    const tookMs = await until('all are closed', () => recorded.open() === 0, 1_000)
    reportFigures(`a client leaves ${name}`, {
      'all sockets upstream closed after, ms': tookMs.toFixed(1),
    })
    assert.ok(tookMs < 50, `${tookMs}`)
  })

s(
  '500 streams are open at once, each gets its events, and all end when their clients leave',
  async () => {
    const leaving = new AbortController()
    const before = process.memoryUsage().heapUsed
    const streams = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        // Another slippage each, so that no two share a call.
        open(hungMeta.url, {
          // Between two cycles a stream stays open, whatever its sources said.
          body: { slippageBps: index, keepAliveMs: 1_000, refreshIntervalMs: 60_000 },
          signal: leaving.signal,
        }),
      ),
    )
    let initials = 0
    let beats = 0
    const readers = streams.map(async ({ body }) => {
      for await (const { event } of readEvents(body)) {
        if (event === 'initial') initials++
        if (event === 'keep_alive') beats++
      }
    })
    await until('each stream lives', () => initials === 500 && beats >= 500, 30_000)
    const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20
    const asked = recorded.open()
    leaving.abort()
    await Promise.allSettled(readers)
    const tookMs = await until('all are closed', () => recorded.open() === 0, 2_000)
    reportFigures('500 open streams', {
      'requests upstream': asked,
      'heap grown by, MiB': Math.round(grown),
      'all sockets upstream closed after, ms': Math.round(tookMs),
    })
  },
)

s.run()
