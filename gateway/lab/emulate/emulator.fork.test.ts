import {
  OrderKind,
  OrderQuoteSideKindBuy,
  OrderQuoteSideKindSell,
} from '@cowprotocol/sdk-order-book'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm'
import { ExactEvmScheme as ExactEvmServer } from '@x402/evm/exact/server'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { isNative } from '../../chain/native.ts'
import { createLab } from '../../client/lab.ts'
import { nativeToken, type SourceRequest, type Trade } from '../../meta/provider/source.ts'
import { startProviders } from '../../meta/sources/providers.ts'
import { createCowClient } from '../testing/cowClient.ts'
import { foreignClients, type Transaction } from '../testing/foreignClients.ts'
import { startTestLab } from '../testing/testLab.ts'
import { createPerson } from '../testing/testPerson.ts'

/** Other people's APIs over one lab: our own adapters ask them, then clients that others have written. */
const s = suite('lab/emulate')
const lab = await startTestLab()
const { services, chains } = lab.manifest()
const base = `${services.ops}/emulate`

/** Where each API begins: the base URL to give to a client of it. */
const baseUrls = {
  '0x': `${base}/0x`,
  '1inch': `${base}/1inch/swap/v6.1`,
  kyberswap: `${base}/kyberswap`,
  openocean: `${base}/openocean/v4`,
  velora: `${base}/velora`,
  lifi: `${base}/lifi`,
  'uniswap-api': `${base}/uniswap-api`,
  cow: `${base}/cow`,
} as const
type Name = keyof typeof baseUrls
const names = Object.keys(baseUrls) as readonly Name[]
/** Its orders are signed, not sent. */
const executed = names.filter((name) => name !== 'cow')
const chainIds = [8453, 42161]
/** A key for each chain: some let a key ask once in a second. */
const running = chainIds.flatMap((chainId) =>
  startProviders(
    { now: Date.now, gasPriceWei: async () => 5_000_000n },
    {
      settings: names.map((name) => ({ name, key: `key ${chainId}`, baseUrl: baseUrls[name] })),
      allowPrivate: true,
    },
  ).map((started) => ({ ...started, chainId })),
)
s.after(async () => {
  await Promise.all(running.map(({ http }) => http.close()))
  await lab.down()
})

function onChain(chainId: number) {
  const chain = chains[String(chainId)]
  const account = chain?.accounts[4]
  if (!chain || !account) throw new Error(`the lab has no chain ${chainId}`)
  const person = createPerson({ rpcUrl: chain.rpcUrl, ...account })
  const rpc = createRpc(chain.rpcUrl)
  const tokenOf = (symbol: string): Address => {
    const token = chain.tokens[symbol]
    if (!token) throw new Error(`the lab has no ${symbol} on ${chainId}`)
    return token.address
  }
  const holds = async (token: Address) =>
    isNative(token)
      ? BigInt(String(await rpc('eth_getBalance', person.address, 'latest')))
      : person.balanceOf(token)
  const { executor, rpcUrl } = chain
  return { person, tokenOf, holds, executor, rpcUrl, privateKey: account.privateKey }
}
type OnChain = ReturnType<typeof onChain>

/** Approves the exact amount, sends, and tells by how much the balance grew. */
async function execute(
  { person, holds }: OnChain,
  order: {
    readonly token: Address
    readonly amount: bigint
    readonly spender: Address
    readonly tokenOut: Address
    readonly build: () => Promise<Transaction>
  },
): Promise<bigint> {
  const { token, amount, spender, tokenOut, build } = order
  if (!isNative(token)) {
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [spender, amount],
    })
    await person.send({ to: token, data })
  }
  const before = await holds(tokenOut)
  await person.send(await build())
  return (await holds(tokenOut)) - before
}

function toRequest(
  chainId: number,
  { tokenIn, tokenOut, trade }: { tokenIn: Address; tokenOut: Address; trade: Trade },
): SourceRequest {
  const { address } = onChain(chainId).person
  const asked = { chainId, tokenIn, tokenOut, trade, sender: address, recipient: address }
  return { ...asked, slippageBps: 50, relaxMinReturn: false }
}

async function ask(name: Name, request: SourceRequest) {
  const found = running.find(
    ({ provider, chainId }) => provider.name === name && chainId === request.chainId,
  )
  if (!found) throw new Error(`no provider ${name}`)
  const { signal } = new AbortController()
  return found.source.quote(request, { signal, onRetry: () => undefined })
}

