import { createInject } from '../../../fixtures/inject.ts'
import { answerQuote, router, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { usdcToWeth } from '../../../fixtures/providers/bodies.ts'
import {
  answerRecorded,
  startRecordingServer,
} from '../../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import { createService } from '../../http/service.ts'
import type { RoutingOutcome, RoutingParameters } from '../sources/routing.ts'
import { createMeta, type MetaDeps } from './meta.ts'

/** What is wired to what; `configuredProviders.test.ts` asks as callers do. */
const s = suite('meta/service')
const providers = await startRecordingServer()
providers.answerWith(answerRecorded(usdcToWeth()))
s.after(() => providers.close())
const chain = getChain(8453)
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const found: RoutingOutcome = {
  status: 'ok',
  quote: {
    amountIn: 1_000_000n,
    amountOut: 1_000n,
    minAmountOut: 995n,
    gasEstimate: 100_000n,
    routePath: 'a>b',
    taxInBps: 0,
    taxOutBps: 0,
    executable: true,
    execution: { spender: router, target: router, data: '0x12345678', value: 0n },
  },
}

async function open(given: Partial<MetaDeps> = {}) {
  const asked: RoutingParameters[] = []
  const logged: unknown[][] = []
  const client = { request: async () => '0x2710' }
  const meta = createMeta({
    async quote(parameters) {
      asked.push(parameters)
      return found
    },
    clients: [
      { chainId: 8453, chain, client, roomFor: () => 1 },
    ] as unknown as readonly ChainClient[],
    dexesOf: () => [],
    executorOf: () => router,
    taxOf: () => undefined,
    poolsBetween: () => [],
    isToken: () => false,
    dryRunOf: () => undefined,
    now: Date.now,
    log: { ...silent, error: (...told: unknown[]) => void logged.push(told) },
    ...given,
    config: {
      allowPrivateProviders: true,
      ...given.config,
      providers: given.config?.providers?.map((setting) => ({
        baseUrl: `${providers.url}/${setting.name}`,
        ...setting,
      })),
    },
  })
  const { app } = createService({
    name: 'meta',
    endpoints: meta.endpoints,
    requestIdField: 'requestId',
    log: silent,
    checkOutput: true,
  })
  const inject = createInject(app)
  async function quote(change: object = {}) {
    const body = { chainId: 8453, tokenIn: usdc, tokenOut: weth, amountIn: '1000000', taker }
    const { text } = await inject({
      method: 'POST',
      path: '/quote',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...change }),
    })
    return JSON.parse(text) as {
      readonly best?: { readonly provider: string } | null
      readonly failures: readonly { readonly provider: string; readonly reason: string }[]
    }
  }
  return { ...meta, quote, asked, logged }
}

s('has routing name the executor of the chain, and nothing else', async () => {
  const own = await open()
  assert.is((await own.quote()).best?.provider, 'routing')
  for (const executor of [usdc, undefined]) {
    const other = await open({ executorOf: () => executor })
    const { failures } = await other.quote()
    assert.match(failures[0]?.reason ?? '', 'target_not_allowed')
    await other.close()
  }
  await own.close()
})
s('logs whose fault it was that a source threw, and goes on', async () => {
  const fault = new Error('a bug')
  const { quote, logged, close } = await open({
    alterSource: (source) =>
      source.name === 'routing' ? { ...source, quote: () => Promise.reject(fault) } : source,
  })
  const { failures } = await quote()
  assert.match(failures[0]?.reason ?? '', 'upstream_error')
  assert.equal(logged, [[{ err: fault, provider: 'routing' }, 'a source threw']])
  await close()
})
s('tells of each source where it is asked, and what it does not do', async () => {
  const names = ['cow', 'relay', 'velora']
  const { sourceStates, close } = await open({
    config: { providers: names.map((name) => ({ name })) },
  })
  assert.equal(
    sourceStates().map(({ name, chainIds, note }) => [name, chainIds, note]),
    [
      ['routing', [8453], undefined],
      ['cow', [8453], 'a price to compare with: its orders are signed, not sent'],
      ['relay', [], 'no list of its contracts is known: META_UNLISTED_SOURCES turns it on'],
      ['velora', [8453], undefined],
    ],
  )
  await close()
})
s('asks no provider of a chain that it does not name', async () => {
  const client = { request: async () => '0x1' }
  const elsewhere = { ...chain, chainId: 1 }
  const { sourceStates, close } = await open({
    clients: [
      { chainId: 1, chain: elsewhere, client, roomFor: () => 1 },
    ] as unknown as readonly ChainClient[],
    config: { providers: [{ name: 'velora' }, { name: 'cow' }] },
  })
  assert.equal(
    sourceStates().map(({ chainIds }) => chainIds),
    [[1], [], []],
  )
  await close()
})
s("tells providers that weigh gas what it costs by the chain's own node", async () => {
  providers.calls.length = 0
  const { quote, close } = await open({ config: { providers: [{ name: 'openocean' }] } })
  await quote()
  const [call] = providers.calls
  assert.is(call?.query['gasPriceDecimals'], '10000')
  await close()
})
s('reaches exact outputs of sources that know inputs alone, and of no mere price', async () => {
  const { asked, quote, close } = await open({ config: { providers: [{ name: 'cow' }] } })
  const { failures } = await quote({
    amountIn: undefined,
    quoteType: 'exactOutput',
    targetOut: '900',
    maxIn: '2000000',
    calldataPolicy: 'strict',
  })
  assert.ok(asked.length > 1, 'it searched for the input')
  const cow = failures.find(({ provider }) => provider === 'cow')
  assert.is(cow?.reason, 'unsupported_exact_output')
  await close()
})
s('prices gas by what routing gives for the native currency', async () => {
  const [target = router] = chain?.providers.velora?.contracts ?? []
  const answer = answerQuote({ provider: 'velora', target, approveTarget: target })
  const { quote, asked, close } = await open({
    config: { providers: [{ name: 'velora' }] },
    alterSource: (source) =>
      source.name === 'velora' ? { ...source, quote: async () => answer } : source,
  })
  const priced = () => asked.filter(({ amountIn }) => amountIn === 10n ** 16n)
  await quote()
  // The wrapped currency itself is what is bought.
  assert.equal(priced(), [])
  await quote({ tokenIn: weth, tokenOut: usdc })
  const [price, ...more] = priced()
  assert.equal([price?.tokenIn, price?.tokenOut, price?.slippageBps, more], [weth, usdc, 50, []])
  await close()
})
s('takes a time limit of its own for each provider', async () => {
  providers.answerWith(() => ({ delayMs: 'never' }))
  const { quote, close } = await open({
    config: {
      providers: [{ name: 'velora', timeoutMs: 30 }],
      sourcesOff: ['routing'],
    },
  })
  const { failures } = await quote()
  assert.equal(failures, [{ provider: 'velora', reason: 'timeout: no answer within 30 ms' }])
  await close()
  providers.answerWith(answerRecorded(usdcToWeth()))
})
s.run()
