import { assert, suite } from '../../fixtures/test.ts'
import { createService } from '../http/service.ts'
import { relayEndpoints } from './wire/routes.ts'

/** A gateway without a factory or a key on any chain: the relay is there and says so. */
const s = suite('relay that serves no chain')
const endpoints = relayEndpoints({
  chainIds: [],
  deploy: () => Promise.reject(new Error('not asked')),
  readIntents: async () => [],
  readHealth: async () => 'ok',
  version: '0',
})
const log = { debug() {}, info() {}, warn() {}, error() {} }
const service = createService({ name: 'relay', title: 'Relay', version: '0', endpoints, log })
const { url, close } = await service.listen({ host: '127.0.0.1', port: 0 })
s.after(() => close())

s('lists no chain and takes no request', async () => {
  assert.equal(await (await fetch(`${url}/api/intents`)).json(), { chains: [] })
  const owner = `0x${'1'.repeat(40)}`
  const body = JSON.stringify({ chainId: 8453, owner, tokenIn: owner, amountIn: '1' })
  const headers = { 'content-type': 'application/json' }
  const refused = await fetch(`${url}/api/proxy`, { method: 'POST', headers, body })
  assert.is(refused.status, 400)
})
s.run()
