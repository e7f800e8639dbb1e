import { decodeFunctionData } from 'viem'
import { userProxyV6 } from '../../../contracts/artifacts.ts'
import {
  answerQuote,
  bareChain,
  makeQuote,
  router,
  scriptSource,
  taker,
  usdc,
  weth,
} from '../../../fixtures/meta/quotes.ts'
import { withoutReferences } from '../../../fixtures/readOpenApi.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { CandidateResult } from '../../../simulator/simulator.ts'
import { createService } from '../../http/service.ts'
import { fail, type Source } from '../provider/source.ts'
import type { GasPrice } from '../rank.ts'
import type { DryRun } from '../simulateQuotes.ts'
import { createRoutingSource } from '../sources/routing.ts'
import type { TakeTurn } from '../turns.ts'
import { metaRoutes } from './routes.ts'

const s = suite('meta/routes')
const proxy = '0x4444444444444444444444444444444444444444'
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

let sources: readonly Source[] = []
let results: Record<string, CandidateResult> = {}
let dryRun: DryRun | undefined
let isProxyDeployed = false
let gasPrice: GasPrice | undefined
const simulated: Parameters<DryRun>[0][] = []
const targets = ['a', 'b', 'c'].map((provider) => ({
  provider,
  chainId: 8453,
  targets: [router],
  spenders: [router],
}))
const simulate: DryRun = async (p) => {
  simulated.push(p)
  const names = sources.map(({ name }) => name)
  return {
    blockNumber: 7n,
    blockHash: '0x07',
    results: names.flatMap((name) => results[name] ?? []),
  }
}
const deps: Parameters<typeof metaRoutes>[0] = {
  now: Date.now,
  onFault: () => {},
  sourcesFor: () => sources,
  targets,
  ...bareChain,
  deadlineMs: 1_000,
  patienceMs: 300,
  priceGas: async () => gasPrice,
  findProxy: async ({ address }) => (isProxyDeployed ? { address, sinceBlock: 5n } : undefined),
  dryRunOf: (chainId) => (chainId === 8453 ? dryRun : undefined),
  chainIds: [8453, 42161],
  sourceNames: ['a', 'b', 'c'],
  sourceStates: () => [],
  leftOut: [],
}
const options = { name: 'meta', requestIdField: 'requestId', log, checkOutput: true } as const
const service = createService({ ...options, endpoints: metaRoutes(deps) })
const server = await service.listen()
s.after(() => server.close())
s.before.each(() => {
  sources = [
    scriptSource({ name: 'a', answer: answerQuote({ provider: 'a', amountOut: 1_000n }) }),
    scriptSource({ name: 'b', answer: answerQuote({ provider: 'b', amountOut: 1_100n }) }),
    scriptSource({ name: 'c', answer: fail('no_route') }),
  ]
  results = {
    a: { status: 'ok', amountOut: 1_000n, gasUsed: 90_000n },
    b: { status: 'ok', amountOut: 950n, gasUsed: 80_000n },
  }
  dryRun = simulate
  isProxyDeployed = false
  gasPrice = undefined
  simulated.length = 0
})

