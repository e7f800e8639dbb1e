import { makeRequest, taker, usdc } from '../../fixtures/meta/quotes.ts'
import { readRecorded, usdcToWeth } from '../../fixtures/providers/bodies.ts'
import { answerRecorded, startRecordingServer } from '../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { checkQuote } from './checkQuote.ts'
import { providers, providerTargets, startProviders } from './providers.ts'
import { nativeToken, type SourceOutcome, type SourceRequest } from './source.ts'

/** What providers may do wrong: each is a failure with its fixed word, never a quote, never a throw. */
const s = suite('meta/providerFaults')
const server = await startRecordingServer()
const running = startProviders(
  { now: () => 1_770_000_000_000, gasPriceWei: async () => 5_000_000n },
  {
    settings: providers.map(({ name }) => ({
      name,
      key: name === 'okx' ? 'id:secret:pass' : `key-of-${name}`,
      baseUrl: `${server.url}/${name}`,
    })),
    allowPrivate: true,
  },
)
s.after(async () => {
  await Promise.all(running.map(({ http }) => http.close()))
  await server.close()
})
s.before.each(() => {
  server.calls.length = 0
})

const signal = new AbortController().signal
const proxy = '0x4444444444444444444444444444444444444444'
const toWeth = makeRequest({ trade: { type: 'exactInput', amountIn: 500_000_000n }, sender: proxy })
const fromEth = makeRequest({
  tokenIn: nativeToken,
  tokenOut: usdc,
  trade: { type: 'exactInput', amountIn: 10n ** 18n },
})
function ask(name: string, request: SourceRequest): Promise<SourceOutcome> {
  const found = running.find(({ provider }) => provider.name === name)
  if (!found) throw new Error(`no provider ${name}`)
  return found.source.quote(request, { signal, onRetry: () => undefined })
}

/** Failures that come in a body, several with HTTP 200. */
const refusals: [name: string, status: number, body: unknown, reason: string][] = [
  ['0x', 200, { liquidityAvailable: false, zid: '0x1' }, 'no_route'],
  ['0x', 400, { name: 'TOKEN_NOT_SUPPORTED', message: 'no' }, 'unsupported_token'],
  ['1inch', 400, (readRecorded('not-found') as Record<string, unknown>)['1inch'], 'no_route'],
  ['kyberswap', 400, { code: 4008, message: 'route not found' }, 'no_route'],
  ['kyberswap', 200, { code: 4011, message: 'token not found' }, 'unsupported_token'],
  ['velora', 400, (readRecorded('not-found') as Record<string, unknown>)['velora'], 'no_route'],
  ['velora', 200, { error: 'No routes found with enough liquidity' }, 'no_route'],
  ['openocean', 200, { code: 400, error: 'no liquidity' }, 'no_route'],
  ['lifi', 404, { code: 1002, message: 'No available quotes', errors: {} }, 'no_route'],
  ['lifi', 429, { code: 1005, message: 'rate limit' }, 'rate_limited'],
  ['relay', 400, { message: 'no', errorCode: 'NO_SWAP_ROUTES_FOUND' }, 'no_route'],
  ['bebop', 200, { error: { errorCode: 102, message: 'Insufficient liquidity' } }, 'no_route'],
  ['bebop', 200, { error: { errorCode: 111, message: 'rate' } }, 'rate_limited'],
  ['enso', 400, { message: ['no route'], statusCode: 400 }, 'no_route'],
  [
    'uniswap-api',
    404,
    { errorCode: 'ResourceNotFound', detail: 'No quotes available' },
    'no_route',
  ],
  ['uniswap-api', 429, { errorCode: 'Ratelimited', detail: 'slow down' }, 'rate_limited'],
  ['fly', 400, { message: 'No route' }, 'no_route'],
  ['sushi', 200, { status: 'NoWay' }, 'no_route'],
  ['okx', 200, { code: '82000', msg: 'Insufficient liquidity', data: [] }, 'no_route'],
  ['okx', 200, { code: '50011', msg: 'Too Many Requests', data: [] }, 'rate_limited'],
  ['cow', 404, { errorType: 'NoLiquidity', description: 'no route found' }, 'no_route'],
]
for (const [name, status, body, reason] of refusals)
  s(`${name}: ${status} ${JSON.stringify(body).slice(0, 60)} is ${reason}`, async () => {
    server.answerWith(() => ({ status, body }))
    const outcome = await ask(name, name === 'lifi' ? fromEth : toWeth)
    assert.is(outcome.status === 'failure' && outcome.reason, reason, JSON.stringify(outcome))
  })

