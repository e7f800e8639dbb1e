import { bareChain, makeRequest, taker, usdc } from '../../../fixtures/meta/quotes.ts'
import { ethToUsdc, readRecorded, usdcToWeth } from '../../../fixtures/providers/bodies.ts'
import { made } from '../../../fixtures/providers/made.ts'
import {
  answerRecorded,
  type ProviderCall,
  startRecordingServer,
} from '../../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { checkQuote } from '../calldata/checkQuote.ts'
import {
  nativeToken,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from '../provider/source.ts'
import { providers, providerTargets, startProviders, targetsOf } from './providers.ts'

/** Contract tests: what we ask each provider, and what we make of its recorded or documented bodies. */
const s = suite('meta/providers')
const server = await startRecordingServer()
const nowMs = 1_770_000_000_000
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
  const found = running.find(({ provider }) => provider.name === name)
  if (!found) throw new Error(`no provider ${name}`)
  return found.source.quote(request, { signal, onRetry: () => undefined })
}
function quoteOf(outcome: SourceOutcome): SourceQuote {
  if (outcome.status !== 'quote') throw new Error(JSON.stringify(outcome))
  return outcome.quote
}

/** 500 USDC to WETH: what each quote says, and what was asked for. */
const out = 255_000_000_000_000_000n
const sells: [
  name: string,
  amountOut: bigint,
  minAmountOut: bigint,
  asked: (calls: readonly ProviderCall[]) => readonly [given: unknown, expected: unknown],
][] = [
  [
    '0x',
    256570958203930419n,
    254005248621890700n,
    ([c]) => [
      [
        c?.query['sellAmount'],
        c?.query['taker'],
        c?.query['recipient'],
        c?.query['slippageBps'],
        c?.headers['0x-version'],
        c?.headers['0x-api-key'],
      ],
      ['500000000', proxy, taker, '50', 'v2', 'key-of-0x'],
    ],
  ],
  [
    '1inch',
    out,
    (out * 9950n) / 10000n,
    ([c]) => [
      [
        c?.query['slippage'],
        c?.query['from'],
        c?.query['origin'],
        c?.query['receiver'],
        c?.headers.authorization,
      ],
      ['0.5', proxy, taker, taker, 'Bearer key-of-1inch'],
    ],
  ],
  [
    'kyberswap',
    out,
    (out * 9950n) / 10000n,
    ([, c]) => {
      const { routeSummary, slippageTolerance, deadline } = JSON.parse(c?.body ?? '')
      return [
        [routeSummary, slippageTolerance, deadline],
        [made.kyberRoutes.data.routeSummary, 50, nowMs / 1_000 + 1_200],
      ]
    },
  ],
  [
    'velora',
    254925067249422958n,
    (254925067249422958n * 9950n) / 10000n,
    ([c]) => [
      [
        c?.query['side'],
        c?.query['slippage'],
        c?.query['version'],
        c?.query['receiver'],
        c?.query['includeContractMethods'],
      ],
      ['SELL', '50', '6.2', taker, 'swapExactAmountIn'],
    ],
  ],
  [
    'openocean',
    out,
    253725000000000000n,
    ([c]) => [
      [c?.query['amountDecimals'], c?.query['gasPriceDecimals'], c?.query['slippage']],
      ['500000000', '5000000', '0.5'],
    ],
  ],
  [
    'relay',
    out,
    253725000000000000n,
    ([c]) => [
      [JSON.parse(c?.body ?? '').slippageTolerance, JSON.parse(c?.body ?? '').tradeType],
      ['50', 'EXACT_INPUT'],
    ],
  ],
  [
    'bebop',
    out,
    out,
    ([c]) => [
      [c?.query['gasless'], c?.query['sell_amounts'], c?.query['receiver_address']],
      ['false', '500000000', taker],
    ],
  ],
  [
    'fabric',
    255060728005273349n,
    252510120725220616n,
    ([c]) => [
      [c?.query['sellAmount'], c?.query['slippageBps']],
      ['500000000', '50'],
    ],
  ],
  [
    'enso',
    out,
    253725000000000000n,
    ([c]) => [
      [c?.query['slippage'], c?.query['routingStrategy']],
      ['50', 'router'],
    ],
  ],
  [
    'uniswap-api',
    out,
    (out * 9950n) / 10000n,
    ([q, c]) => [
      [
        JSON.parse(q?.body ?? '').slippageTolerance,
        c?.headers['x-permit2-disabled'],
        Object.keys(JSON.parse(c?.body ?? '')),
      ],
      [0.5, 'true', ['requestId', 'routing', 'quote']],
    ],
  ],
  [
    'nordstern',
    218514310279344794n,
    (218514310279344794n * 9950n) / 10000n,
    ([c]) => [c?.query['slippage'], '0.5'],
  ],
  [
    'fly',
    out,
    (out * 9950n) / 10000n,
    ([q, c]) => [
      [q?.query['network'], q?.query['slippage'], c?.query['quoteId']],
      ['base', '0.005', 'made-quote'],
    ],
  ],
  ['sushi', out, (out * 9950n) / 10000n, ([c]) => [c?.query['maxSlippage'], '0.005']],
  [
    'okx',
    out,
    253725000000000000n,
    ([c]) => [
      [c?.query['slippage'], typeof c?.headers['ok-access-sign']],
      ['0.005', 'string'],
    ],
  ],
]
for (const [name, amountOut, minAmountOut, asked] of sells)
  s(`${name}: 500 USDC to WETH in its own units [meta/normalized]`, async () => {
    server.answerWith(answerRecorded(usdcToWeth()))
    const quote = quoteOf(await ask(name, toWeth))
    assert.is(quote.provider, name)
    assert.is(quote.amountIn, 500_000_000n)
    assert.is(quote.amountOut, amountOut)
    assert.is(quote.minAmountOut, minAmountOut)
    assert.is(quote.value, 0n)
    assert.ok(quote.gasEstimate > 50_000n)
    const [given, expected] = asked(server.calls)
    assert.equal(given, expected)
    const policy = providerTargets.some((row) => row.provider === name) ? 'strict' : 'standard'
    assert.is(
      checkQuote({ ...bareChain, targets: lists, policy }, { quote, request: toWeth }),
      undefined,
    )
  })