/** Asks our own adapter, does what it says, and compares what came with what was quoted. */
async function roundTrip(name: Name, request: SourceRequest): Promise<void> {
  const outcome = await ask(name, request)
  if (outcome.status !== 'quote') throw new Error(`${name}: ${JSON.stringify(outcome)}`)
  const { quote } = outcome
  const at = onChain(request.chainId)
  assert.is(quote.target, at.executor)
  assert.ok(quote.minAmountOut <= quote.amountOut && quote.minAmountOut > 0n)
  const came = await execute(at, {
    token: request.tokenIn,
    amount: quote.maxAmountIn,
    spender: quote.approveTarget ?? quote.target,
    tokenOut: request.tokenOut,
    build: async () => ({ to: quote.target, data: quote.calldata, value: quote.value }),
  })
  if (request.trade.type === 'exactInput') assert.is(came, quote.amountOut)
  else assert.ok(came >= request.trade.targetOut && quote.amountIn <= request.trade.maxIn)
}

for (const name of executed) {
  s(
    `${name}: what our adapter is quoted is what arrives, on both chains [emulate/adapters]`,
    async () => {
      const [onBase, onArbitrum] = [onChain(8453), onChain(42161)]
      const sold: Trade = { type: 'exactInput', amountIn: 25_000_000n }
      const [usdc, weth] = [onBase.tokenOf('USDC'), onBase.tokenOf('WETH')]
      await roundTrip(name, toRequest(8453, { tokenIn: usdc, tokenOut: weth, trade: sold }))
      const ether: Trade = { type: 'exactInput', amountIn: 10n ** 16n }
      const tokenOut = onArbitrum.tokenOf('USDC')
      await roundTrip(name, toRequest(42161, { tokenIn: nativeToken, tokenOut, trade: ether }))
    },
  )
}
for (const name of ['velora', 'lifi', 'uniswap-api'] as const)
  s(`${name}: what is bought arrives, for no more than was said [emulate/bought]`, async () => {
    const { tokenOf } = onChain(8453)
    const trade: Trade = { type: 'exactOutput', targetOut: 10n ** 16n, maxIn: 10n ** 9n }
    const [tokenIn, tokenOut] = [tokenOf('USDC'), tokenOf('WETH')]
    await roundTrip(name, toRequest(8453, { tokenIn, tokenOut, trade }))
  })

const { tokenOf } = onChain(8453)
const [usdc, weth] = [tokenOf('USDC'), tokenOf('WETH')]
const nobody = '0x00000000000000000000000000000000000dead1'
const stranger = '0x1111111111111111111111111111111111111112'
const sold = '1000000'
let keys = 0

