import { connect } from 'node:net'
import { answerQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Pause } from './wire/stream.ts'

/** A client that stops reading: its stream waits for it instead of piling up quotes. */
const s = suite('meta/backPressure')
/** More than the kernel takes for a connection, in one event. */
const sources = Array.from({ length: 16 }, (_, index) => {
  const provider = `s${index}`
  const calldata = `0x12345678${'ab'.repeat(500_000)}` as const
  return scriptSource({ name: provider, answer: answerQuote({ provider, calldata }) })
})
/** The pauses of the stream: they end when an interval passes, or nobody is there any more. */
const pauses = new Set<() => void>()
const pause: Pause = (_, signal) =>
  new Promise((resolve) => {
    const end = () => {
      pauses.delete(end)
      resolve()
    }
    pauses.add(end)
    signal.addEventListener('abort', end, { once: true })
  })
const meta = await startScriptedMeta({ sources, pause })
s.after(() => meta.close({ graceMs: 0 }))

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not come true')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

s(
  'asks nobody anew for a client that does not read, and goes on once it reads [meta/back-pressure]',
  async () => {
    const { hostname, port } = new URL(meta.url)
    const body = JSON.stringify({
      ...quoteRequest,
      firstN: 16,
      refreshIntervalMs: 1_000,
      keepAliveMs: 1_000,
    })
    const socket = connect(Number(port), hostname)
    socket.pause()
    const head = `POST /quote/stream HTTP/1.1\r\nhost: x\r\ncontent-type: application/json`
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    const asked = () => sources.map(({ requests }) => requests.length)
    await until(() => asked().every((count) => count === 1))
    // The next cycle and the next keep_alive are due in an interval: all has been written by then.
    await until(() => pauses.size === 2)
    // Three of them pass; each would be another cycle of all sources, and a keep_alive.
    for (let interval = 0; interval < 3; interval += 1) {
      for (const end of [...pauses]) end()
      await until(() => pauses.size > 0)
    }
    assert.ok(asked().every((count) => count === 1))
    let text = ''
    socket.on('data', (chunk) => {
      // What is not event names is not worth keeping.
      text = `${text}${chunk}`.replaceAll(/[0-9a-f]{64,}/g, '')
    })
    socket.resume()
    await until(() => asked().every((count) => count >= 2))
    await until(() => text.includes('event: refresh'))
    socket.destroy()
    const events = [...text.matchAll(/^event: (?<name>\w+)$/gm)].map(
      ({ groups }) => groups?.['name'],
    )
    const waiting = events.slice(events.indexOf('initial'), events.indexOf('refresh'))
    // Beats of the time in which nobody read were dropped, not kept for later.
    assert.not.ok(waiting.includes('keep_alive'), events.join())
  },
)
s.run()
