import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { makeMalformed, sendMalformed } from '../../fixtures/malformedRequests.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { createService } from './service.ts'

const s = suite('http/raw sockets')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const output = Type.Object({ a: Type.String() })
const common = { summary: 'Swap', output, auth: 'none' } as const
const service = createService({
  name: 'abused',
  log,
  endpoints: [
    endpoint({
      ...common,
      method: 'post',
      path: '/swap',
      input: Type.Object({}),
      handle: async () => ({ a: '1' }),
    }),
    endpoint({ ...common, method: 'get', path: '/swap', handle: async () => ({ a: '1' }) }),
  ],
})
const server = await service.listen()
s.after(() => server.close())
const target = { get: '/swap', post: '/swap' }
const address = { host: '127.0.0.1', port: server.port }

s(
  'answers 1,000 malformed requests over raw sockets without a 5xx, and no smuggled one [teeth/raw]',
  async () => {
    const { faults, statuses } = await sendMalformed(
      address,
      makeMalformed(target, { count: 1_000, seed: 1 }),
    )
    assert.equal(faults.slice(0, 5), [])
    // They are of every kind: some are right enough to be answered.
    for (const status of [200, 400, 404, 413, 431])
      assert.ok((statuses[status] ?? 0) > 0, JSON.stringify(statuses))
  },
)
s('answers a target whose host is none like what is not HTTP [teeth/raw]', async () => {
  const bytes = Buffer.from('GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n')
  const { faults, statuses } = await sendMalformed(address, [
    { kind: 'line', bytes, isSmuggler: false },
  ])
  assert.equal([faults, statuses], [[], { 400: 1 }])
})
s('would notice a server that breaks, and one that answers what is smuggled', async () => {
  const careless = createServer({ insecureHTTPParser: true }, (request, response) => {
    response.statusCode = request.method === 'GET' ? 200 : 500
    response.end(request.url)
  })
  careless.listen(0, '127.0.0.1')
  await once(careless, 'listening')
  const { port } = careless.address() as AddressInfo
  const requests = makeMalformed(target, { count: 200, seed: 1 })
  const { faults } = await sendMalformed({ host: '127.0.0.1', port }, requests)
  careless.close()
  for (const fault of ['answered 500', 'answers a smuggled request'])
    assert.ok(
      faults.some((text) => text.includes(fault)),
      fault,
    )
})
s.run()