/** Faults that any of them may show. */
const faults: [
  name: string,
  answer: { status?: number; body?: unknown; headers?: Record<string, string> },
  reason: string,
][] = [
  ['garbage', { body: 'not json' }, 'invalid_response'],
  [
    'HTML',
    { body: '<html>hello</html>', headers: { 'content-type': 'text/html' } },
    'invalid_response',
  ],
  ['an empty object', { body: {} }, 'invalid_response'],
  ['null', { body: null }, 'invalid_response'],
  ['a list', { body: [] }, 'invalid_response'],
  ['a huge body', { body: 'x'.repeat(3_000_000) }, 'invalid_response'],
  [
    'a redirect',
    { status: 302, headers: { location: 'http://169.254.169.254/' } },
    'invalid_response',
  ],
  ['500 with HTML', { status: 500, body: '<html>' }, 'upstream_error'],
  ['503', { status: 503, body: '' }, 'upstream_error'],
  ['429', { status: 429, body: '', headers: { 'retry-after': '7' } }, 'rate_limited'],
  ['401', { status: 401, body: '' }, 'not_configured'],
]
for (const [fault, answer, reason] of faults)
  s(`${fault} is ${reason} from every provider, never a throw`, async () => {
    server.answerWith(() => answer)
    for (const { name } of providers) {
      const request = name === 'lifi' ? fromEth : toWeth
      const outcome = await ask(name, request)
      assert.is(
        outcome.status === 'failure' && outcome.reason,
        reason,
        `${name} ${JSON.stringify(outcome)}`,
      )
      if (outcome.status === 'failure' && fault === '429') assert.is(outcome.retryAfterMs, 7_000)
    }
  })

s('a reset connection is a transient upstream_error without an address', async () => {
  const closed = await startRecordingServer()
  const [only] = startProviders(
    { now: Date.now, gasPriceWei: async () => 1n },
    { settings: [{ name: 'velora', baseUrl: closed.url }], allowPrivate: true },
  )
  await closed.close()
  const outcome = await only?.source.quote(toWeth, { signal, onRetry: () => undefined })
  assert.equal(outcome, {
    status: 'failure',
    reason: 'upstream_error',
    detail: 'connection: ECONNREFUSED',
    transient: true,
  })
  await only?.http.close()
})