const natives: [name: string, amountOut: bigint][] = [
  ['0x', 2052237020n],
  ['lifi', 2036811821n],
  ['nordstern', 2292280687n],
  ['relay', 2042291444n],
]
for (const [name, amountOut] of natives)
  s(`${name}: 1 ETH to USDC as it was recorded [meta/recorded-native]`, async () => {
    server.answerWith(answerRecorded(ethToUsdc()))
    const quote = quoteOf(await ask(name, fromEth))
    assert.is(quote.amountOut, amountOut)
    assert.is(quote.value, 10n ** 18n)
    assert.is(quote.approveTarget, undefined)
    assert.is(
      checkQuote({ ...bareChain, targets: lists, policy: 'standard' }, { quote, request: fromEth }),
      undefined,
    )
  })

s('okx and relay name a spender that is not their target [meta/spender]', async () => {
  server.answerWith(answerRecorded(usdcToWeth()))
  const okx = quoteOf(await ask('okx', toWeth))
  assert.is.not(okx.approveTarget, okx.target)
  const relay = quoteOf(await ask('relay', toWeth))
  assert.is(relay.approveTarget, '0xCcC88a9d1B4ED6b0EABA998850414b24f1c315bE')
})

s('0x reports taxes', async () => {
  const body = readRecorded('0x-usdc-weth') as Record<string, unknown>
  const tokenMetadata = { buyToken: { buyTaxBps: '300' }, sellToken: { sellTaxBps: '100' } }
  server.answerWith(() => ({ body: { ...body, tokenMetadata } }))
  const quote = quoteOf(await ask('0x', toWeth))
  assert.equal([quote.taxInBps, quote.taxOutBps], [100, 300])
})