async function call(
  name: Name,
  {
    path,
    query = {},
    body,
    key = `error ${++keys}`,
  }: { path: string; query?: Record<string, string>; body?: object; key?: string },
) {
  const url = `${baseUrls[name]}${path}?${new URLSearchParams(query)}`
  const headers = {
    '0x-api-key': key,
    'x-api-key': key,
    authorization: key === '' ? '' : `Bearer ${key}`,
    'content-type': 'application/json',
  }
  const response = await fetch(url, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Readonly<Record<string, unknown>>
  return { status: response.status, answer, headers: response.headers }
}

const zeroXQuery = {
  chainId: '8453',
  sellToken: usdc,
  buyToken: weth,
  sellAmount: sold,
  taker: nobody,
}
const oneInchQuery = {
  src: usdc,
  dst: weth,
  amount: sold,
  from: nobody,
  origin: nobody,
  slippage: '1',
}
const kyberQuery = { tokenIn: usdc, tokenOut: weth, amountIn: sold }
const oceanQuery = {
  inTokenAddress: usdc,
  outTokenAddress: weth,
  amountDecimals: sold,
  account: nobody,
}
const veloraQuery = {
  srcToken: usdc,
  destToken: weth,
  amount: sold,
  network: '8453',
  userAddress: nobody,
}
const zeroXPath = '/swap/allowance-holder/quote'

type Refused = readonly [
  name: Name,
  what: string,
  request: Parameters<typeof call>[1],
  status: number,
  expected: Readonly<Record<string, unknown>>,
]
const refused: readonly Refused[] = [
  [
    '0x',
    'no key',
    { path: zeroXPath, query: zeroXQuery, key: '' },
    401,
    { message: 'No API key found in request' },
  ],
  [
    '0x',
    'no amount',
    { path: zeroXPath, query: { ...zeroXQuery, sellAmount: '' } },
    400,
    { name: 'INPUT_INVALID' },
  ],
  [
    '0x',
    'an unknown token',
    { path: zeroXPath, query: { ...zeroXQuery, buyToken: stranger } },
    400,
    { name: 'TOKEN_NOT_SUPPORTED' },
  ],
  [
    '0x',
    'a fee',
    { path: zeroXPath, query: { ...zeroXQuery, swapFeeBps: '10' } },
    400,
    { name: 'INPUT_INVALID' },
  ],
  [
    '0x',
    'another chain',
    { path: zeroXPath, query: { ...zeroXQuery, chainId: '1' } },
    400,
    { name: 'INPUT_INVALID' },
  ],
  [
    '0x',
    'one token',
    { path: zeroXPath, query: { ...zeroXQuery, buyToken: usdc } },
    400,
    { name: 'INPUT_INVALID' },
  ],
  [
    '0x',
    'another path',
    { path: '/swap/v1/quote' },
    404,
    { message: 'no Route matched with those values' },
  ],
  [
    '1inch',
    'no key',
    { path: '/8453/swap', query: oneInchQuery, key: '' },
    401,
    { statusCode: 401, error: 'Unauthorized' },
  ],
  [
    '1inch',
    'no origin',
    { path: '/8453/swap', query: { ...oneInchQuery, origin: '' } },
    400,
    { statusCode: 400, description: 'origin is required' },
  ],
  [
    '1inch',
    'too much slippage',
    { path: '/8453/swap', query: { ...oneInchQuery, slippage: '51' } },
    400,
    { description: 'slippage must be between 0 and 50' },
  ],
  [
    '1inch',
    'nothing to sell',
    { path: '/8453/swap', query: oneInchQuery },
    400,
    { description: `Not enough ${usdc.toLowerCase()} balance` },
  ],
  [
    'kyberswap',
    'an unknown token',
    { path: '/base/api/v1/routes', query: { ...kyberQuery, tokenOut: stranger } },
    400,
    { code: 4011, message: 'token not found' },
  ],
  [
    'kyberswap',
    'no amount',
    { path: '/base/api/v1/routes', query: { ...kyberQuery, amountIn: '0' } },
    400,
    { code: 4000 },
  ],
  [
    'kyberswap',
    'a route that nobody found',
    { path: '/base/api/v1/route/build', body: { routeSummary: { tokenIn: usdc } } },
    400,
    { code: 4000 },
  ],
  [
    'openocean',
    'too little slippage',
    { path: '/base/swap', query: { ...oceanQuery, slippage: '0.01' } },
    200,
    { code: 400, error: 'slippage must be between 0.05 and 50' },
  ],
  ['openocean', 'another chain', { path: '/bsc/swap', query: oceanQuery }, 200, { code: 400 }],
  [
    'velora',
    'no slippage',
    { path: '/swap', query: veloraQuery },
    400,
    { error: 'Validation failed: slippage is required' },
  ],
  [
    'velora',
    'a rate that nobody gave',
    { path: '/transactions/8453', body: { priceRoute: { network: 8453 } } },
    400,
    { error: 'Validation failed: priceRoute was changed on its way' },
  ],
]
async function assertRefused(rows: readonly Refused[]): Promise<void> {
  for (const [name, what, request, status, expected] of rows) {
    const { status: given, answer } = await call(name, request)
    const read = Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]]))
    assert.equal([name, what, given, read], [name, what, status, expected])
  }
}
s('refuses in the words, statuses and shapes of each [emulate/errors]', () =>
  assertRefused(refused),
)