/** Answers for another chain, another token, nothing at all, or calldata that is no swap. */
const lies: [name: string, change: (body: never) => unknown, reason: string][] = [
  [
    'velora',
    (b: { priceRoute: object }) => ({ ...b, priceRoute: { ...b.priceRoute, network: 1 } }),
    'invalid_response',
  ],
  [
    'velora',
    (b: { priceRoute: object }) => ({ ...b, priceRoute: { ...b.priceRoute, destToken: usdc } }),
    'invalid_response',
  ],
  ['0x', (b: object) => ({ ...b, buyToken: usdc }), 'invalid_response'],
  ['0x', (b: object) => ({ ...b, buyAmount: '0', minBuyAmount: '0' }), 'invalid_response'],
  ['0x', (b: object) => ({ ...b, buyAmount: '-5' }), 'invalid_response'],
  ['0x', (b: object) => ({ ...b, buyAmount: 1.5 }), 'invalid_response'],
  [
    '0x',
    (b: { transaction: object }) => ({ ...b, transaction: { ...b.transaction, to: usdc } }),
    'target_not_allowed',
  ],
  [
    '0x',
    (b: { transaction: object }) => ({
      ...b,
      transaction: { ...b.transaction, data: `0xa9059cbb${'00'.repeat(64)}` },
    }),
    'calldata_mismatch',
  ],
  [
    '0x',
    (b: { transaction: object }) => ({ ...b, transaction: { ...b.transaction, value: '1' } }),
    'calldata_mismatch',
  ],
  ['0x', (b: object) => ({ ...b, allowanceTarget: taker }), 'target_not_allowed'],
  [
    '0x',
    (b: { transaction: object }) => ({ ...b, transaction: { ...b.transaction, data: '0x' } }),
    'invalid_response',
  ],
  ['nordstern', (b: object) => ({ ...b, dst: usdc }), 'invalid_response'],
  ['nordstern', (b: object) => ({ ...b, fromAmount: '1' }), 'invalid_response'],
]
for (const [name, change, reason] of lies)
  s(`${name}: ${String(change).slice(0, 90)} is ${reason}`, async () => {
    const bodies = usdcToWeth()[name] ?? {}
    const [[path, body] = ['', {}]] = Object.entries(bodies)
    server.answerWith(answerRecorded({ [name]: { [path]: change(body as never) } }))
    const outcome = await ask(name, toWeth)
    const failure =
      outcome.status === 'quote'
        ? checkQuote(
            { targets: providerTargets, policy: 'standard' },
            { quote: outcome.quote, request: toWeth },
          )
        : outcome
    assert.is(failure && 'reason' in failure && failure.reason, reason, JSON.stringify(failure))
  })

s('an abort closes the socket of the provider at once', async () => {
  server.answerWith(() => ({ delayMs: 'never' }))
  const leaving = new AbortController()
  const before = server.aborted()
  const asked = running.map(({ source }) =>
    source.quote(toWeth, { signal: leaving.signal, onRetry: () => undefined }).catch(() => 'left'),
  )
  const deadline = performance.now() + 2_000
  const until = async (condition: () => boolean) => {
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`open: ${server.open()}`)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  // OKX opens two; LI.FI, like all others, one.
  await until(() => server.open() === providers.length + 1)
  const left = performance.now()
  leaving.abort()
  await until(() => server.open() === 0)
  assert.ok(performance.now() - left < 50)
  assert.is(server.aborted() - before, providers.length + 1)
  await Promise.all(asked)
})

s('refuses base URLs that are not public and https, unless allowed', async () => {
  const start = (baseUrl: string) => () =>
    startProviders(
      { now: Date.now, gasPriceWei: async () => 1n },
      { settings: [{ name: 'velora', baseUrl }], allowPrivate: false },
    )
  for (const url of [
    'http://api.paraswap.io',
    'https://127.0.0.1',
    'https://[::1]/',
    'https://10.0.0.1',
    'https://[::ffff:10.0.0.1]',
    'https://user:key@api.paraswap.io',
  ])
    assert.throws(start(url), /base URL/, url)
  const [local] = start('https://localhost')()
  const outcome = await local?.source.quote(toWeth, { signal, onRetry: () => undefined })
  assert.equal(outcome, {
    status: 'failure',
    reason: 'upstream_error',
    detail: 'connection: EPRIVATE',
    transient: false,
  })
  await local?.http.close()
})

s('is not configured without the key that it needs', async () => {
  const [keyless] = startProviders(
    { now: Date.now, gasPriceWei: async () => 1n },
    { settings: [{ name: '0x', baseUrl: server.url }], allowPrivate: true },
  )
  const outcome = await keyless?.source.quote(toWeth, { signal, onRetry: () => undefined })
  assert.is(outcome?.status === 'failure' && outcome.reason, 'not_configured')
  await keyless?.http.close()
})

s.run()
