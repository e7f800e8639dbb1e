import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { httpError } from './httpError.ts'
import { createPages } from './pages.ts'
import { stream } from './reply.ts'
import { createService } from './service.ts'
import type { RequestEvent, ServiceOptions } from './serviceOptions.ts'

/**
 * How a request may arrive: in what time and size, in whose name, what is answered to one that does not; and what
 * stands about the endpoints that it is for.
 */
const s = suite('http/arrival')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const parts = { summary: 'Reads', output: Type.Object({}), auth: 'none' } as const
const seen: unknown[] = []
const { listen } = createService({
  name: 'a',
  log,
  maxBodyBytes: 10,
  endpoints: [
    endpoint({
      ...parts,
      method: 'get',
      path: '/who',
      handle: async ({ clientId }) => {
        seen.push(clientId)
        return {}
      },
    }),
    endpoint({
      ...parts,
      method: 'post',
      path: '/take',
      input: Type.Object({}),
      handle: async () => ({}),
    }),
  ],
})
const service = await listen()
s.after(() => service.close())
const who = (headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${service.url}/who`, { headers })

/** What comes back to bytes that are written, until the connection ends or a whole answer is there. */
async function send(bytes: string): Promise<string> {
  const socket = connect(service.port, '127.0.0.1')
  socket.write(bytes)
  let received = ''
  for await (const chunk of socket) {
    received += chunk
    if (received.endsWith('}')) break
  }
  return received
}
/** The server behind it, as Node tells of it. */
async function findServer(): Promise<Server> {
  const started = Promise.withResolvers<{ readonly server: Server }>()
  const note = (message: unknown) => started.resolve(message as { readonly server: Server })
  subscribe('http.server.request.start', note)
  await who()
  unsubscribe('http.server.request.start', note)
  return (await started.promise).server
}
const server = await findServer()

s(
  'bounds how long a request takes, and says how long a connection rests [teeth/arrival]',
  async () => {
    assert.is((await who()).headers.get('keep-alive'), 'timeout=15, max=100000')
    assert.equal([server.headersTimeout, server.requestTimeout], [10_000, 20_000])
    assert.is(Reflect.get(server, 'maxHeaderSize'), 32_768)
    assert.is(server.listenerCount('error'), 0)
  },
)
s('refuses headers that are too large in the words for that [teeth/parser-words]', async () => {
  const refused = await send(`GET /who HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`)
  assert.match(refused, /^HTTP\/1\.1 431 /)
  assert.not.match(refused, 'not valid HTTP')
})
/** What is written to a connection of which Node's parser has said this. */
function fail(code: string | undefined, isEnded = false) {
  let written = ''
  const write = (text: Buffer, _: string, done: () => void) => {
    written += text
    done()
  }
  const socket = new Duplex({ read() {}, write })
  if (isEnded) socket.end()
  server.emit('clientError', Object.assign(new Error('a'), code && { code }), socket)
  return { written, isDestroyed: socket.destroyed }
}
s('says why to whoever sent what cannot be read, or came too slowly [teeth/unparsed]', () => {
  for (const [code, line, sentence] of [
    ['HPE_INVALID_METHOD', /^HTTP\/1\.1 400 /, 'this is not valid HTTP'],
    [undefined, /^HTTP\/1\.1 400 /, 'this is not valid HTTP'],
    ['HPE_HEADER_OVERFLOW', /^HTTP\/1\.1 431 /, undefined],
    ['ERR_HTTP_REQUEST_TIMEOUT', /^HTTP\/1\.1 408 /, undefined],
  ] as const) {
    const { written, isDestroyed } = fail(code)
    assert.match(written, line)
    assert.is(written.includes('not valid HTTP'), sentence !== undefined)
    const [head = '', body = ''] = written.split('\r\n\r\n')
    assert.match(head, `Content-Length: ${Buffer.byteLength(body)}`)
    assert.not.ok(isDestroyed)
  }
})
s('says nothing to whoever has broken his connection off [teeth/unparsed]', () => {
  assert.equal(fail('ECONNRESET'), { written: '', isDestroyed: true })
  assert.equal(fail('HPE_INVALID_METHOD', true), { written: '', isDestroyed: true })
})
s('answers a target whose host is none like what is not HTTP [teeth/target]', async () => {
  const answer = await send('GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.match(answer, 'this is not valid HTTP')
})
s('reads on from whoever sends too much, so that the answer is read [teeth/lingers]', async () => {
  const head = 'POST /take HTTP/1.1\r\nhost: x\r\nconnection: close\r\n'
  assert.match(await send(`${head}content-length: 11\r\n\r\n{`), /connection: keep-alive/i)
  assert.match(await send(`${head}content-length: 2\r\n\r\n{}`), /connection: close/i)
})
s(
  'takes ids of a request and of its client that can be printed, and makes one else [teeth/request-id]',
  async () => {
    const long = 'x'.repeat(129)
    const idOf = async (id: string) =>
      (await who({ 'x-request-id': id })).headers.get('x-request-id')
    assert.equal([await idOf('a.b-1'), await idOf(long.slice(1))], ['a.b-1', long.slice(1)])
    for (const id of ['a b', long, '']) assert.match((await idOf(id)) ?? '', /^[0-9a-f-]{36}$/)
    seen.length = 0
    for (const id of ['mine', 'a b', long]) await who({ 'x-client-id': id })
    assert.equal(seen, ['mine', undefined, undefined])
  },
)

const closers: (() => Promise<void>)[] = []
s.after(async () => {
  for (const close of closers) await close()
})

const streaming = [
  endpoint({
    method: 'get',
    path: '/stream',
    summary: 'Streams one event',
    output: Type.Object({}),
    auth: 'none',
    streams: true,
    handle: async () =>
      stream(async (sink) => sink.done('done', {}), { headers: { 'x-sources': '3' } }),
  }),
]
async function serve(options: Partial<ServiceOptions> = {}) {
  const service = await createService({ name: 'a', endpoints: streaming, log, ...options }).listen()
  closers.push(() => service.close())
  return service
}

s('sends a stream with headers of its own before its first event', async () => {
  const { url } = await serve()
  const answer = await fetch(`${url}/stream`)
  assert.is(answer.headers.get('x-sources'), '3')
  assert.match(await answer.text(), /event: done/)
})
s(
  'tells what a stream took until it was begun, and until it was over [teeth/stream-trail]',
  async () => {
    const told = Promise.withResolvers<RequestEvent>()
    const { url } = await serve({ observe: told.resolve })
    await (await fetch(`${url}/stream`)).text()
    const { concludeMs, sendMs } = (await told.promise).trail
    assert.ok(concludeMs > 0 && sendMs > 0, `${concludeMs} and ${sendMs} ms`)
  },
)
s('asks what stands in front of its endpoints first, and for all of them', async () => {
  const { url } = await serve({
    async interrupt(ctx, next) {
      if (ctx.path === '/stream') await next()
      else ctx.status = 418
    },
  })
  const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status
  assert.equal([await statusOf('/stream'), await statusOf('/openapi.json')], [200, 418])
})
s('takes no more connections of an address than it is told to', async () => {
  const { port } = await serve({ connections: { most: 1, ipOf: (address) => address } })
  const first = connect(port, '127.0.0.1')
  await once(first, 'connect')
  const second = connect(port, '127.0.0.1')
  let answer = ''
  second
    .on('error', () => undefined)
    .on('data', (part) => {
      answer += part
    })
  second.write('GET /stream HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await new Promise((resolve) => second.once('close', resolve))
  assert.is(answer, '')
  first.destroy()
})
s(
  'tells who traces which requests have failed: ours, not the caller’s [teeth/traced]',
  async () => {
    const seen: unknown[] = []
    const channel = tracingChannel('forkyard.http')
    const listener = { asyncEnd: (step: unknown) => void seen.push(step) }
    const { url } = await serve({
      async interrupt(ctx, next) {
        const { pathname } = new URL(ctx.url, url)
        if (pathname === '/stream') await next()
        else ctx.status = Number(pathname.slice(1))
      },
    })
    channel.subscribe(listener as never)
    for (const status of [404, 499, 500, 503]) await (await fetch(`${url}/${status}`)).text()
    channel.unsubscribe(listener as never)
    const failed = seen.map((step) => (step as { attributes: Record<string, unknown> }).attributes)
    assert.equal(
      failed.map((each) => [each['http.response.status_code'], each['failed']]),
      [
        [404, false],
        [499, false],
        [500, true],
        [503, true],
      ],
    )
  },
)
s('lets nobody keep a stream, or change it on its way [teeth/stream-headers]', async () => {
  const { url } = await serve()
  const { headers } = await fetch(`${url}/stream`)
  assert.is(headers.get('cache-control'), 'no-cache, no-transform')
  assert.is(headers.get('x-accel-buffering'), 'no')
  assert.is(headers.get('content-type'), 'text/event-stream; charset=utf-8')
})
s('logs what is ours and has a cause, and nothing else [teeth/logged]', async () => {
  const cause = new Error('inside')
  const thrown = [
    httpError('unavailable'),
    httpError('invalidJson', 'a', { cause }),
    httpError('internal', 'b', { cause }),
  ]
  const logged: unknown[] = []
  const { url } = await serve({
    log: { ...log, error: (fields: object) => void logged.push(fields) },
    async interrupt() {
      throw thrown.shift()
    },
  })
  for (const status of [503, 400, 500]) assert.is((await fetch(url)).status, status)
  assert.equal(logged.length, 1)
  assert.is((logged[0] as { err: unknown }).err, cause)
})
s('serves no endpoint with a key where nobody knows keys [teeth/no-access]', () => {
  const keyed = endpoint({
    ...parts,
    method: 'get',
    path: '/a',
    auth: 'key',
    handle: async () => ({}),
  })
  const create = () => createService({ name: 'keyed', endpoints: [keyed], log })
  assert.throws(create, /keyed has endpoints with a key but was given no access/)
})
s(
  'answers pages of others where it is given pages, and only there [teeth/pages-door]',
  async () => {
    const pages = createPages({ origins: [] })
    const statusOf = async (given: Partial<ServiceOptions>) => {
      const { url } = await serve(given)
      return (await fetch(`${url}/lab/a`, { headers: { origin: 'https://a.example' } })).status
    }
    assert.equal([await statusOf({ pages }), await statusOf({})], [403, 404])
  },
)
s.run()