/** More than 256 bits hold, and what JSON can say but no text is made of. */
const tooMuch = '9'.repeat(78)
const noText = { toString: 1 }
const { amountDecimals: _, ...oceanWhole } = oceanQuery
const uniswapBuy = {
  type: 'EXACT_OUTPUT',
  swapper: nobody,
  tokenInChainId: 8453,
  tokenOutChainId: 8453,
  tokenIn: usdc,
  tokenOut: weth,
  amount: '10000000000000000',
}
const lifiBody = {
  fromChainId: 8453,
  toChainId: 8453,
  fromTokenAddress: usdc,
  toTokenAddress: weth,
  fromAmount: sold,
}
const cowBody = { sellToken: usdc, buyToken: weth, from: nobody, kind: 'sell' }
const hostile: readonly Refused[] = [
  [
    '0x',
    'an amount',
    { path: zeroXPath, query: { ...zeroXQuery, sellAmount: tooMuch } },
    400,
    { name: 'INPUT_INVALID' },
  ],
  [
    '1inch',
    'an allowance',
    { path: '/8453/approve/transaction', query: { tokenAddress: usdc, amount: tooMuch } },
    400,
    { statusCode: 400 },
  ],
  [
    '1inch',
    'an account for a token',
    { path: '/8453/approve/allowance', query: { tokenAddress: nobody, walletAddress: nobody } },
    400,
    { statusCode: 400 },
  ],
  [
    'uniswap-api',
    'an account for a token',
    {
      path: '/v1/check_approval',
      body: { chainId: 8453, token: nobody, walletAddress: nobody, amount: sold },
    },
    400,
    { errorCode: 'RequestValidationError' },
  ],
  [
    'openocean',
    'an amount',
    { path: '/base/quote', query: { ...oceanWhole, amount: tooMuch } },
    200,
    { code: 400, error: 'amount is more than any token counts' },
  ],
  [
    'kyberswap',
    'a summary',
    { path: '/base/api/v1/route/build', body: { routeSummary: { tokenIn: noText } } },
    400,
    { code: 4000 },
  ],
  [
    'velora',
    'a rate',
    { path: '/transactions/8453', body: { priceRoute: { network: noText } } },
    400,
    { error: 'Validation failed: priceRoute was changed on its way' },
  ],
  [
    'velora',
    'a fee',
    { path: '/transactions/8453', body: { priceRoute: {}, partnerFeeBps: noText } },
    400,
    { error: 'Validation failed: partnerFeeBps is not supported: a lab takes no fees' },
  ],
  [
    'lifi',
    'an integrator',
    { path: '/v1/advanced/routes', body: { ...lifiBody, options: { integrator: noText } } },
    400,
    { code: 1011 },
  ],
  [
    'cow',
    'data',
    { path: '/base/api/v1/quote', body: { ...cowBody, sellAmountBeforeFee: sold, appData: {} } },
    400,
    { errorType: 'InvalidRequest' },
  ],
]
s('refuses hostile values as each refuses wrong ones [emulate/hostile]', () =>
  assertRefused(hostile),
)

s('uniswap-api: what is bought costs no more than was quoted [emulate/bought]', async () => {
  const { answer } = await call('uniswap-api', { path: '/v1/quote', body: uniswapBuy })
  const quote = answer['quote'] as { readonly input: object }
  const swap = (input: object) =>
    call('uniswap-api', { path: '/v1/swap', body: { quote: { ...quote, input } } })
  assert.is((await swap(quote.input)).status, 200)
  const cheaper = await swap({ ...quote.input, amount: '1' })
  assert.equal([cheaper.status, cheaper.answer['errorCode']], [404, 'QuoteExpired'])
})

s('says that nothing arrives as each does [emulate/no-route]', async () => {
  // A wei of WETH is not worth a unit of USDC.
  const tokens = { sellToken: weth, buyToken: usdc, src: weth, dst: usdc }
  const more = { tokenIn: weth, tokenOut: usdc, inTokenAddress: weth, outTokenAddress: usdc }
  const query = { ...tokens, ...more, srcToken: weth, destToken: usdc, amount: '1', amountIn: '1' }
  const asked: readonly Refused[] = [
    [
      '0x',
      'a 200',
      { path: zeroXPath, query: { ...zeroXQuery, ...query, sellAmount: '1' } },
      200,
      { liquidityAvailable: false },
    ],
    [
      '1inch',
      'a 400',
      { path: '/8453/quote', query: { ...oneInchQuery, ...query } },
      400,
      { description: 'insufficient liquidity' },
    ],
    [
      'kyberswap',
      'a code',
      { path: '/base/api/v1/routes', query: { ...kyberQuery, ...query } },
      400,
      { code: 4008, message: 'route not found' },
    ],
    [
      'openocean',
      'a code in a 200',
      { path: '/base/quote', query: { ...oceanQuery, ...query, amountDecimals: '1' } },
      200,
      { code: 400, error: 'no route found' },
    ],
    [
      'velora',
      'a 404',
      { path: '/prices', query: { ...veloraQuery, ...query } },
      404,
      { error: 'No routes found with enough liquidity' },
    ],
  ]
  await assertRefused(asked)
})