s('cow is a price, never a quote [meta/price-only]', async () => {
  server.answerWith(answerRecorded(usdcToWeth()))
  assert.equal(await ask('cow', toWeth), {
    status: 'reference',
    amountOut: 254_000_000_000_000_000n,
  })
})

s('relaxes a guard as far as each provider takes it, and no further [meta/relaxed]', async () => {
  server.answerWith(answerRecorded(usdcToWeth()))
  const relaxed = { ...toWeth, relaxMinReturn: true }
  assert.is(quoteOf(await ask('kyberswap', relaxed)).minAmountOut, (out * 8_000n) / 10_000n)
  assert.is(quoteOf(await ask('sushi', relaxed)).minAmountOut, (out * 100n) / 10_000n)
  assert.is(quoteOf(await ask('bebop', relaxed)).minAmountOut, out)
  assert.is(server.calls.find(({ provider }) => provider === 'sushi')?.query['maxSlippage'], '0.99')
})

const exact = {
  ...toWeth,
  trade: { type: 'exactOutput', targetOut: out, maxIn: 600_000_000n },
} as const
s('asks for exact outputs where the provider has them [meta/provider-exact]', async () => {
  const bodies = usdcToWeth()
  const velora = readRecorded('velora-usdc-weth') as { priceRoute: object }
  server.answerWith(
    answerRecorded({
      ...bodies,
      velora: {
        '/swap': { ...velora, priceRoute: { ...velora.priceRoute, destAmount: `${out}` } },
      },
      fabric: { '/v1/quote': made.fabricExactOutput },
    }),
  )
  const expected: [name: string, maxAmountIn: bigint][] = [
    ['velora', 502_500_000n],
    ['fabric', 500_000_000n],
    ['relay', 502_500_000n],
    ['bebop', 500_000_000n],
    ['uniswap-api', 502_500_000n],
  ]
  for (const [name, maxAmountIn] of expected) {
    const quote = quoteOf(await ask(name, exact))
    assert.is(quote.amountOut, out, name)
    assert.is(quote.maxAmountIn, maxAmountIn, name)
  }
  const velorasCall = server.calls.find(({ provider }) => provider === 'velora')
  assert.is(velorasCall?.query['side'], 'BUY')
  assert.is(velorasCall?.query['amount'], `${out}`)
  assert.is(velorasCall?.query['includeContractMethods'], 'swapExactAmountOut')
})
s('says so where the provider has no exact output [meta/no-exact]', async () => {
  for (const { name, exactOutput } of providers)
    if (!exactOutput)
      assert.equal(await ask(name, exact), {
        status: 'failure',
        reason: 'unsupported_exact_output',
        detail: undefined,
      })
})
s('says so on a chain that the provider does not serve [meta/no-chain]', async () => {
  const outcome = await ask('velora', { ...toWeth, chainId: 1 })
  assert.is(outcome.status === 'failure' && outcome.reason, 'unsupported_chain')
})

s('lists contracts by chain, with those that the operator adds', () => {
  const added = '0x5555555555555555555555555555555555555555'
  const rows = targetsOf([{ name: 'fabric', contracts: { 42161: [added] } }])
  const on = (provider: string, chainId: number) =>
    rows.find((row) => row.provider === provider && row.chainId === chainId)?.targets
  assert.equal(on('lifi', 42161), on('lifi', 8453))
  assert.is.not(on('nordstern', 42161)?.[0], on('nordstern', 8453)?.[0])
  assert.is(on('nordstern', 42161)?.length, 1)
  assert.equal(on('fabric', 42161), [added])
  assert.is(
    providerTargets.some((row) => row.provider === 'fabric' && row.chainId === 42161),
    false,
  )
})

s.run()
