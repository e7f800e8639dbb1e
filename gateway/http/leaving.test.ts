import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import type { Access } from './access.ts'
import { endpoint } from './endpoint.ts'
import { stream } from './reply.ts'
import { createService } from './service.ts'
import type { RequestEvent } from './serviceOptions.ts'

/** When the signal of a request fires, and that a request which is over leaves nothing of it. */
const s = suite('http/leaving')
const log = { debug() {}, info() {}, warn() {}, error() {} }

type Held = { readonly takeSignal: () => AbortSignal; readonly answer: () => void }
let held = Promise.withResolvers<Held>()
async function handle(request: { readonly signal: AbortSignal }) {
  const answered = Promise.withResolvers<void>()
  held.resolve({ takeSignal: () => request.signal, answer: answered.resolve })
  await answered.promise
  return {}
}
const parts = {
  method: 'get',
  summary: 'Waits until the test lets it go',
  output: Type.Object({}),
  auth: 'none',
} as const
const endpoints = [
  endpoint({ ...parts, path: '/hold', handle }),
  endpoint({
    ...parts,
    path: '/stream',
    streams: true,
    async handle(request) {
      await handle(request)
      return stream(async (sink) => sink.done('done', {}))
    },
  }),
]
const server = await createService({ name: 'held', endpoints, log }).listen()
s.after(() => server.close())

/** A request that waits, and both ends of its connection. */
async function ask(path: '/hold' | '/stream') {
  held = Promise.withResolvers()
  const started = Promise.withResolvers<{ response: ServerResponse; socket: Socket }>()
  const note = (message: unknown) => started.resolve(message as never)
  subscribe('http.server.request.start', note)
  const client = connect(server.port, '127.0.0.1')
  client.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
  const { response, socket } = await started.promise
  unsubscribe('http.server.request.start', note)
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => response.once('close', resolve))
  return { ...(await held.promise), client, socket, closed }
}

s('fires when a client has ended, before its connection is closed', async () => {
  const { takeSignal, client, socket, closed } = await ask('/hold')
  const signal = takeSignal()
  assert.not.ok(signal.aborted)
  const ended = once(socket, 'end').then(() => signal.aborted)
  client.end()
  assert.ok(await ended)
  await closed
  assert.match(String(signal.reason), /the client left/)
})
s('fires when a client breaks its connection off', async () => {
  const { takeSignal, client, closed } = await ask('/hold')
  const signal = takeSignal()
  client.resetAndDestroy()
  await closed
  assert.ok(signal.aborted)
})
s('has fired for whoever looks only once a client has ended', async () => {
  const { takeSignal, client, socket, closed } = await ask('/hold')
  const ended = once(socket, 'end').then(() => takeSignal().aborted)
  client.end()
  assert.ok(await ended)
  await closed
})
s(
  'has fired for whoever looks only after the client left, and is waited for by nobody',
  async () => {
    const { takeSignal, client, closed } = await ask('/stream')
    client.resetAndDestroy()
    await closed
    assert.ok(takeSignal().aborted)
    assert.is(server.openStreams(), 0)
  },
)
s('has what is broken off then counted as no fault of ours [24/left]', async () => {
  const begun = Promise.withResolvers<void>()
  const told = Promise.withResolvers<RequestEvent>()
  const errors: string[] = []
  const dryRun = endpoint({
    ...parts,
    path: '/dry-run',
    handle: ({ signal }) => {
      begun.resolve()
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('it was aborted')))
      })
    },
  })
  const { listen } = createService({
    name: 'left',
    endpoints: [dryRun],
    log: { ...log, error: (_: object, message: string) => void errors.push(message) },
    observe: told.resolve,
  })
  const service = await listen()
  const client = connect(service.port, '127.0.0.1')
  client.write('GET /dry-run HTTP/1.1\r\nhost: a\r\n\r\n')
  await begun.promise
  client.resetAndDestroy()
  const { status, code } = await told.promise
  assert.equal([status, code, errors], [499, 'client_left', []])
  await service.close()
})
s(
  'has a charge that is given back told whether the client left [strangers/charged-left]',
  async () => {
    const told: unknown[] = []
    const concluded = Promise.withResolvers<void>()
    const access: Access = {
      identify: async () => ({ keyId: 'k', scopes: [] }),
      limit: async () => undefined,
      charge: async () => ({
        status: 'charged',
        headers: {},
        async conclude({ status, hasLeft }) {
          told.push([status, hasLeft])
          if (hasLeft) concluded.resolve()
        },
      }),
    }
    const begun = Promise.withResolvers<void>()
    let fails = true
    const dryRun = endpoint({
      ...parts,
      path: '/dry-run',
      auth: 'key',
      cost: 1,
      handle({ signal }) {
        if (fails) throw new Error('it failed by itself')
        begun.resolve()
        return new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('it was aborted')))
        })
      },
    })
    const service = await createService({
      name: 'charged',
      endpoints: [dryRun],
      access,
      log,
    }).listen()
    assert.is((await fetch(`${service.url}/dry-run`)).status, 500)
    fails = false
    const client = connect(service.port, '127.0.0.1')
    client.write('GET /dry-run HTTP/1.1\r\nhost: a\r\n\r\n')
    await begun.promise
    client.resetAndDestroy()
    await concluded.promise
    assert.equal(told, [
      [500, false],
      [500, true],
    ])
    await service.close()
  },
)
s('does not fire for what was answered, which leaves nothing on its connection', async () => {
  for (const path of ['/hold', '/stream'] as const) {
    const { takeSignal, answer, client, socket, closed } = await ask(path)
    const before = socket.listenerCount('end')
    const signal = takeSignal()
    assert.is(server.openStreams(), path === '/stream' ? 1 : 0)
    assert.is(takeSignal(), signal)
    answer()
    await closed
    assert.equal([socket.listenerCount('end'), server.openStreams()], [before, 0])
    const gone = once(socket, 'close')
    client.end()
    await gone
    assert.not.ok(signal.aborted)
  }
})
s.run()
