import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { createClient, ForkyardError, type StreamEvent } from './index.ts'

const s = suite('the stream of forkyard/client')
type Answer = (response: ServerResponse, request: IncomingMessage) => void
const answers: Answer[] = []
const asked: IncomingMessage[] = []
const server = createServer((request, response) => {
  asked.push(request)
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  answers.shift()?.(response, request)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const { meta } = createClient({ services: { routing: url, meta: url, relay: url } })
s.before.each(() => {
  answers.length = 0
  asked.length = 0
})
s.after(() => {
  server.closeAllConnections()
  server.close()
})

const token = '0x4200000000000000000000000000000000000006'
const order = {
  chainId: 8453,
  tokenIn: token,
  tokenOut: token,
  taker: token,
  amountIn: '1',
} as const
const head = ': ok\nretry: 5\n'
const write = (name: string, id: string, data: object = { elapsedMs: 1 }) =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
const whole = `${head}${write('initial', 'r:1')}:\n${write('quote', 'r:2')}${write('done', 'r:done')}`

async function collect(stream: AsyncIterable<StreamEvent>) {
  const events: StreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events.map(({ event, id }) => `${event} ${id}`)
}
const all = ['initial r:1', 'quote r:2', 'done r:done']

s('gives each event by its name, and ends after done [client/stream]', async () => {
  answers.push((response) => response.end(whole))
  assert.equal(await collect(meta.stream(order)), all)
})
s('reads events however the bytes are cut [client/stream-bytes]', async () => {
  answers.push((response) => {
    const bytes = [...Buffer.from(whole)]
    const next = () => {
      const byte = bytes.shift()
      if (byte === undefined) response.end()
      else response.write(Buffer.from([byte]), next)
    }
    next()
  })
  assert.equal(await collect(meta.stream(order)), all)
})
s('asks anew by the last id where the stream breaks off [client/resume]', async () => {
  answers.push(
    (response) => void response.write(head + write('initial', 'r:1'), () => response.destroy()),
    (response) => response.end(head + write('quote', 'q:1')),
    (response) => response.end(whole),
  )
  assert.equal(await collect(meta.stream(order)), ['initial r:1', 'quote q:1', ...all])
  assert.equal(
    asked.map(({ headers }) => headers['last-event-id']),
    [undefined, 'r:1', 'q:1'],
  )
})
s('comes back no sooner where it is told to come back late [client/late-retry]', async () => {
  const leaving = new AbortController()
  answers.push((response) => {
    response.once('close', () => setTimeout(() => leaving.abort(), 100))
    response.end(`retry: 99999999999\n${write('initial', 'r:1')}`)
  })
  const { signal } = leaving
  const error = await collect(meta.stream(order, { signal })).catch((thrown) => thrown)
  assert.is(error.name, 'AbortError')
  assert.is(asked.length, 1)
})
s('throws where it breaks off too often [client/cut]', async () => {
  for (let index = 0; index < 2; index++)
    answers.push((response) => response.end(head + write('initial', 'r:1')))
  const error = await collect(meta.stream(order, { resumes: 1 })).catch((thrown) => thrown)
  assert.instance(error, ForkyardError)
  assert.is(error.code, 'stream_cut')
  assert.is(asked.length, 2)
})
s('takes a stream that says nothing for one that broke off [client/idle]', async () => {
  answers.push((response) => void response.write(head))
  const options = { resumes: 0, idleMs: 50 }
  const error = await collect(meta.stream(order, options)).catch((thrown) => thrown)
  assert.is(error.code, 'stream_cut')
})
s('ends at a 204: there is nothing to go on with', async () => {
  const empty: typeof fetch = async () => new Response(null, { status: 204 })
  const services = { routing: url, meta: url, relay: url }
  const client = createClient({ services, fetch: empty })
  assert.equal(await collect(client.meta.stream(order, { lastEventId: 'r:done' })), [])
})
s('throws what is refused before the stream, once [client/stream-refused]', async () => {
  let times = 0
  const refuse: typeof fetch = async () => {
    times++
    return new Response('{"error":"taker is required","code":"invalid_request"}', { status: 400 })
  }
  const services = { routing: url, meta: url, relay: url }
  const client = createClient({ services, fetch: refuse })
  const error = await collect(client.meta.stream(order)).catch((thrown) => thrown)
  assert.equal([error.code, times], ['invalid_request', 1])
})
s('closes the connection when the loop is left, or the signal aborts [client/leave]', async () => {
  const closed = () =>
    new Promise<void>((resolve) => {
      answers.push((response) => {
        response.once('close', () => resolve())
        response.write(head + write('initial', 'r:1'))
      })
    })
  const left = closed()
  for await (const _ of meta.stream(order)) break
  await left
  const aborted = closed()
  const leaving = new AbortController()
  const reason = new Error('another page')
  const error = await (async () => {
    for await (const _ of meta.stream(order, { signal: leaving.signal })) leaving.abort(reason)
  })().catch((thrown) => thrown)
  assert.is(error, reason)
  await aborted
  assert.is(asked.length, 2)
})
s.run()
