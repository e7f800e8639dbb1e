import { createInject } from '../../fixtures/inject.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { createService } from '../http/service.ts'
import { routingEndpoints } from './wire/routes.ts'

const { chain, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const { chainId } = chain
const [tokenIn = '', tokenOut = ''] = market.addresses
/** A chain whose node has not answered yet, and no simulator. */
const unread = {
  ...chain,
  sync: {
    ...chain.sync,
    current: () => undefined,
    fresh: async () => undefined,
    lagMs: () => Number.POSITIVE_INFINITY,
  },
}
let kept = 0
const service = createService({
  name: 'routing',
  endpoints: routingEndpoints({
    chains: new Map([[chainId, unread]]),
    simulator: undefined,
    maxLagMs: 30_000,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
    startedAtMs: 0,
    now: () => performance.now(),
  }),
  access: {
    identify: async ({ headers }) =>
      headers['x-api-key'] === 'k' ? { keyId: 'k', scopes: [] } : undefined,
    limit: async () => undefined,
    charge: async ({ cost }) => ({
      status: 'charged',
      headers: {},
      conclude: async ({ status }) => {
        if (status < 300) kept += cost
      },
    }),
  },
  checkOutput: true,
  log: { debug() {}, info() {}, warn() {}, error() {} },
})
const inject = createInject(service.app)

const s = suite('routing without its chain')

const candidate = {
  providerId: 'one',
  target: tokenOut,
  data: '0x',
  value: '0',
  inputToken: tokenIn,
  outputToken: tokenOut,
  inputAmount: '1',
  approveTarget: tokenOut,
  quotedOutput: '1',
}
const pair = { chain_id: chainId, token_in: tokenIn, token_out: tokenOut }
const legs = [{ token: tokenIn, amount: '1' }]
const questions: readonly (readonly [path: string, body?: object])[] = [
  ['/quote', { ...pair, amount_in: '1' }],
  ['/quote_lp_disposal', { chain_id: chainId, target_token: tokenOut, legs }],
  [
    `/quote_exact_output?${new URLSearchParams({
      ...pair,
      chain_id: String(chainId),
      target_output: '1',
      max_input: '9',
    })}`,
  ],
  ['/compare/simulate', { chainId, candidates: [candidate] }],
]
for (const [path, body] of questions)
  s(
    `answers 503 with Retry-After, and nothing is charged: ${path.split('?')[0]} [routing/unavailable]`,
    async () => {
      const { status, text, headers } = await inject({
        path,
        method: body ? 'POST' : 'GET',
        body: body && JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
      })
      assert.is(status, 503, text)
      assert.ok(headers['retry-after'])
      assert.is(kept, 0)
    },
  )

s('asks nobody for a key but those who want quotes or dry runs [routing/open-paths]', async () => {
  for (const path of ['/health', '/api/tokens', '/api/chains', '/api/status'])
    assert.is((await inject({ method: 'GET', path, headers: {} })).status, 200, path)
  for (const [path, body] of questions) {
    const headers = { 'content-type': 'application/json' }
    const text = body && JSON.stringify(body)
    const asked = { path, method: body ? 'POST' : 'GET', body: text, headers }
    assert.is((await inject(asked)).status, 401, path)
  }
})

s(
  'says error when no chain can be quoted, and is no active agent then [routing/health-error]',
  async () => {
    const get = async (path: string) =>
      JSON.parse((await inject({ method: 'GET', path, headers: {} })).text) as object
    assert.is(Object(await get('/health')).status, 'error')
    assert.is(Object(await get('/.well-known/agent-registration.json')).active, false)
    assert.is(Object(await get('/api/status')).chains[0].status, 'down')
  },
)

s.run()
