import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'

/** A chain whose node has not answered yet, and no simulator. */
const stand = createGeneratedStand({
  pools: 20,
  tokens: 6,
  seed: 1,
  change: (chain) => ({
    ...chain,
    sync: {
      ...chain.sync,
      current: () => undefined,
      fresh: async () => undefined,
      lagMs: () => Number.POSITIVE_INFINITY,
    },
  }),
})
const { chainId } = stand.chain
const [tokenIn = '', tokenOut = ''] = stand.market.addresses

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
      const { status, body: answer, headers } = await stand.ask(path, body)
      assert.is(status, 503, JSON.stringify(answer))
      assert.ok(headers['retry-after'])
      assert.is(stand.ledger.charged, 0)
    },
  )

s('asks nobody for a key but those who want quotes or dry runs [routing/open-paths]', async () => {
  for (const path of ['/health', '/api/tokens', '/api/chains', '/api/status'])
    assert.is((await stand.ask(path, undefined, null)).status, 200, path)
  for (const [path, body] of questions)
    assert.is((await stand.ask(path, body, null)).status, 401, path)
})

s(
  'says error when no chain can be quoted, and is no active agent then [routing/health-error]',
  async () => {
    const get = async (path: string) => (await stand.ask(path, undefined, null)).body
    assert.is(Object(await get('/health')).status, 'error')
    assert.is(Object(await get('/.well-known/agent-registration.json')).active, false)
    assert.is(Object(await get('/api/status')).chains[0].status, 'down')
  },
)

s.run()
