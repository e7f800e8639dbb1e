import { bareChain, makeRequest, taker, usdc } from '../../fixtures/meta/quotes.ts'
import { ethToUsdc, readRecorded, usdcToWeth } from '../../fixtures/providers/bodies.ts'
import { answerRecorded, startRecordingServer } from '../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { checkQuote } from './calldata/checkQuote.ts'
import {
  type FailureReason,
  nativeToken,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from './provider/source.ts'
import { providers, providerTargets, startProviders, targetsOf } from './sources/providers.ts'

/** What providers may do wrong: each is a failure with its fixed word, never a quote, never a throw. */
const s = suite('meta/providerFaults')
const server = await startRecordingServer()
/** A provider may ask for a pause; by the next question it is over. */
let nowMs = 1_770_000_000_000
const running = startProviders(
  { now: () => nowMs, gasPriceWei: async () => 5_000_000n },
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
/** Also of those that have no list: switched on by name. */
const lists = targetsOf(
  [],
  providers.map(({ name }) => name),
)
const proxy = '0x4444444444444444444444444444444444444444'
const toWeth = makeRequest({ trade: { type: 'exactInput', amountIn: 500_000_000n }, sender: proxy })
const fromEth = makeRequest({
  tokenIn: nativeToken,
  tokenOut: usdc,
  trade: { type: 'exactInput', amountIn: 10n ** 18n },
})
function ask(name: string, request: SourceRequest): Promise<SourceOutcome> {
  nowMs += 2 * 3_600_000
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
  s(`${fault} is ${reason} from every provider, never a throw [meta/reasons]`, async () => {
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
            { ...bareChain, targets: lists, policy: 'standard' },
            { quote: outcome.quote, request: toWeth },
          )
        : outcome
    assert.is(failure && 'reason' in failure && failure.reason, reason, JSON.stringify(failure))
  })

/** Everything of a body that `matches`, at any depth, replaced by `value` in its own type. */
function replaceLeaves(body: unknown, matches: (leaf: string) => boolean, value: string): unknown {
  if (Array.isArray(body)) return body.map((entry) => replaceLeaves(entry, matches, value))
  if (typeof body === 'object' && body !== null)
    return Object.fromEntries(
      Object.entries(body).map(([key, entry]) => [key, replaceLeaves(entry, matches, value)]),
    )
  if (typeof body !== 'string' && typeof body !== 'number') return body
  if (!matches(String(body).toLowerCase())) return body
  return typeof body === 'number' ? Number(value) : value
}

const thief = '0x6666666666666666666666666666666666666666'
/** What a provider may change in its own honest answer, and the word for it. */
const attacks: [
  attack: string,
  of: (quote: SourceQuote) => string,
  value: string,
  reason: FailureReason,
][] = [
  ['an output of zero', ({ amountOut }) => `${amountOut}`, '0', 'invalid_response'],
  ['another target', ({ target }) => target, thief, 'target_not_allowed'],
  ['another spender', ({ approveTarget }) => `${approveTarget}`, thief, 'target_not_allowed'],
  [
    'a transfer for a payload',
    ({ calldata }) => calldata,
    `0xa9059cbb${'00'.repeat(64)}`,
    'calldata_mismatch',
  ],
  [
    'an approval for a payload',
    ({ calldata }) => calldata,
    `0x095ea7b3${'00'.repeat(64)}`,
    'calldata_mismatch',
  ],
]
type Bodies = Readonly<Record<string, unknown>>
const traded: readonly (readonly [name: string, bodies: Bodies, request: SourceRequest])[] = [
  ...Object.entries(usdcToWeth())
    .filter(([name]) => name !== 'cow')
    .map(([name, bodies]) => [name, bodies, toWeth] as const),
  ['lifi', ethToUsdc()['lifi'] ?? {}, fromEth],
]
/** What comes of an answer, checked as under the strict policy. */
async function judge(name: string, bodies: Bodies, request: SourceRequest) {
  server.answerWith(answerRecorded({ [name]: bodies }))
  const outcome = await ask(name, request)
  if (outcome.status !== 'quote') return { quote: undefined, failure: outcome }
  const { quote } = outcome
  const strict = { ...bareChain, targets: providerTargets, policy: 'strict' } as const
  return { quote, failure: checkQuote(strict, { quote, request }) }
}
const change = (bodies: Bodies, leaf: string, value: string): Bodies =>
  Object.fromEntries(
    Object.entries(bodies).map(([path, body]) => [
      path,
      replaceLeaves(body, (other) => other === leaf.toLowerCase(), value),
    ]),
  )
for (const [attack, of, value, reason] of attacks)
  s(`${attack} is ${reason} from every provider [meta/hostile]`, async () => {
    for (const [name, bodies, request] of traded) {
      const { quote } = await judge(name, bodies, request)
      if (!quote) throw new Error(`${name} has no honest quote`)
      // The native currency needs no spender.
      if (of(quote) === 'undefined') continue
      const { failure } = await judge(name, change(bodies, of(quote), value), request)
      const found = failure && 'reason' in failure && failure.reason
      assert.is(found, reason, `${name}: ${JSON.stringify(failure)}`)
    }
  })

s(
  'another token than the asked one is no quote of any provider that names it [meta/wrong-token]',
  async () => {
    for (const [name, bodies, request] of traded) {
      const changed = change(bodies, request.tokenOut, thief)
      if (JSON.stringify(changed) === JSON.stringify(bodies)) continue
      const { failure } = await judge(name, changed, request)
      const found = failure && 'reason' in failure && failure.reason
      assert.is(found, 'invalid_response', name)
    }
  },
)

s(
  'another chain than the asked one is no quote of any provider that names it [meta/wrong-chain]',
  async () => {
    for (const [name, bodies, request] of traded) {
      const changed = change(bodies, '8453', '42161')
      if (JSON.stringify(changed) === JSON.stringify(bodies)) continue
      const { failure } = await judge(name, changed, request)
      const found = failure && 'reason' in failure && failure.reason
      assert.is(found, 'invalid_response', name)
    }
  },
)

s('an abort closes the socket of the provider at once [meta/abort-socket]', async () => {
  server.answerWith(() => ({ delayMs: 'never' }))
  const leaving = new AbortController()
  const before = server.aborted()
  nowMs += 2 * 3_600_000
  const asked = running.map(({ source }) =>
    source.quote(toWeth, { signal: leaving.signal, onRetry: () => undefined }).catch(() => 'left'),
  )
  const within = { deadlineMs: 30_000, everyMs: 1 }
  // OKX opens two; LI.FI, like all others, one.
  await waitFor('all are asked', () => server.open() === providers.length + 1, within)
  leaving.abort()
  await waitFor('all are closed', () => server.open() === 0, within)
  assert.is(server.aborted() - before, providers.length + 1)
  await Promise.all(asked)
})

s('refuses base URLs that are not public and https, unless allowed [meta/ssrf]', async () => {
  const start = (baseUrl: string) => () =>
    startProviders(
      { now: Date.now, gasPriceWei: async () => 1n },
      { settings: [{ name: 'velora', baseUrl }], allowPrivate: false },
    )
  for (const url of ['http://api.paraswap.io', 'https://127.0.0.1', 'https://[::ffff:10.0.0.1]'])
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

s('is not configured without the key that it needs [meta/no-key]', async () => {
  const [keyless] = startProviders(
    { now: Date.now, gasPriceWei: async () => 1n },
    { settings: [{ name: '0x', baseUrl: server.url }], allowPrivate: true },
  )
  const outcome = await keyless?.source.quote(toWeth, { signal, onRetry: () => undefined })
  assert.is(outcome?.status === 'failure' && outcome.reason, 'not_configured')
  await keyless?.http.close()
})

s.run()