s('tells what is not approved, and what is not there [emulate/issues]', async () => {
  const { answer } = await call('0x', { path: zeroXPath, query: zeroXQuery })
  const { allowance, balance } = answer['issues'] as Record<string, Record<string, string>>
  assert.equal(allowance, { actual: '0', spender: onChain(8453).executor.toLowerCase() })
  assert.equal(balance, { token: usdc.toLowerCase(), actual: '0', expected: sold })
})

s(
  'tells what is left of a limit, and refuses beyond it in those words [emulate/told]',
  async () => {
    const headers = { 'x-lifi-api-key': 'asks and asks' }
    const ask = () => fetch(`${baseUrls.lifi}/v1/nothing`, { headers })
    const told = ({ headers: all }: Response) =>
      ['limit', 'remaining', 'reset'].map((name) => all.get(`ratelimit-${name}`))
    const [first, second] = [await ask(), await ask()]
    assert.equal([told(first)[0], told(first)[1]], ['200', '199'])
    assert.match(told(second)[2] ?? '', /^\d+$/)
    let [asked, last] = [2, second]
    // As long as a key may ask as fast as it likes, and no longer.
    while (last.status !== 429 && asked < 2_000) {
      await last.arrayBuffer()
      last = await ask()
      asked += 1
    }
    assert.ok(asked > 200, `${asked} requests`)
    assert.equal([last.status, told(last)[1]], [429, '0'])
    assert.ok(Number(last.headers.get('retry-after')) > 0)
    assert.is(((await last.json()) as { code: number }).code, 1005)
  },
)
s(
  'lets a key ask as often as the provider does, and says when to return [emulate/limits]',
  async () => {
    const request = { path: '/8453/approve/spender', key: 'often' }
    // At once: a second later it may ask again.
    const answers = await Promise.all([call('1inch', request), call('1inch', request)])
    const [, refused] = answers.toSorted((one, other) => one.status - other.status)
    assert.equal(answers.map(({ status }) => status).toSorted(), [200, 429])
    assert.is(refused?.headers.get('retry-after'), '1')
    assert.is((await call('1inch', { ...request, key: 'another' })).status, 200)
  },
)

s('cow: says the price that a quote here has, and takes no ether [emulate/cow]', async () => {
  const trade: Trade = { type: 'exactInput', amountIn: 25_000_000n }
  const request = toRequest(8453, { tokenIn: usdc, tokenOut: weth, trade })
  const [price, quoted] = [await ask('cow', request), await ask('velora', request)]
  assert.ok(price.status === 'reference' && quoted.status === 'quote')
  assert.is(price.amountOut, quoted.quote.amountOut)
  const order = { sellToken: nativeToken, buyToken: usdc, from: nobody, kind: 'sell' }
  const { status, answer } = await call('cow', { path: '/base/api/v1/quote', body: order })
  assert.equal([status, answer['errorType']], [400, 'InvalidRequest'])
})

const cowClient = () => {
  const at = onChain(8453)
  const client = createCowClient({ base: `${baseUrls.cow}/base`, privateKey: at.privateKey })
  const approve = (amount: bigint) => {
    const args = [client.spender, amount] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    return at.person.send({ to: usdc, data })
  }
  const selling = { sellToken: usdc, buyToken: weth, kind: OrderQuoteSideKindSell.SELL } as const
  return { ...at, ...client, approve, selling }
}

