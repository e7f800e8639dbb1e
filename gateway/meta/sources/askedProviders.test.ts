import { createHmac } from 'node:crypto'
import { makeRequest, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { HttpCall } from '../provider/http.ts'
import type { Ask } from '../provider/provider.ts'
import { fail, nativeToken } from '../provider/source.ts'
import { askProvider } from '../testing/askProvider.ts'

/** What is asked of a provider beyond the usual: native currency, exact outputs, keys, bounds. */
const s = suite('meta/askedProviders')
const proxy = '0x4444444444444444444444444444444444444444'
const left = fail('upstream_error', 'unanswered')

/** The calls until nothing is answered. */
async function callsOf(
  name: string,
  change: Parameters<typeof makeRequest>[0],
  more: Partial<Ask> = {},
) {
  const calls: HttpCall[] = []
  const call = async (asked: HttpCall) => {
    calls.push(asked)
    return left
  }
  const outcome = await askProvider(name, { call, request: makeRequest(change), ...more })
  return { outcome, calls, query: calls[0]?.query ?? {}, headers: calls[0]?.headers ?? {} }
}
const jsonOf = ([call]: readonly HttpCall[]) => JSON.parse(call?.body ?? '{}')
const exact = (targetOut: bigint) =>
  ({ trade: { type: 'exactOutput', targetOut, maxIn: 9n } }) as const

s('lifi: an exact output so much above that its guaranteed part reaches it', async () => {
  const asked = async (targetOut: bigint, slippageBps: number) => {
    const { calls, query } = await callsOf('lifi', { ...exact(targetOut), slippageBps })
    assert.is(calls[0]?.path, '/v1/quote/toAmount')
    return query['toAmount']
  }
  assert.is(await asked(1_000n, 0), '1000')
  assert.is(await asked(1_000n, 50), '1006')
  assert.is(await asked(995n, 50), '1000')
  assert.is(await asked(1n, 10_000), '10000')
  const { calls, query } = await callsOf('lifi', {})
  assert.equal(
    [calls[0]?.path, query['fromAmount'], query['slippage']],
    ['/v1/quote', '1000000', '0.005'],
  )
})
s('fabric: an exact output without slippage, an exact input with it', async () => {
  const out = await callsOf('fabric', exact(7n))
  assert.equal(
    [out.query['buyAmount'], out.query['sellAmount'], out.query['slippageBps']],
    ['7', undefined, 0],
  )
  const { query } = await callsOf('fabric', {})
  assert.equal(
    [query['buyAmount'], query['sellAmount'], query['slippageBps']],
    [undefined, '1000000', 50],
  )
})
s('bebop: the side that is fixed, and never the native currency', async () => {
  const out = await callsOf('bebop', exact(7n))
  assert.equal([out.query['buy_amounts'], out.query['sell_amounts']], ['7', undefined])
  const { query } = await callsOf('bebop', {})
  assert.equal(
    [query['buy_amounts'], query['sell_amounts'], query['skip_validation']],
    [undefined, '1000000', true],
  )
  const native = await callsOf('bebop', { tokenIn: nativeToken })
  assert.equal(
    [native.outcome, native.calls],
    [fail('unsupported_token', 'sells no native currency'), []],
  )
})
s('relay and uniswap-api: which side is fixed, by its amount', async () => {
  const relayed = jsonOf((await callsOf('relay', exact(7n))).calls)
  assert.equal([relayed.amount, relayed.tradeType], ['7', 'EXACT_OUTPUT'])
  const quoted = jsonOf((await callsOf('uniswap-api', exact(7n))).calls)
  assert.equal([quoted.amount, quoted.type, quoted.slippageTolerance], ['7', 'EXACT_OUTPUT', 0.5])
  const sold = jsonOf((await callsOf('uniswap-api', {})).calls)
  assert.equal([sold.amount, sold.type], ['1000000', 'EXACT_INPUT'])
})
for (const [name, field] of [
  ['0x', 'recipient'],
  ['velora', 'receiver'],
] as const)
  s(`${name}: whom it goes to is named where that is another`, async () => {
    assert.is((await callsOf(name, {})).query[field], undefined)
    assert.is((await callsOf(name, { sender: proxy })).query[field], taker)
  })
s('openocean: no less slippage than it takes', async () => {
  const asked = async (slippageBps: number) =>
    (await callsOf('openocean', { slippageBps })).query['slippage']
  assert.equal([await asked(4), await asked(5), await asked(6)], ['0.05', '0.05', '0.06'])
})
s('okx: is signed by its secret, and asks for no allowance of the native currency', async () => {
  const key = 'id:secret:pass:word'
  const { calls, headers } = await callsOf('okx', {}, { key })
  assert.is(calls.length, 2)
  const timestamp = new Date(1_770_000_000_000).toISOString()
  const signed = `${timestamp}GET${calls[0]?.path}`
  assert.equal(headers, {
    'ok-access-key': 'id',
    'ok-access-sign': createHmac('sha256', 'secret').update(signed).digest('base64'),
    'ok-access-timestamp': timestamp,
    'ok-access-passphrase': 'pass:word',
  })
  const native = await callsOf('okx', { tokenIn: nativeToken })
  assert.equal([native.calls.length, native.outcome], [1, left])
  const bare = await callsOf('okx', {}, { key: undefined })
  assert.is(bare.headers['ok-access-key'], '')
})
s('cow: the wrapped currency, of which the native one has the price', async () => {
  const sold = async (tokenIn: typeof usdc) =>
    jsonOf((await callsOf('cow', { tokenIn, tokenOut: usdc })).calls).sellToken
  assert.equal([await sold(nativeToken), await sold(weth)], [weth, weth])
})
s('asks for payloads alone: no estimate of theirs, no dry run and no order', async () => {
  const inch = (await callsOf('1inch', {})).query
  assert.equal([inch['disableEstimate'], inch['includeGas']], [true, true])
  const sushi = (await callsOf('sushi', {})).query
  assert.is(sushi['simulate'], false)
  const fly = (await callsOf('fly', {})).query
  assert.is(fly['gasless'], false)
  const kyber = (await callsOf('kyberswap', {})).query
  assert.is(kyber['gasInclude'], true)
})
s('remote-routing: as the routing service is asked', async () => {
  const { calls } = await callsOf('remote-routing', { sender: proxy })
  assert.equal(
    [calls[0]?.method, calls[0]?.path, calls[0]?.headers],
    ['POST', '/quote', { 'x-api-key': 'id:secret:pass' }],
  )
  assert.equal(jsonOf(calls), {
    chain_id: 8453,
    token_in: usdc,
    token_out: weth,
    amount_in: '1000000',
    slippage_bps: 50,
    taker,
  })
})
s.run()
