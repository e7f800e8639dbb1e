import { makeRequest, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { ethToUsdc, usdcToWeth } from '../../../fixtures/providers/bodies.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { nativeToken, type SourceOutcome, type SourceQuote } from '../provider/source.ts'
import { askProvider } from '../testing/askProvider.ts'

/** What is made of answers that are not to the question, or that leave out what may be left out. */
const s = suite('meta/foreignAnswers')
const strange = `0x${'99'.repeat(20)}`
const out = 255_000_000_000_000_000n
/** The guard that was asked for, where an answer has none of its own. */
const floorOf = (amountOut: bigint) => (amountOut * 9_950n) / 10_000n
type Bodies = Readonly<Record<string, Readonly<Record<string, unknown>>>>
const own: Bodies = {
  'remote-routing': {
    '/quote': {
      output: '1000',
      ['gas_estimate']: '90000',
      ['route_path']: 'a>b',
      ['tax_in_bps']: 1,
      ['tax_out_bps']: 2,
      ['route_executable']: true,
      execution: { spender: taker, target: weth, calldata: '0x12345678', value: '0' },
    },
  },
}
type Change = readonly [which: number, path: string, value: unknown]

/** With a field of the body set, or gone. */
function change(body: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(body)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let at = copy as Record<string, unknown>
  for (const key of keys) at = at[key] as Record<string, unknown>
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy
}

/** What a provider's answers, of which some are changed, come to: of LI.FI for 1 ETH to USDC. */
function answer(name: string, ...changes: readonly Change[]): Promise<SourceOutcome> {
  const isNativeIn = name === 'lifi'
  const recorded: Bodies = { ...usdcToWeth(), ...own, ...(isNativeIn && ethToUsdc()) }
  const bodies = Object.values(recorded[name] ?? {}).map((body, which) =>
    changes
      .filter(([of]) => of === which)
      .reduce((changed, [, path, value]) => change(changed, path, value), body),
  )
  const trade = { type: 'exactInput', amountIn: isNativeIn ? 10n ** 18n : 500_000_000n } as const
  const tokens = isNativeIn ? { tokenIn: nativeToken, tokenOut: usdc } : {}
  return askProvider(name, {
    request: makeRequest({ trade, ...tokens }),
    call: async ({ readError }) => {
      const body = bodies.shift()
      return readError?.(body) ?? { status: 'ok', body, text: JSON.stringify(body) }
    },
  })
}

const [chain, token] = ['the quote is for another chain', 'the quote is for another token']
const oneSwap = 'the quote is not one transaction'
const swapItem = { data: { to: strange, data: '0x12345678', value: '0', chainId: 8453 } }
const swapStep = { id: 'swap', items: [swapItem] }
const approveStep = usdcToWeth()['relay']?.['/quote/v2'] as { readonly steps: readonly unknown[] }
const [approve] = approveStep.steps
const refused: readonly (readonly [name: string, said: string, ...change: Change])[] = [
  ['0x', `invalid_response: ${token}`, 0, 'buyToken', strange],
  ['0x', 'no_route', 0, 'liquidityAvailable', false],
  ['0x', 'invalid_response: no transaction', 0, 'transaction', undefined],
  ['0x', 'invalid_response: no transaction', 0, 'buyAmount', undefined],
  [
    'kyberswap',
    'invalid_response: the route is for another token',
    0,
    'data.routeSummary.tokenOut',
    strange,
  ],
  ['velora', `invalid_response: ${chain}`, 0, 'priceRoute.network', 1],
  ['velora', `invalid_response: ${token}`, 0, 'priceRoute.destToken', strange],
  ['velora', `invalid_response: ${token}`, 0, 'priceRoute.srcToken', strange],
  ['relay', `invalid_response: ${chain}`, 0, 'details.currencyOut.currency.chainId', 1],
  ['relay', `invalid_response: ${token}`, 0, 'details.currencyOut.currency.address', strange],
  ['relay', 'invalid_response: the quote names no spender', 0, 'steps', [swapStep]],
  [
    'relay',
    'invalid_response: the quote names no spender',
    0,
    'steps',
    [{ id: 'approve', items: [] }, swapStep],
  ],
  [
    'relay',
    'invalid_response: the quote names no spender',
    0,
    'steps',
    [{ ...swapStep, id: 'approve' }, swapStep],
  ],
  ['relay', `invalid_response: ${oneSwap}`, 0, 'steps', [approve]],
  ['relay', `invalid_response: ${oneSwap}`, 0, 'steps', [approve, swapStep, swapStep]],
  [
    'relay',
    `invalid_response: ${oneSwap}`,
    0,
    'steps',
    [approve, { id: 'swap', items: [swapItem, swapItem] }],
  ],
  ['relay', `invalid_response: ${oneSwap}`, 0, 'steps', [approve, { id: 'swap', items: [] }]],
  ['relay', `invalid_response: ${oneSwap}`, 0, 'steps', [approve, { ...swapStep, id: 'bridge' }]],
  ['bebop', `invalid_response: ${chain}`, 0, 'chainId', 1],
  ['bebop', `invalid_response: ${token}`, 0, 'buyTokens', { [strange]: { amount: '5' } }],
  ['bebop', `invalid_response: ${token}`, 0, 'sellTokens', { [strange]: { amount: '5' } }],
  ['fabric', 'invalid_response: the quote is for other tokens', 0, 'tokens.0.address', strange],
  ['fabric', 'invalid_response: the quote is for other tokens', 0, 'tokens.1.address', strange],
  ['uniswap-api', `invalid_response: ${chain}`, 0, 'quote.chainId', 1],
  ['uniswap-api', `invalid_response: ${token}`, 0, 'quote.output.token', strange],
  ['uniswap-api', 'no_route: routing DUTCH_V2', 0, 'routing', 'DUTCH_V2'],
  ['uniswap-api', 'invalid_response: the transaction is for another chain', 1, 'swap.chainId', 1],
  ['nordstern', `invalid_response: ${token}`, 0, 'dst', strange],
  ['fly', 'invalid_response: the transaction is for another chain', 1, 'chainId', 1],
  [
    'okx',
    `invalid_response: ${token}`,
    0,
    'data.0.routerResult.toToken.tokenContractAddress',
    strange,
  ],
  ['cow', `invalid_response: ${token}`, 0, 'quote.buyToken', strange],
  ['lifi', `invalid_response: ${chain}`, 0, 'action.toToken.chainId', 1],
  ['lifi', `invalid_response: ${token}`, 0, 'action.toToken.address', strange],
  ['remote-routing', 'no_route: not executable', 0, 'route_executable', false],
  ['remote-routing', 'no_route: not executable', 0, 'execution', undefined],
]
for (const [name, said, ...changed] of refused)
  s(`${name}: ${changed[1]} ${JSON.stringify(changed[2])?.slice(0, 60)} is ${said}`, async () => {
    const outcome = await answer(name, changed)
    const { reason, detail } = outcome as Extract<SourceOutcome, { readonly status: 'failure' }>
    assert.is(detail === undefined ? reason : `${reason}: ${detail}`, said)
  })

const taken: readonly (readonly [
  name: string,
  expected: Partial<SourceQuote>,
  ...changes: readonly Change[],
])[] = [
  ['0x', { gasEstimate: 0n }, [0, 'transaction.gas', null]],
  ['0x', { gasEstimate: 0n }, [0, 'transaction.gas', undefined]],
  ['0x', { amountIn: 500_000_000n }, [0, 'sellAmount', undefined]],
  ['0x', { amountIn: 7n }, [0, 'sellAmount', '7']],
  [
    '0x',
    { minAmountOut: floorOf(1_000n) },
    [0, 'buyAmount', '1000'],
    [0, 'minBuyAmount', undefined],
  ],
  ['0x', { amountOut: 1_000n }, [0, 'buyAmount', '1000'], [0, 'buyToken', undefined]],
  ['0x', { approveTarget: weth }, [0, 'transaction.to', weth], [0, 'allowanceTarget', null]],
  ['0x', { approveTarget: taker }, [0, 'transaction.to', weth], [0, 'allowanceTarget', taker]],
  ['0x', { taxInBps: 0, taxOutBps: 0 }, [0, 'tokenMetadata', undefined]],
  ['0x', { taxInBps: 0, taxOutBps: 0 }, [0, 'tokenMetadata', { sellToken: {}, buyToken: {} }]],
  ['1inch', { gasEstimate: 0n }, [0, 'tx.gas', undefined]],
  ['kyberswap', { value: 0n }, [1, 'data.transactionValue', undefined]],
  ['kyberswap', { value: 7n }, [1, 'data.transactionValue', '7']],
  [
    'relay',
    { gasEstimate: 0n, value: 0n },
    [0, 'steps.1.items.0.data.gas', undefined],
    [0, 'steps.1.items.0.data.value', undefined],
  ],
  ['relay', { minAmountOut: floorOf(out) }, [0, 'details.currencyOut.minimumAmount', undefined]],
  ['relay', { target: weth }, [0, 'steps.1.items.0.data.to', weth], [0, 'steps.1.id', 'deposit']],
  ['bebop', { gasEstimate: 0n }, [0, 'tx.gas', null]],
  ['bebop', { gasEstimate: 0n }, [0, 'tx.gas', undefined]],
  ['bebop', { minAmountOut: out }, [0, `buyTokens.${weth}.minimumAmount`, undefined]],
  ['bebop', { minAmountOut: 9n }, [0, `buyTokens.${weth}.minimumAmount`, '9']],
  ['fabric', { approveTarget: weth }, [0, 'transaction.to', weth], [0, 'approval', null]],
  ['fabric', { approveTarget: weth }, [0, 'transaction.to', weth], [0, 'approval', undefined]],
  ['fabric', { taxInBps: 0, taxOutBps: 0 }, [0, 'tokens', undefined]],
  [
    'fabric',
    { taxInBps: 3, taxOutBps: 4 },
    [
      0,
      'tokens',
      [
        { address: usdc, transferFeeBps: 3 },
        { address: weth, transferFeeBps: 4 },
      ],
    ],
  ],
  ['enso', { gasEstimate: 0n }, [0, 'gas', null]],
  ['enso', { gasEstimate: 0n }, [0, 'gas', undefined]],
  [
    'enso',
    { amountOut: 70n, minAmountOut: 69n },
    [0, 'amountOut', ['70']],
    [0, 'minAmountOut', ['69']],
  ],
  ['enso', { minAmountOut: floorOf(out) }, [0, 'minAmountOut', undefined]],
  ['uniswap-api', { gasEstimate: 179_302n }, [0, 'quote.gasUseEstimate', undefined]],
  [
    'uniswap-api',
    { gasEstimate: 0n },
    [0, 'quote.gasUseEstimate', undefined],
    [1, 'swap.gasLimit', undefined],
  ],
  ['uniswap-api', { gasEstimate: 180_350n }, [0, 'quote.output.token', undefined]],
  ['uniswap-api', { amountOut: out }, [0, 'routing', 'WRAP']],
  ['nordstern', { amountOut: 7n }, [0, 'dst', undefined], [0, 'toAmount', '7']],
  ['fly', { gasEstimate: 0n }, [1, 'gasLimit', null], [1, 'chainId', undefined]],
  ['fly', { target: weth, approveTarget: taker }, [1, 'to', weth], [0, 'targetAddress', taker]],
  ['sushi', { gasEstimate: 0n, value: 0n }, [0, 'gasSpent', undefined], [0, 'tx.value', undefined]],
  ['sushi', { value: 7n }, [0, 'tx.value', '7']],
  ['okx', { gasEstimate: 0n }, [0, 'data.0.tx.gas', undefined]],
  ['okx', { minAmountOut: floorOf(out) }, [0, 'data.0.tx.minReceiveAmount', undefined]],
  ['okx', { amountOut: out }, [0, 'data.0.routerResult.toToken', undefined]],
  ['lifi', { gasEstimate: 0n }, [0, 'estimate.gasCosts', undefined]],
  ['lifi', { gasEstimate: 12n }, [0, 'estimate.gasCosts', [{ estimate: '5' }, { estimate: 7 }]]],
  ['lifi', { route: 'nordstern', amountIn: 10n ** 18n, approveTarget: undefined }],
  ['lifi', { route: undefined }, [0, 'tool', undefined]],
  [
    'remote-routing',
    {
      amountIn: 500_000_000n,
      amountOut: 1_000n,
      minAmountOut: 995n,
      target: weth,
      approveTarget: taker,
      calldata: '0x12345678',
      value: 0n,
      gasEstimate: 90_000n,
      taxInBps: 1,
      taxOutBps: 2,
      route: 'a>b',
    },
  ],
  [
    'remote-routing',
    { taxInBps: 0, taxOutBps: 0, route: undefined },
    [0, 'tax_in_bps', undefined],
    [0, 'tax_out_bps', undefined],
    [0, 'route_path', undefined],
  ],
]
for (const [name, expected, ...changes] of taken)
  s(
    `${name}: ${changes.map(([, path, value]) => `${path} ${JSON.stringify(value)}`)} is taken`,
    async () => {
      const outcome = await answer(name, ...changes)
      if (outcome.status !== 'quote') throw new Error(JSON.stringify(outcome))
      const names = Object.keys(expected) as (keyof SourceQuote)[]
      assert.equal(Object.fromEntries(names.map((each) => [each, outcome.quote[each]])), expected)
    },
  )
s.run()