s("cow: an order is settled to the wei, with CoW's own client [emulate/cow-orders]", async () => {
  const { api, approve, holds, person, quote, selling, sign } = cowClient()
  const quoted = await quote({ ...selling, sellAmountBeforeFee: '25000000' })
  await approve(25_000_000n)
  const [spent, got] = [await holds(usdc), await holds(weth)]
  const signed = await sign(quoted)
  const uid = await api.sendOrder(signed)
  const came = (await holds(weth)) - got
  assert.is(came.toString(), quoted.buyAmount)
  assert.is(spent - (await holds(usdc)), 25_000_000n)
  const order = await api.getOrder(uid)
  assert.equal(
    [order.status, order.executedBuyAmount, order.executedSellAmount, order.owner],
    ['fulfilled', quoted.buyAmount, '25000000', person.address.toLowerCase()],
  )
  const auction = await api.getOrderCompetitionStatus(uid)
  assert.equal(
    [auction.type, auction.value?.[0]?.executedAmounts],
    ['traded', { sell: '25000000', buy: quoted.buyAmount }],
  )
  const [trade] = await api.getTrades({ orderUid: uid })
  assert.equal([trade?.orderUid, trade?.buyAmount], [uid, quoted.buyAmount])
  for (const orders of [
    await api.getTxOrders(trade?.txHash ?? ''),
    await api.getOrders({ owner: person.address }),
  ])
    assert.equal(
      orders.map((each) => each.uid),
      [uid],
    )
})

s('cow: an order waits until the pools give what it asks [emulate/cow-waits]', async () => {
  const { api, approve, holds, person, quote, selling, sign } = cowClient()
  // So much that no pool alone has the price of it.
  const sellAmount = 50_000n * 10n ** 6n
  const asked = { ...selling, sellAmountBeforeFee: `${sellAmount}` } as const
  const before = BigInt((await quote(asked)).buyAmount)
  const { adminToken } = lab.manifest()
  const amount = 500_000n * 10n ** 6n
  const dealt = { chainId: 8453, token: usdc, to: person.address, amount: `${amount + sellAmount}` }
  await createLab({ services, adminToken }).deal(dealt)
  const trade = async (tokenIn: Address, tokenOut: Address, amountIn: bigint) => {
    const had = await holds(tokenOut)
    const sale: Trade = { type: 'exactInput', amountIn }
    await roundTrip('velora', toRequest(8453, { tokenIn, tokenOut, trade: sale }))
    return (await holds(tokenOut)) - had
  }
  // Somebody buys what it buys, and gives it back later.
  const bought = await trade(usdc, weth, amount)
  const quoted = await quote(asked)
  const dear = BigInt(quoted.buyAmount)
  assert.ok(dear < before)
  const wanted = (dear + before) / 2n
  await approve(sellAmount)
  const uid = await api.sendOrder(await sign(quoted, { buyAmount: `${wanted}` }))
  const held = await holds(weth)
  assert.is((await api.getOrder(uid)).status, 'open')
  assert.equal(await api.getTrades({ orderUid: uid }), [])
  assert.is(await holds(weth), held)
  await trade(weth, usdc, bought)
  const then = await holds(weth)
  await waitFor(
    'the order is filled',
    async () => (await api.getOrder(uid)).status === 'fulfilled',
    { deadlineMs: 60_000 },
  )
  const filled = await api.getOrder(uid)
  assert.ok(BigInt(filled.executedBuyAmount) >= wanted)
  assert.is((await holds(weth)) - then, BigInt(filled.executedBuyAmount))
})

s('cow: what is bought costs no more than was signed [emulate/cow-orders]', async () => {
  const { api, approve, holds, quote, selling, sign } = cowClient()
  const buyAmount = 10n ** 15n
  const buying = { ...selling, kind: OrderQuoteSideKindBuy.BUY, buyAmountAfterFee: `${buyAmount}` }
  const quoted = await quote(buying)
  const most = (BigInt(quoted.sellAmount) * 101n) / 100n
  await approve(most)
  const [spent, got] = [await holds(usdc), await holds(weth)]
  const uid = await api.sendOrder(await sign(quoted, { sellAmount: most.toString() }))
  const { executedBuyAmount, executedSellAmount, kind } = await api.getOrder(uid)
  assert.is(kind, OrderKind.BUY)
  assert.is((await holds(weth)) - got, BigInt(executedBuyAmount))
  assert.is(spent - (await holds(usdc)), BigInt(executedSellAmount))
  assert.ok(BigInt(executedBuyAmount) >= buyAmount && BigInt(executedSellAmount) <= most)
})

