import { assert, suite } from '../../fixtures/test.ts'
import { readConfig } from '../config/config.ts'
import type { Access, ChargeRequest } from '../http/access.ts'
import { toServices } from './toServices.ts'

const s = suite('the three services')

s('each names itself as what is paid for [access/402-names-the-service]', async () => {
  const config = readConfig({
    KEY_PEPPER: 'p'.repeat(32),
    BASE_RPC_URL: 'https://one.example',
    META_PUBLIC_URL: 'https://meta.example',
    ROUTING_PUBLIC_URL: 'https://routing.example',
  })
  const asked: (string | undefined)[] = []
  const access: Access = {
    identify: async () => undefined,
    limit: async () => undefined,
    async charge({ baseUrl }) {
      asked.push(baseUrl)
      return { status: 'charged', headers: {}, conclude: async () => undefined }
    },
  }
  const endpoints = { routing: [], meta: [], relay: [] }
  for (const service of toServices(config, { endpoints, access }))
    await service.access?.charge({} as ChargeRequest)
  assert.equal(asked.slice(0, 2), ['https://routing.example', 'https://meta.example'])
})
s.run()
