import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  pad,
  stringToBytes,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { swapExecutor, userProxyV6 } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import {
  buyQuota,
  createClient,
  ForkyardError,
  registerWallet,
  swap,
  swapThroughProxy,
  type Wallet,
} from './index.ts'

const s = suite('answers that forkyard/client refuses')
const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`
const [weth, usdc, executor, thief] = ['1', '2', '3', '4'].map(addressOf) as Address[] as [
  Address,
  Address,
  Address,
  Address,
]
const [proxy, factory, manager] = ['5', '6', '7'].map(addressOf) as [Address, Address, Address]
const { address } = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const chainId = 8453
const order = { chainId, tokenIn: weth, tokenOut: usdc, amountIn: 1_000n, executor }

/** By path, one after the other; the last is repeated. */
type Answers = Readonly<Record<string, readonly object[]>>
const askToken = toFunctionSelector('TOKEN()')

/** A service that answers this, a chain where all succeeds, and what the wallet was made to send. */
function stand(answers: Answers, word: bigint = 0n) {
  const left = new Map(Object.entries(answers).map(([path, list]) => [path, [...list]]))
  const asked: string[] = []
  const ask: typeof globalThis.fetch = async (input) => {
    const { pathname } = new URL(String(input))
    asked.push(pathname)
    const list = left.get(pathname) ?? []
    const body = list.length > 1 ? list.shift() : list[0]
    if (body instanceof Response) return body.clone()
    return Response.json(body ?? { error: 'not here', code: 'not_found' }, {
      status: body ? 200 : 404,
    })
  }
  const services = {
    routing: 'http://routing.test',
    meta: 'http://meta.test',
    relay: 'http://127.0.0.1:9',
  }
  const sent: { readonly to: Address; readonly data: Hex; readonly value: bigint }[] = []
  const receipt = {
    status: '0x1',
    blockNumber: '0x1',
    transactionHash: `0x${'ab'.repeat(32)}`,
    logs: [],
  }
  const chain: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x2105',
    eth_blockNumber: '0x1',
    eth_getTransactionReceipt: receipt,
    eth_call: encodeAbiParameters([{ type: 'uint256' }], [word]),
  }
  const wallet: Wallet = {
    address,
    // A quota manager says what it is paid in; all else is that word.
    request: async ({ method, params }) =>
      JSON.stringify(params ?? []).includes(askToken) ? pad(usdc) : chain[method],
    sendTransaction: async (call) => {
      sent.push(call)
      return receipt.transactionHash as Hex
    },
  }
  return { client: createClient({ services, fetch: ask }), wallet, sent, asked }
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ForkyardError && error.code === 'refused_answer') return error.message
  throw new Error('it was not refused', { cause: error })
}

const swapCalldata = (changed: object = {}) =>
  encodeFunctionData({
    abi: swapExecutor.abi,
    functionName: 'swap',
    args: [
      {
        tokenIn: weth,
        amountIn: 1_000n,
        tokenOut: usdc,
        minAmountOut: 1_990n,
        recipient: address,
        deadline: 9_999_999_999n,
        ...changed,
      },
      [],
    ],
  })
const execution = { target: executor, spender: executor, calldata: swapCalldata(), value: '0x0' }
const quoteOf = (changed: object = {}, prices: object = {}) => ({
  output: '2000',
  min_output: '1990',
  execution: { ...execution, ...changed },
  ...prices,
})

s('swaps by no quote that takes more than was ordered [client/refused-quote]', async () => {
  const open = { ...order, executor: undefined }
  const cases = [
    [order, quoteOf({ value: '0xde0b6b3a7640000' }), /takes 1000000000000000000 wei instead of 0/],
    [{ ...order, tokenIn: zeroAddress }, quoteOf({ value: '0x3e9' }), /instead of 1000/],
    [open, quoteOf({ target: weth }), /calls or allows a token itself/],
    [open, quoteOf({ spender: usdc.toUpperCase().replace('X', 'x') }), /a token itself/],
    [open, quoteOf({}, { min_output: '1989' }), /may bring less/],
    [{ ...open, slippageBps: 10 }, quoteOf(), /may bring less/],
    [{ ...open, minOut: 1_991n }, quoteOf(), /may bring less/],
    [order, quoteOf({ target: thief }), /not for the executor/],
    [order, quoteOf({ spender: thief }), /not for the executor/],
    [order, quoteOf({ calldata: '0xdeadbeef' }), /is no swap/],
    [order, quoteOf({ calldata: swapCalldata({ recipient: thief }) }), /pays 0x4444/],
    [order, quoteOf({ calldata: swapCalldata({ tokenOut: thief }) }), /something else/],
    [order, quoteOf({ calldata: swapCalldata({ amountIn: 1_001n }) }), /something else/],
    [order, quoteOf({ calldata: swapCalldata({ minAmountOut: 1n }) }), /may bring 1, less than/],
  ] as const
  for (const [ordered, quote, why] of cases) {
    const { sent, ...own } = stand({ '/quote': [quote] })
    assert.match(await refusalOf(swap(own, ordered)), why)
    assert.equal(sent, [], 'nothing is sent, no approval either')
  }
})
s('holds the quote after an approval to the one before it [client/refused-requote]', async () => {
  const open = { ...order, executor: undefined }
  const cases = [
    [{ target: thief }, {}, /another contract/],
    [{ spender: thief }, {}, /another contract/],
    [{}, { output: '1989', min_output: '1989' }, /moved by more than the slippage/],
  ] as const
  for (const [changed, prices, why] of cases) {
    const { sent, ...own } = stand({ '/quote': [quoteOf(), quoteOf(changed, prices)] })
    assert.match(await refusalOf(swap(own, open)), why)
    assert.equal(
      sent.map(({ to }) => to),
      [weth],
    )
  }
  // What an honest market does meanwhile is no reason to stop.
  const calldata = swapCalldata({ minAmountOut: 1_985n })
  const second = quoteOf({ calldata }, { output: '1995', min_output: '1985' })
  const { sent, ...own } = stand({ '/quote': [quoteOf(), second] })
  await swap(own, order)
  assert.equal(sent[1], { to: executor, data: calldata, value: 0n, chainId })
})
s('sends its proxy nothing but the swap ordered [client/refused-proxy]', async () => {
  const dataOf = (changed: object = {}) =>
    encodeFunctionData({
      abi: userProxyV6.abi,
      functionName: 'execute',
      args: [
        {
          tokenIn: weth,
          amountIn: 1_000n,
          tokenOut: usdc,
          minOut: 1_990n,
          spender: executor,
          target: executor,
          data: '0x',
          deadline: 9_999_999_999n,
          ...changed,
        },
      ],
    })
  const honest = { to: proxy, data: dataOf(), value: '0', minOut: '1990' }
  const cases = [
    [{}, { to: thief }, /not for the proxy/],
    [{}, { value: '1' }, /takes 1 wei instead of 0/],
    [{}, { data: '0xdeadbeef' }, /is no swap/],
    [{}, { data: dataOf({ minOut: 1n }) }, /may bring 1, less than 1990/],
    [{ slippageBps: 10 }, {}, /less than 1998/],
    [{ minOut: 1_991n }, {}, /less than 1991/],
    [{}, { data: dataOf({ tokenOut: thief }) }, /something else/],
    [{}, { data: dataOf({ tokenIn: usdc }) }, /something else/],
    [{}, { data: dataOf({ amountIn: 1_001n }) }, /something else/],
  ] as const
  const { executor: _, ...plain } = { ...order, factory }
  const answer = (changed: object) => ({
    '/quote': [{ best: { amountOut: '2000' }, proxyTx: { ...honest, ...changed } }],
  })
  // The chain's word is the proxy's address, and as an allowance enough.
  for (const [ordered, changed, why] of cases) {
    const { sent, ...own } = stand(answer(changed), BigInt(proxy))
    assert.match(await refusalOf(swapThroughProxy(own, { ...plain, ...ordered })), why)
    assert.equal(sent, [])
  }
  const { sent, ...own } = stand(answer({}), BigInt(proxy))
  await swapThroughProxy(own, plain)
  assert.equal(sent, [{ to: proxy, data: honest.data, value: 0n, chainId }])
})
const bound = { chainId, quotes: 7, maxAmount: 70n, quotaManager: manager }
const offerOf = (changed: object = {}) => ({
  contracts: [
    {
      chain_id: chainId,
      quota_contract: manager,
      payment_token: usdc,
      amount_per_quote: '10',
      ...changed,
    },
  ],
})
const named = { key_id: 'key_1', key_id_hash: keccak256(stringToBytes('key_1')) }
const sale = {
  '/auth/pricing': [offerOf()],
  '/auth/key-info': [named],
  '/auth/quota/claim': [{ purchased_quotes: 7 }],
}
s(
  'pays for quota no more than the caller says, in nothing else, and nobody else [client/refused-price]',
  async () => {
    const cases = [
      [bound, { amount_per_quote: '11' }, /7 quotes cost 77, and maxAmount is 70/],
      [bound, { quota_contract: thief }, /sold by 0x4444/],
      [bound, { payment_token: weth }, /paid in 0x1111.* not in 0x2222/],
      [
        { ...bound, quotaManager: undefined, paymentToken: usdc },
        { payment_token: weth },
        /paid in 0x1111.* not in 0x2222/,
      ],
      [{ ...bound, quotaManager: undefined }, {}, /has to be given/],
      // As JavaScript without types would have it.
      [{ ...bound, maxAmount: undefined as unknown as bigint }, {}, /maxAmount is undefined/],
    ] as const
    const answers = (changed: object) => ({ ...sale, '/auth/pricing': [offerOf(changed)] })
    for (const [ordered, changed, why] of cases) {
      const { sent, ...own } = stand(answers(changed))
      assert.match(await refusalOf(buyQuota(own, ordered)), why)
      assert.equal(sent, [])
    }
    const { sent, ...own } = stand(answers({}))
    await buyQuota(own, bound)
    assert.equal(
      sent.map(({ to }) => to),
      [usdc, manager],
    )
  },
)
s('pays for no key but the one that the chain will name [client/refused-key]', async () => {
  const { key_id_hash } = named
  for (const told of [{}, { key_id_hash }, { ...named, key_id_hash: pad('0x1') }]) {
    const { sent, ...own } = stand({ ...sale, '/auth/key-info': [told] })
    assert.match(await refusalOf(buyQuota(own, bound)), 'the hash of the key')
    assert.equal(sent, [])
  }
})
s('asks for a claim again when it is told to, and not at once [client/claim-wait]', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  const cases = [
    [409, inAnHour],
    [409, '99999999999'],
    [409, 'Fri, 31 Dec 9999 23:59:59 GMT'],
    // Others of its address claim, too.
    [429, '3600'],
  ] as const
  for (const [status, retryAfter] of cases) {
    const headers = { 'retry-after': retryAfter }
    const body = { error: 'it has 0 of 1 confirmations', code: 'conflict' }
    const early = Response.json(body, { status, headers })
    const { asked, client, wallet } = stand({ ...sale, '/auth/quota/claim': [early] })
    const leaving = new AbortController()
    const enough = new Error('enough')
    const claim: typeof client.access.claim = (...request) =>
      // By then one that is asked for again at once has been.
      client.access.claim(...request).finally(() => setImmediate(() => leaving.abort(enough)))
    const own = { client: { ...client, access: { ...client.access, claim } }, wallet }
    const buying = buyQuota(own, { ...bound, signal: leaving.signal })
    const { code, txHash, cause } = await buying.catch((thrown) => thrown)
    // What was paid is not to be paid again: its hash is told.
    assert.equal([code, txHash, cause], ['unclaimed', `0x${'ab'.repeat(32)}`, enough])
    assert.is(asked.filter((path) => path === '/auth/quota/claim').length, 1)
  }
})
s('signs a sign-in at this service and nothing else [client/refused-challenge]', async () => {
  const fields = {
    address,
    chainId,
    domain: 'routing.test',
    uri: 'http://routing.test',
    version: '1',
    statement: 'Sign in to Forkyard.',
    nonce: 'abcdefgh12345678',
    issuedAt: new Date(0),
  } as const
  const message = createSiweMessage(fields)
  const changed = (some: object) => createSiweMessage({ ...fields, ...some })
  const cases = [
    ['I owe you everything', /no EIP-4361 message/],
    [`${message}\nI owe you everything`, /no EIP-4361 message/],
    [message.replace('\n\nURI', '\nI owe you\n\nURI'), /no EIP-4361 message/],
    [changed({ domain: 'bank.test' }), /signs in at bank.test, not routing.test/],
    [changed({ address: thief }), /is for 0x4444/],
    [changed({ nonce: 'abcdefgh00000000' }), /another nonce or chain/],
    [changed({ chainId: 1 }), /another nonce or chain/],
  ] as const
  const signed: string[] = []
  const signMessage = async (text: string): Promise<Hex> => {
    signed.push(text)
    return '0x'
  }
  const clientOf = (text: string) =>
    stand({
      '/auth/challenge': [{ message: text, nonce: fields.nonce }],
      '/auth/register': [{ api_key: 'k' }],
    }).client
  const who = { address, chainId, signMessage }
  for (const [text, why] of cases)
    assert.match(await refusalOf(registerWallet(clientOf(text), who)), why)
  assert.equal(signed, [])
  await registerWallet(clientOf(message), who)
  await registerWallet(clientOf(cases[3][0]), { ...who, domain: 'bank.test' })
  assert.is(signed.length, 2)
})
s.run()
