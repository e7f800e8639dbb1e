import { tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { startTraces } from './traces.ts'

const s = suite('observe/traces, to a collector that asks who sends')
s('sends spans with the headers that it was given [attack/traces-headers]', async () => {
  const received: IncomingHttpHeaders[] = []
  const collector = createServer((request, response) => {
    received.push(request.headers)
    request.resume()
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const traces = await startTraces({
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
    percent: 100,
    headers: { authorization: 'Bearer canary-token' },
    serviceName: 'test',
    version: '0',
  })
  const step = { attributes: { name: 'GET /health' } }
  await tracingChannel('forkyard.http').tracePromise(async () => undefined, step)
  await traces.close()
  assert.equal(
    received.map(({ authorization }) => authorization),
    ['Bearer canary-token'],
  )
  collector.close()
})
s.run()