s(
  'cow: takes no order that its owner has not signed and paid for [emulate/cow-refused]',
  async () => {
    const { api, approve, holds, quote, refusalOf, selling, sign } = cowClient()
    const quoted = await quote({ ...selling, sellAmountBeforeFee: '25000000' })
    await approve(0n)
    const signed = await sign(quoted)
    const dearer = { ...signed, buyAmount: (BigInt(quoted.buyAmount) - 1n).toString() }
    const past = { validTo: Math.floor(Date.now() / 1000) - 1 }
    const rows = [
      ['WrongOwner', dearer],
      ['InvalidSignature', { ...signed, signature: '0x1234' }],
      ['InsufficientAllowance', signed],
      ['InsufficientBalance', await sign(quoted, { sellAmount: (10n ** 30n).toString() })],
      ['InsufficientValidTo', await sign(quoted, past)],
      ['NonZeroFee', await sign(quoted, { feeAmount: '1' })],
      ['InvalidNativeSellToken', await sign(quoted, { sellToken: nativeToken })],
      ['InvalidAppData', await sign(quoted, { appData: 'no JSON' })],
      ['AppDataHashMismatch', { ...signed, appDataHash: `0x${'11'.repeat(32)}` }],
    ] as const
    for (const [word, order] of rows) assert.is(await refusalOf(api.sendOrder(order)), word)
    // Enough for two.
    await approve(50_000_000n)
    const spent = await holds(usdc)
    const both = [api.sendOrder(signed), api.sendOrder(signed)] as const
    assert.equal((await Promise.all(both.map(refusalOf))).toSorted(), ['DuplicatedOrder', 'taken'])
    assert.is(spent - (await holds(usdc)), 25_000_000n)
    assert.is(await refusalOf(api.sendOrder(signed)), 'DuplicatedOrder')
    const uid = await Promise.any(both)
    assert.is(await refusalOf(api.getOrder(uid.replace(/.{4}$/, 'ffff'))), 'NotFound')
  },
)

for (const { name, quote } of foreignClients)
  s(`${name}: quoted, approved and swapped to the wei [emulate/clients]`, async () => {
    const at = onChain(8453)
    const amount = 10_000_000n
    const tokenIn = { address: usdc, decimals: 6 }
    const tokenOut = { address: weth, decimals: 18 }
    const taker = at.person.address
    const { amountOut, spender, build } = await quote(base, {
      chainId: 8453,
      rpcUrl: at.rpcUrl,
      tokenIn,
      tokenOut,
      amount,
      taker,
    })
    assert.ok(amountOut > 0n)
    const came = await execute(at, { token: usdc, amount, spender, tokenOut: weth, build })
    assert.is(came, amountOut)
  })

s(
  "settles what others' resource servers sell, once, with the official client [emulate/x402]",
  async () => {
    const at = onChain(8453)
    const url = `${services.ops}/x402`
    const network = 'eip155:8453'
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
    server.register(network, new ExactEvmServer())
    await server.initialize()
    const payTo = '0x00000000000000000000000000000000000402ee'
    const offer = { scheme: 'exact', network, payTo, price: '$0.25' } as const
    const [requirements] = await server.buildPaymentRequirements(offer)
    if (!requirements) throw new Error('the facilitator settles nothing here')
    const required = await server.createPaymentRequiredResponse([requirements], {
      url: 'https://shop.example/report',
      description: 'a report',
      mimeType: 'application/json',
    })
    const account = privateKeyToAccount(at.privateKey)
    const client = new x402Client().register(network, new ExactEvmScheme(account))
    const payment = await new x402HTTPClient(client).createPaymentPayload(required)

    assert.is((await server.verifyPayment(payment, requirements)).isValid, true)
    const dearer = { ...requirements, amount: '999999' }
    assert.is((await server.verifyPayment(payment, dearer)).isValid, false)
    const settled = await server.settlePayment(payment, requirements)
    assert.ok(settled.success)
    assert.match(settled.transaction, /^0x[0-9a-f]{64}$/)
    const balance = await createPerson({ ...at, address: payTo }).balanceOf(usdc)
    assert.is(balance, 250_000n)
    const again = await server.verifyPayment(payment, requirements)
    assert.equal(
      [again.isValid, again.invalidReason],
      [false, 'invalid_exact_evm_nonce_already_used'],
    )
    const twice = await server.settlePayment(payment, requirements).catch((error: Error) => error)
    assert.ok(twice instanceof Error || !twice.success)
    assert.is(await createPerson({ ...at, address: payTo }).balanceOf(usdc), balance)
  },
)
s.run()
