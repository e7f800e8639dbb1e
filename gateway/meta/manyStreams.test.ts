import { type ClientRequest, request } from 'node:http'
import { answerQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { defaultLimits, dispatchSource } from './dispatch.ts'

/** Five hundred streams at once: each is served, and nothing of them is left when they leave. */
const s = suite('meta/manyStreams')
const patient = { deadlineMs: 120_000 }
const streams = 500
const hung = scriptSource({ name: 'b', delayMs: 600_000, answer: answerQuote({ provider: 'b' }) })
const limits = { ...defaultLimits, timeoutMs: 600_000, concurrency: 32 }
const meta = await startScriptedMeta({
  sources: [
    scriptSource({ name: 'a', answer: answerQuote({ provider: 'a' }) }),
    dispatchSource({ now: Date.now }, { source: hung, limits }),
  ],
  deadlineMs: 600_000,
})
s.after(() => meta.close({ graceMs: 0 }))

/** Reads until the stream's `initial`, and then whatever comes. */
function open(slippageBps: number, onInitial: () => void): ClientRequest {
  const headers = { 'content-type': 'application/json' }
  const client = request(`${meta.url}/quote/stream`, { method: 'POST', headers, agent: false })
  client.on('error', () => undefined)
  client.on('response', (res) => {
    let text = ''
    res.on('data', (chunk: Buffer) => {
      if (text.includes('event: initial')) return
      text += chunk.toString()
      if (text.includes('event: initial')) onInitial()
    })
  })
  // Another slippage each, so that no two share a call; between two cycles a stream stays open.
  client.end(JSON.stringify({ ...quoteRequest, slippageBps, refreshIntervalMs: 60_000 }))
  return client
}

s(
  'serves 500 open streams at once, and aborts all upstream work when they leave [meta/many-streams]',
  async () => {
    let initials = 0
    const clients = Array.from({ length: streams }, (_, index) => open(index, () => initials++))
    await waitFor('each has begun', () => initials === streams, patient)
    assert.is(meta.requests(), 0)
    // Of 32 places one caller gets 22, however many it asks for: there is always one for another.
    assert.is(hung.signals.length, 22)
    assert.ok(hung.signals.every(({ aborted }) => !aborted))
    for (const client of clients) client.destroy()
    await waitFor('each is known', () => meta.requests() === streams, patient)
    assert.ok(hung.signals.every(({ aborted }) => aborted))
  },
)
s.run()
