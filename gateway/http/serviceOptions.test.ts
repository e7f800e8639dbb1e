import { tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { httpError } from './httpError.ts'
import { stream } from './reply.ts'
import { createService } from './service.ts'
import type { ServiceOptions } from './serviceOptions.ts'

/** What a service does with what it may be given besides its endpoints. */
const s = suite('http/serviceOptions')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const closers: (() => Promise<void>)[] = []
s.after(async () => {
  for (const close of closers) await close()
})

const endpoints = [
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
  const service = await createService({ name: 'a', endpoints, log, ...options }).listen()
  closers.push(() => service.close())
  return service
}

s('sends a stream with headers of its own before its first event', async () => {
  const { url } = await serve()
  const answer = await fetch(`${url}/stream`)
  assert.is(answer.headers.get('x-sources'), '3')
  assert.match(await answer.text(), /event: done/)
})
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
s.run()
