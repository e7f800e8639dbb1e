import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { createService } from './service.ts'

/** How a request may arrive: in what time and size, in whose name, and what is answered to one that does not. */
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
s('answers a target whose host is none like what is not HTTP [teeth/raw]', async () => {
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
s.run()
