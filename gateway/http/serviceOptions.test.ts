import { once } from 'node:events'
import { connect } from 'node:net'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
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
s.run()
