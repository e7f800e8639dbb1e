import { Type } from 'typebox'
import { fuzzEndpoints } from '../../fixtures/fuzzEndpoints.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import * as schemas from './schemas.ts'
import { createService } from './service.ts'

const s = suite('http/fuzz')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const fields = {
  chain_id: schemas.chainId([8453]),
  token: schemas.address(),
  amount: schemas.positiveUint256(),
  slippage_bps: schemas.slippageBps(),
}
const output = Type.Object({ amount: Type.String() })
const endpoints = [
  endpoint({
    method: 'post',
    path: '/swap',
    summary: 'Swap',
    input: Type.Object({
      ...fields,
      legs: Type.Array(Type.Object({ token: schemas.address() }), { minItems: 1, maxItems: 8 }),
    }),
    output,
    auth: 'none',
    handle: async ({ body }) => ({
      amount: String(BigInt(body.amount) + BigInt(body.slippage_bps)),
    }),
  }),
  endpoint({
    method: 'get',
    path: '/swap/:token',
    summary: 'Swap',
    params: Type.Object({ token: schemas.address() }),
    query: Type.Object(fields),
    output,
    auth: 'none',
    handle: async ({ query }) => ({ amount: String(BigInt(query.amount)) }),
  }),
]
const service = createService({ name: 'fuzzed', endpoints, log, checkOutput: true })
const server = await service.listen()
s.after(() => server.close())

s('answers 1,200 generated requests with 200 or one 4xx sentence, never 5xx', async () => {
  const report = await fuzzEndpoints({
    url: server.url,
    endpoints: service.endpoints,
    requestsPerEndpoint: 300,
  })
  assert.equal(report.faults, [])
  const swap = report.statuses['POST /swap'] ?? {}
  assert.ok((swap[200] ?? 0) > 5, JSON.stringify(swap))
  assert.ok((swap[400] ?? 0) > 100, JSON.stringify(swap))
})
s('would have noticed a handler that breaks', async () => {
  const broken = endpoints.map((each) => ({
    ...each,
    handle: async () => {
      throw new Error('a bug')
    },
  }))
  const other = await createService({ name: 'broken', endpoints: broken, log }).listen()
  const report = await fuzzEndpoints({
    url: other.url,
    endpoints: broken,
    requestsPerEndpoint: 100,
  })
  await other.close()
  assert.ok(report.faults.length > 5)
})
s.run()
