import { once } from 'node:events'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { readConfig } from '../config/config.ts'
import { endpoint } from '../http/endpoint.ts'
import { stream } from '../http/reply.ts'
import { createMetrics } from '../observe/metrics.ts'
import { listenAll } from './listenAll.ts'
import { toServices } from './toServices.ts'

const s = suite('parts/listenAll')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const env = { KEY_PEPPER: 'p'.repeat(32), BASE_RPC_URL: 'http://127.0.0.1:9' }
const ports = { ROUTING_PORT: '0', META_PORT: '0', RELAY_PORT: '0', OPS_PORT: '0' }
const access = {
  identify: async () => undefined,
  limit: async () => undefined,
  charge: async () => ({ status: 'charged' as const, headers: {}, conclude: async () => {} }),
}

async function listen(settings: Record<string, string>) {
  const config = readConfig({ ...env, ...ports, ...settings })
  const endpoints = { routing: [], meta: [], relay: [] }
  const specs = [
    ...toServices(config, { endpoints, access }),
    { name: 'ops', title: 'Forkyard operations', listener: config.ops, endpoints: [] },
  ]
  const listening = await listenAll(config, specs, { log, metrics: createMetrics() })
  return {
    urls: Object.fromEntries(listening.map(([name, { url }]) => [name, url])),
    close: () => Promise.all(listening.map(([, service]) => service.close())),
  }
}

s('opens every service but those that are switched off [config/service-off]', async () => {
  const all = await listen({})
  const some = await listen({ META_ENABLED: 'false', RELAY_ENABLED: 'false' })
  await all.close()
  await some.close()
  assert.equal(Object.keys(all.urls), ['routing', 'meta', 'relay', 'ops'])
  assert.equal(Object.keys(some.urls), ['routing', 'ops'])
})

s('counts the event streams that are open, by service [24/streams-open]', async () => {
  const metrics = createMetrics()
  const forever = endpoint({
    method: 'get',
    path: '/forever',
    summary: 'Lasts as long as its reader stays',
    auth: 'none',
    streams: true,
    output: Type.Object({}),
    handle: async () => stream((_, signal) => once(signal, 'abort').then(() => undefined)),
  })
  const config = readConfig({ ...env, ...ports })
  const spec = { name: 'meta', title: 'meta', listener: config.meta, endpoints: [forever] }
  // Operators are listened to first.
  const operators = { ...spec, name: 'ops', listener: config.ops, endpoints: [] }
  const [[, first] = []] = await listenAll(config, [operators], { log, metrics })
  const [[, service] = []] = await listenAll(config, [spec], { log, metrics })
  const count = async () =>
    /^forkyard_streams_open\{service="meta"\} (\d)$/m.exec(await metrics.registry.metrics())?.[1]
  assert.is(await count(), '0')
  const leaving = new AbortController()
  const readers = [leaving.signal, leaving.signal].map((signal) =>
    fetch(`${service?.url}/forever`, { signal }),
  )
  await Promise.all(readers)
  assert.is(await count(), '2')
  leaving.abort()
  await waitFor('none is open', async () => (await count()) === '0')
  await service?.close()
  await first?.close()
})

s('listens for operators on loopback by default [ops/loopback]', async () => {
  const { urls, close } = await listen({})
  await close()
  assert.is(new URL(urls['ops'] ?? '').hostname, '127.0.0.1')
})

s.run()