const body = { chainId: 8453, tokenIn: usdc, tokenOut: weth, amountIn: '1000000', taker }
async function post(
  change: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  { url } = server,
) {
  const res = await fetch(`${url}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, ...change }),
  })
  return { status: res.status, body: JSON.parse(await res.text()) }
}

s(
  "a source's places are shared by key, and by network without one [teeth/meta-caller]",
  async () => {
    const callers: unknown[] = []
    const costs: number[] = []
    const quote: Source['quote'] = async (_, { caller }) => {
      callers.push(caller)
      return fail('no_route')
    }
    sources = [{ name: 'a', quote }]
    const keyed = await createService({
      ...options,
      endpoints: metaRoutes({ ...deps, keys: 'required' }),
      access: {
        identify: async ({ headers }) => ({ keyId: String(headers['x-api-key']), scopes: [] }),
        limit: async () => undefined,
        charge: async ({ cost }) => {
          costs.push(cost)
          return { status: 'charged', headers: {}, conclude: async () => undefined }
        },
      },
    }).listen()
    for (const key of ['k1', 'k2']) await post({}, { 'x-api-key': key }, keyed)
    await keyed.close()
    await post()
    assert.equal(callers, ['key k1', 'key k2', 'ip 127.0.0.1'])
    assert.equal(costs, [1, 1], 'a unit each, where keys are asked for')
    const priceOf = metaRoutes(deps).find(({ path }) => path === '/quote')?.costOf
    assert.is(priceOf?.({ body, query: {} } as never), 0)
  },
)

s(
  'addresses and keys of one site take turns together, in searches too [strangers/meta-site-names]',
  async () => {
    const askers: unknown[] = []
    const routing = createRoutingSource({
      quote: async ({ asker }) => {
        askers.push([asker?.caller, asker?.site])
        return { status: 'no_route' }
      },
    })
    const turns: unknown[] = []
    const takeTurn: TakeTurn = async ({ caller, site }) => void turns.push([caller, site])
    sources = [routing]
    const open = await createService({
      ...options,
      trustedProxies: ['127.0.0.1'],
      endpoints: metaRoutes({ ...deps, takeTurn }),
    }).listen()
    for (const path of ['quote', 'quote/stream'])
      for (const ip of ['2001:db8:7:1::1', '2001:db8:7:2::1']) {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': ip }
        const request = { method: 'POST', headers, body: JSON.stringify(body) }
        await (await fetch(`${open.url}/${path}`, request)).text()
      }
    await open.close()
    const site = '2001:db8:7::/48'
    const asked = [1, 2, 1, 2].map((n) => [`ip 2001:db8:7:${n}::/64`, site])
    assert.equal(turns, asked)
    assert.equal(
      askers,
      asked.map(([caller]) => [`meta ${caller}`, site]),
    )
  },
)

s('answers health and an OpenAPI document [meta/health]', async () => {
  const health = await fetch(`${server.url}/health`)
  assert.equal(await health.json(), { status: 'ok' })
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object }
  assert.ok('/quote' in document.paths)
})

s('answers the best of several sources, with failures and telemetry [meta/best]', async () => {
  const { status, body } = await post({}, { 'x-client-id': 'me', 'x-request-id': 'r1' })
  assert.is(status, 200)
  assert.is(body.best.provider, 'b')
  assert.is(body.best.amountOut, '1100')
  assert.is(body.best.value, '0')
  assert.is(body.best.approveTarget, router)
  assert.is(body.quotes.length, 2)
  assert.equal(body.failures, [{ provider: 'c', reason: 'no_route' }])
  assert.is(body.dispatched, 3)
  assert.is(body.responses.length, 3)
  assert.is(body.quoteType, 'exactInput')
  assert.is(body.calldataPolicy, 'standard')
  assert.equal(body.tracking, { dryRun: false, clientId: 'me', requestId: 'r1' })
  assert.equal(body.best.simulation, { status: 'disabled' })
  assert.is(body.proxyTx, undefined)
})

type Named = { readonly provider: string }
const bestFields = [
  'provider',
  'amountIn',
  'amountOut',
  'minAmountOut',
  'target',
  'approveTarget',
  'calldata',
  'value',
  'gasEstimate',
  'taxInBps',
  'taxOutBps',
  'telemetry',
  'simulation',
]
type Described = { readonly description?: string }
type OpenApi = {
  components: { schemas: Record<string, unknown> }
  readonly paths: Record<
    string,
    {
      readonly post: Described & {
        readonly requestBody: {
          content: { 'application/json': { schema: { properties: Record<string, Described> } } }
        }
      }
    }
  >
}
type RankedFields = Readonly<
  Record<'provider' | 'netAmountOut' | 'gasCost' | 'l1FeeWei', string | undefined>
>
const answerFields = [
  'best',
  'quotes',
  'failures',
  'responses',
  'dispatched',
  'elapsedMs',
  'quoteType',
  'calldataPolicy',
  'tracking',
  'simulation',
]
s('answers for each source that was asked how it went [meta/response-fields]', async () => {
  const { body } = await post()
  const asked = body.responses.toSorted((one: Named, other: Named) =>
    one.provider.localeCompare(other.provider),
  )
  assert.equal(
    asked.map(({ elapsedMs, ...rest }: { elapsedMs: number }) => {
      assert.ok(Number.isSafeInteger(elapsedMs) && elapsedMs >= 0)
      return rest
    }),
    [
      { provider: 'a', status: 'quote', attempts: 1 },
      { provider: 'b', status: 'quote', attempts: 1 },
      { provider: 'c', status: 'failure', attempts: 1, reason: 'no_route' },
    ],
  )
})

s('tells of each quote when and how it came [meta/telemetry-fields]', async () => {
  const startedAtMs = Date.now()
  sources = [
    scriptSource({
      name: 'a',
      answer: answerQuote({ provider: 'a', amountOut: 1_000n, route: 'USDC>[pool]>WETH' }),
    }),
    scriptSource({ name: 'b', answer: answerQuote({ provider: 'b', amountOut: 900n }) }),
  ]
  const { body } = await post()
  const [first, second] = body.quotes.map(({ telemetry }: { telemetry: object }) => telemetry)
  assert.equal(Object.keys(first).sort(), ['attempts', 'elapsedMs', 'receivedAtMs', 'route'])
  assert.equal(Object.keys(second).sort(), ['attempts', 'elapsedMs', 'receivedAtMs'])
  assert.is(first.route, 'USDC>[pool]>WETH')
  assert.is(first.attempts, 1)
  assert.ok(first.receivedAtMs >= startedAtMs && first.receivedAtMs <= Date.now())
})

s('names its fields as the document does, each in its own type [meta/fields]', async () => {
  const { body } = await post({ dryRun: true, proxyAddress: proxy })
  assert.equal(Object.keys(body).sort(), [...answerFields, 'proxyTx'].sort())
  assert.equal(Object.keys(body.best).sort(), bestFields.toSorted())
  assert.equal(Object.keys(body.proxyTx).sort(), ['data', 'minOut', 'to', 'value'])
  assert.equal(Object.keys(body.tracking).sort(), ['clientId', 'dryRun', 'requestId'])
  for (const amount of [body.best.amountIn, body.best.amountOut, body.best.value])
    assert.match(amount, /^\d+$/)
  for (const amount of [body.proxyTx.value, body.proxyTx.minOut]) assert.match(amount, /^\d+$/)
  const { gasEstimate, taxInBps, taxOutBps } = body.best
  for (const count of [gasEstimate, taxInBps, taxOutBps, body.dispatched, body.elapsedMs])
    assert.ok(Number.isSafeInteger(count))
})

s('shows what each quote was ranked by, where it is known [meta/ranked-by]', async () => {
  const read = async (change: Record<string, unknown> = {}) => {
    const { body } = await post(change)
    return body.quotes.map(({ provider, netAmountOut, gasCost, l1FeeWei }: RankedFields) => ({
      provider,
      netAmountOut,
      gasCost,
      l1FeeWei,
    }))
  }
  const nothing = { netAmountOut: undefined, gasCost: undefined, l1FeeWei: undefined }
  assert.equal(await read(), [
    { provider: 'b', ...nothing },
    { provider: 'a', ...nothing },
  ])
  gasPrice = { tokenAmount: 1n, perWei: 1_000n, gasPriceWei: 1n, l1FeeWei: { b: 200_000n } }
  assert.equal(await read(), [
    { provider: 'a', netAmountOut: '900', gasCost: '100', l1FeeWei: '0' },
    { provider: 'b', netAmountOut: '800', gasCost: '300', l1FeeWei: '200000' },
  ])
  assert.equal(await read({ dryRun: true }), [
    { provider: 'a', netAmountOut: '910', gasCost: '90', l1FeeWei: '0' },
    { provider: 'b', netAmountOut: '670', gasCost: '280', l1FeeWei: '200000' },
  ])
  gasPrice = { ...gasPrice, gasPriceWei: 20n, l1FeeWei: undefined }
  assert.equal(await read(), [
    { provider: 'b', netAmountOut: '-900', gasCost: '2000', l1FeeWei: undefined },
    { provider: 'a', netAmountOut: '-1000', gasCost: '2000', l1FeeWei: undefined },
  ])
})

s(
  'takes the fields of a stream along, and has no catalog of tokens [meta/no-catalog]',
  async () => {
    const more = { keepAliveMs: 1_000, refreshIntervalMs: 1_000, firstN: 1, mustInclude: ['a'] }
    assert.is((await post(more)).status, 200)
    assert.is((await fetch(`${server.url}/api/tokens`)).status, 404)
  },
)

s('moves best to the winner of the simulation [meta/winner]', async () => {
  const { body } = await post({ dryRun: true })
  assert.is(body.best.provider, 'a')
  assert.is(body.simulation.winnerProviderId, 'a')
  assert.is(body.simulation.blockNumber, 7)
  assert.is(body.simulation.ranking, 'gross')
  assert.equal(body.best.simulation, {
    status: 'success',
    actualOutput: '1000',
    accuracyBps: 10_000,
    gasUsed: 90_000,
    blockNumber: 7,
  })
  assert.is(body.quotes[1].simulation.accuracyBps, 8_636)
  assert.is(simulated.length, 1)
})

const states: [name: string, result: CandidateResult | undefined, status: string][] = [
  ['a revert', { status: 'simulation_failed', reason: 'STF' }, 'reverted'],
  [
    'an unknown balance slot',
    { status: 'simulation_unavailable', reason: 'x', cause: 'slot_not_found' },
    'slotNotFound',
  ],
  [
    'an RPC error',
    { status: 'simulation_unavailable', reason: 'x', cause: 'rpc_error' },
    'rpcError',
  ],
]
for (const [name, result, status] of states)
  s(`names ${name} ${status}, and best is another [meta/states]`, async () => {
    if (result) results = { ...results, b: result }
    const { body } = await post({ dryRun: true })
    const b = body.quotes.find((quote: { provider: string }) => quote.provider === 'b')
    assert.is(b.simulation.status, status)
    assert.is(body.best.provider, 'a')
  })

s(
  'names a chain without a simulator notConfigured and still ranks [meta/not-configured]',
  async () => {
    dryRun = undefined
    const { status, body } = await post({ dryRun: true })
    assert.is(status, 200)
    assert.is(body.best.simulation.status, 'notConfigured')
    assert.is(body.simulation.winnerProviderId, undefined)
  },
)

s('names a simulator that cannot be reached rpcError [meta/rpc-error]', async () => {
  dryRun = () => Promise.reject(new Error('down'))
  const { body } = await post({ dryRun: true })
  assert.is(body.best.simulation.status, 'rpcError')
})

s('has no best when everything reverts [meta/all-revert]', async () => {
  const reverted: CandidateResult = { status: 'simulation_failed', reason: 'no' }
  results = { a: reverted, b: reverted }
  const { status, body } = await post({ dryRun: true })
  assert.is(status, 200)
  assert.is(body.best, null)
  assert.is(body.quotes.length, 2)
})

s('says where callers read it what its answers may surprise with [meta/described]', async () => {
  const response = await fetch(`${server.url}/openapi.json`)
  const document = withoutReferences((await response.json()) as OpenApi)
  const quote = document.paths['/quote']?.post.description ?? ''
  assert.match(quote, 'every quote reverts')
  assert.match(quote, '200 with quotes and `best: null`')
  const stream = document.paths['/quote/stream']?.post
  assert.match(stream?.description ?? '', 'Only refreshIntervalMs repeats the dispatch')
  const fields = stream?.requestBody.content['application/json'].schema.properties
  assert.match(fields?.['keepAliveMs']?.description ?? '', 'needs refreshIntervalMs')
})

s('adds proxyTx whose value and minOut are what its calldata encodes [meta/proxy]', async () => {
  const { body } = await post({ proxyAddress: proxy, slippageBps: 100 })
  assert.is(body.proxyTx.to, proxy)
  assert.is(body.proxyTx.value, '0')
  assert.is(body.proxyTx.minOut, '1089')
  const { args, functionName } = decodeFunctionData({
    abi: userProxyV6.abi,
    data: body.proxyTx.data,
  })
  assert.is(functionName, 'execute')
  const swap = args?.[0] as { minOut: bigint; target: string; amountIn: bigint; data: string }
  assert.is(swap.minOut, 1_089n)
  assert.is(swap.amountIn, 1_000_000n)
  assert.is(swap.target, router)
  assert.is(swap.data, body.best.calldata)
})

s(
  'simulates through a proxy that is deployed, and directly before it is [meta/through-proxy]',
  async () => {
    await post({ proxyAddress: proxy, dryRun: true })
    isProxyDeployed = true
    await post({ proxyAddress: proxy, dryRun: true })
    assert.equal(
      simulated.map(({ candidates }) => [candidates[0]?.target, candidates[0]?.taker]),
      [
        [router, proxy],
        [proxy, taker],
      ],
    )
  },
)

s('asks sources for the proxy as sender and the taker as recipient', async () => {
  const source = scriptSource({ name: 'a', answer: answerQuote() })
  sources = [source]
  await post({ proxyAddress: proxy })
  assert.is(source.requests[0]?.sender, proxy)
  assert.is(source.requests[0]?.recipient, taker)
})

s('answers 502 with failures when no source gives a quote [meta/502]', async () => {
  sources = [
    scriptSource({ name: 'a', answer: fail('rate_limited') }),
    scriptSource({ name: 'b', answer: answerQuote({ provider: 'b', target: usdc }) }),
  ]
  const { status, body } = await post()
  assert.is(status, 502)
  assert.is(body.code, 'no_quotes')
  assert.equal(body.failures, [
    { provider: 'a', reason: 'rate_limited' },
    { provider: 'b', reason: 'target_not_allowed: the target is one of the tokens' },
  ])
  assert.is(typeof body.requestId, 'string')
})

s('strict keeps only what a simulation proved [meta/strict]', async () => {
  results = { ...results, b: { status: 'simulation_failed', reason: 'STF' } }
  const { body } = await post({ calldataPolicy: 'strict' })
  assert.is(body.calldataPolicy, 'strict')
  assert.is(body.best.provider, 'a')
  assert.is(body.quotes.length, 1)
  assert.equal(body.failures.at(-1), {
    provider: 'c',
    reason: 'no_route',
  })
  assert.ok(
    body.failures.some(
      (f: { reason: string }) => f.reason === 'calldata_mismatch: simulation: STF',
    ),
  )
})

s('strict refuses a payload that delivers less than the bound [meta/strict-bound]', async () => {
  results = { a: { status: 'ok', amountOut: 994n, gasUsed: 1n } }
  sources = [sources[0] as Source]
  const { status, body } = await post({ calldataPolicy: 'strict' })
  assert.is(status, 502)
  assert.is(body.failures[0].reason, 'calldata_mismatch: delivers 994, less than 995')
})

s('answers an exact output with the least input [meta/exact-output]', async () => {
  const trade = { amountOut: 500n, minAmountOut: 500n }
  const quote = (provider: string, amountIn: bigint) =>
    ({
      status: 'quote',
      quote: { ...makeQuote({ provider, ...trade }), amountIn, maxAmountIn: amountIn },
    }) as const
  sources = [
    scriptSource({ name: 'a', answer: quote('a', 900n) }),
    scriptSource({ name: 'b', answer: quote('b', 880n) }),
  ]
  results = {
    a: { status: 'ok', amountOut: 500n, gasUsed: 1n },
    b: { status: 'ok', amountOut: 500n, gasUsed: 1n },
  }
  const { status, body } = await post({
    amountIn: undefined,
    quoteType: 'exactOutput',
    targetOut: '500',
    maxIn: '1000',
    calldataPolicy: 'strict',
  })
  assert.is(status, 200, JSON.stringify(body))
  assert.is(body.best.provider, 'b')
  assert.is(body.best.amountIn, '880')
  assert.is(body.quoteType, 'exactOutput')
})

const exact = { quoteType: 'exactOutput', targetOut: '5', maxIn: '9', calldataPolicy: 'strict' }
const bad: [name: string, change: Record<string, unknown>, sentence: RegExp][] = [
  ['no amountIn', { amountIn: undefined }, /^amountIn is required$/],
  ['no taker', { taker: undefined }, /^taker is required$/],
  ['a zero taker', { taker: `0x${'0'.repeat(40)}` }, /^taker must not be the zero address$/],
  ['an amount of zero', { amountIn: '0' }, /^amountIn must be/],
  ['a negative amount', { amountIn: '-5' }, /^amountIn must be/],
  ['a number', { amountIn: 5 }, /^amountIn must be a string$/],
  ['another chain', { chainId: 1 }, /^chainId must be one of/],
  ['identical tokens', { tokenOut: usdc.toLowerCase() }, /^tokenOut must differ from tokenIn$/],
  [
    'two spellings of native',
    { tokenIn: `0x${'0'.repeat(40)}`, tokenOut: `0x${'e'.repeat(40)}` },
    /^tokenOut must differ/,
  ],
  ['a bad address', { tokenIn: '0x12' }, /^tokenIn must be/],
  ['slippage above 100 %', { slippageBps: 10_001 }, /^slippageBps must be/],
  ['an unknown quoteType', { quoteType: 'both' }, /^quoteType must be one of/],
  ['an unknown policy', { calldataPolicy: 'lax' }, /^calldataPolicy must be one of/],
  ['a dryRun that is no boolean', { dryRun: 'yes' }, /^dryRun must be true or false$/],
  ['targetOut with exactInput', { targetOut: '5' }, /^targetOut is accepted only for exactOutput$/],
  ['exactOutput with amountIn', exact, /^amountIn is accepted only for exactInput$/],
  [
    'exactOutput without maxIn',
    { ...exact, amountIn: undefined, maxIn: undefined },
    /^maxIn is required/,
  ],
  [
    'exactOutput without strict',
    { ...exact, amountIn: undefined, calldataPolicy: undefined },
    /^calldataPolicy must be strict for exactOutput$/,
  ],
  [
    'exactOutput with a relaxed guard',
    { ...exact, amountIn: undefined, relaxedProviderMinReturn: true },
    /^relaxedProviderMinReturn is accepted only for exactInput$/,
  ],
]
for (const [name, change, sentence] of bad)
  s(`refuses ${name} with 400 and one sentence [meta/malformed]`, async () => {
    const { status, body } = await post(change)
    assert.is(status, 400, JSON.stringify(body))
    assert.match(body.error, sentence)
    assert.is(body.code, 'invalid_request')
  })

s.run()
