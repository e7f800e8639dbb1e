import {
  createClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  zeroAddress,
} from 'viem'
import { makeRequest, router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { chains } from '../../../chain/chains.ts'
import { toViemChain } from '../../../chain/client.ts'
import { nativeToken, type SourceOutcome } from '../../provider/source.ts'
import { withExactOutput } from '../../withExactOutput.ts'
import { createDirectSource, type DirectFamily, type Swap } from './directSource.ts'

const s = suite('meta/directSource')
const [base] = chains
if (!base) throw new Error('there is no chain')
const nowMs = 1_900_000_000_999
const context = { signal: new AbortController().signal, onRetry: () => undefined }

/** A node that answers each call of a batch with its number. */
const asked: number[] = []
async function request({ params }: { readonly params: readonly [{ readonly data: Hex }] }) {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data: params[0].data })
  const [calls] = args as readonly [readonly unknown[]]
  asked.push(calls.length)
  return encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: calls.map((_, index) => ({
      success: true,
      returnData: numberToHex(index + 1, { size: 32 }),
    })),
  })
}
const client = createClient({
  chain: toViemChain(base),
  transport: custom({ request: request as never }),
})

/** An exchange at par without fees, whose router knows exact outputs. */
function open(
  taxes: Readonly<Record<string, number>> = {},
  given: Partial<DirectFamily<string>> = {},
) {
  const swaps: Swap<string>[] = []
  const family: DirectFamily<string> = {
    takesTaxedInput: true,
    exactOutput: true,
    hasNativePools: false,
    gas: 0n,
    isRouter: async () => true,
    listPaths: async () => ['the pool'],
    askPrice: () => ({ target: router, data: '0x' }),
    readPrice: (_, __, trade) => ({
      amount: trade.type === 'exactInput' ? trade.amountIn : trade.targetOut,
      gas: 1n,
    }),
    encode(_, swap) {
      swaps.push(swap)
      return { target: router, spender: router, calldata: '0x12345678' }
    },
    describe: (path) => path,
    ...given,
  }
  const dex = {
    factory: router,
    router,
    feesPips: [],
    poolsBetween: () => [],
    reader: { client, multicall3: zeroAddress },
    wrappedNative: weth,
    hubTokens: [],
  }
  const taxOf = (_: number, token: string) => taxes[token]
  const source = createDirectSource(
    { dexOf: (chainId) => (chainId === 8453 ? dex : undefined), now: () => nowMs, taxOf },
    { name: 'par', family },
  )
  return { source, swaps }
}

s(
  'gives its payload twenty minutes of whole seconds, either kind of trade [meta/direct-deadline]',
  async () => {
    const { source, swaps } = open()
    const exactOutput = { type: 'exactOutput', targetOut: 900n, maxIn: 1_000n } as const
    for (const asked of [makeRequest(), makeRequest({ trade: exactOutput })])
      assert.is((await source.quote(asked, context)).status, 'quote')
    assert.equal(
      swaps.map(({ deadline }) => deadline),
      [1_900_001_200n, 1_900_001_200n],
    )
  },
)

s(
  'reaches an exact output of a taxed token by what arrives, at either end [meta/taxed-exact]',
  async () => {
    const targetOut = 1_000_000n
    for (const [token, inBps, outBps] of [
      [usdc, 300, 0],
      [weth, 0, 300],
    ] as const) {
      const { source, swaps } = open({ [token]: 300 })
      const trade = { type: 'exactOutput', targetOut, maxIn: 1_100_000n } as const
      // Its router would count what leaves the pool.
      const direct = await source.quote(makeRequest({ trade }), context)
      assert.is(direct.status === 'failure' && direct.reason, 'unsupported_exact_output')
      assert.is(swaps.length, 0)
      const outcome = await withExactOutput(source).quote(makeRequest({ trade }), context)
      if (outcome.status !== 'quote') throw new Error(JSON.stringify(outcome))
      const { quote } = outcome
      assert.equal([quote.taxInBps, quote.taxOutBps], [inBps, outBps])
      const arrives = (quote.amountIn * 9_700n) / 10_000n
      assert.is(quote.amountOut, arrives)
      assert.is(quote.minAmountOut, (arrives * 9_950n) / 10_000n)
      assert.ok(quote.minAmountOut >= targetOut)
      assert.is(quote.maxAmountIn, quote.amountIn)
      const swap = swaps.find(
        ({ amounts }) =>
          amounts.type === 'exactInput' && amounts.minAmountOut === quote.minAmountOut,
      )
      // All of it is sent: the tax is taken on the way.
      assert.is(swap?.amounts.type === 'exactInput' && swap.amounts.amountIn, quote.maxAmountIn)
    }
  },
)

s('needs no more than the caller pays, to the last unit of it [teeth/direct-amounts]', async () => {
  const { source } = open()
  const ask = (maxIn: bigint) =>
    source.quote(makeRequest({ trade: { type: 'exactOutput', targetOut: 900n, maxIn } }), context)
  const refused = await ask(899n)
  assert.is(refused.status === 'failure' && refused.detail, 'needs an input of 900')
  const exact = await ask(900n)
  assert.equal(
    exact.status === 'quote' && [
      exact.quote.amountIn,
      exact.quote.maxAmountIn,
      exact.quote.amountOut,
    ],
    [900n, 900n, 900n],
  )
})
s(
  'lowers its own guard to nothing where the caller guards the output [teeth/direct-amounts]',
  async () => {
    const { source } = open()
    const ask = async (relaxMinReturn: boolean) => {
      const outcome = await source.quote(makeRequest({ relaxMinReturn }), context)
      return outcome.status === 'quote' && outcome.quote.minAmountOut
    }
    assert.equal([await ask(false), await ask(true)], [995_000n, 0n])
  },
)
s('takes a tax of one basis point for one, at either end [teeth/direct-amounts]', async () => {
  for (const token of [usdc, weth]) {
    const trade = { type: 'exactOutput', targetOut: 9n, maxIn: 99n } as const
    const outcome = await open({ [token]: 1 }).source.quote(makeRequest({ trade }), context)
    assert.is(outcome.status === 'failure' && outcome.reason, 'unsupported_exact_output')
  }
})
/** What is said of a quote that there is none of. */
const refusalOf = (outcome: SourceOutcome) =>
  outcome.status === 'failure' ? [outcome.reason, outcome.detail] : outcome.status
const quoteOf = (outcome: SourceOutcome) => {
  if (outcome.status !== 'quote') throw new Error(JSON.stringify(outcome))
  return outcome.quote
}

s('sends value for the native currency, and counts the gas of wrapping it', async () => {
  for (const [hasNativePools, held] of [
    [false, weth],
    [true, nativeToken],
  ] as const) {
    const ends: unknown[] = []
    const { source } = open(
      {},
      {
        hasNativePools,
        gas: 10n,
        async listPaths(_, { tokenIn, tokenOut }) {
          ends.push([tokenIn, tokenOut])
          return ['the pool']
        },
      },
    )
    const ask = async (tokenIn: typeof usdc, tokenOut: typeof usdc) => {
      const request = makeRequest({ tokenIn, tokenOut })
      const { value, approveTarget, gasEstimate } = quoteOf(await source.quote(request, context))
      return [value, approveTarget, gasEstimate]
    }
    assert.equal(await ask(nativeToken, usdc), [1_000_000n, undefined, 25_011n])
    assert.equal(await ask(usdc, nativeToken), [0n, router, 25_011n])
    assert.equal(await ask(usdc, router), [0n, router, 11n])
    assert.equal(ends, [
      [held, usdc],
      [usdc, held],
      [usdc, router],
    ])
  }
})
s('sends as much value for an exact output as it may take', async () => {
  const trade = { type: 'exactOutput', targetOut: 900n, maxIn: 1_000n } as const
  const request = makeRequest({ tokenIn: nativeToken, tokenOut: usdc, trade })
  const { value, maxAmountIn } = quoteOf(await open().source.quote(request, context))
  assert.equal([value, maxAmountIn], [905n, 905n])
})
s('wraps nothing', async () => {
  for (const hasNativePools of [false, true])
    for (const [tokenIn, tokenOut] of [
      [nativeToken, weth],
      [weth, nativeToken],
    ] as const) {
      const { source } = open({}, { hasNativePools })
      const outcome = await source.quote(makeRequest({ tokenIn, tokenOut }), context)
      assert.equal(refusalOf(outcome), ['no_route', 'wrapping needs no DEX'])
    }
})
s('takes the native currency alone where its router takes nothing else, and says so', async () => {
  const { source } = open({}, { takesNativeOnly: 'why' })
  assert.is(source.note, 'why')
  assert.equal(refusalOf(await source.quote(makeRequest(), context)), ['unsupported_token', 'why'])
  const native = makeRequest({ tokenIn: nativeToken, tokenOut: usdc })
  assert.is((await source.quote(native, context)).status, 'quote')
  assert.is(open().source.note, undefined)
})
s('takes no taxed input where the router counts what it is sent', async () => {
  const { source } = open({ [usdc]: 300 }, { takesTaxedInput: false })
  assert.equal(refusalOf(await source.quote(makeRequest(), context)), [
    'unsupported_token',
    'the router takes no token that taxes its transfers',
  ])
  const bought = makeRequest({ tokenIn: weth, tokenOut: usdc })
  const { amountOut, taxOutBps } = quoteOf(await source.quote(bought, context))
  assert.equal([amountOut, taxOutBps], [970_000n, 300])
})
s('has no exact outputs where the router has none', async () => {
  const trade = { type: 'exactOutput', targetOut: 900n, maxIn: 1_000n } as const
  const { source } = open({}, { exactOutput: false })
  assert.equal(refusalOf(await source.quote(makeRequest({ trade }), context)), [
    'unsupported_exact_output',
    undefined,
  ])
})
s('is asked on no chain without such an exchange', async () => {
  const { source } = open()
  const outcome = await source.quote(makeRequest({ chainId: 1 }), context)
  assert.equal(refusalOf(outcome), ['unsupported_chain', undefined])
  assert.equal(
    [await source.isThere(1, context.signal), await source.isThere(8453, context.signal)],
    [false, true],
  )
})
s('asks once whether its router is one, and again after it could not', async () => {
  const failures = [new Error('away')]
  let looks = 0
  const { source } = open(
    {},
    {
      async isRouter() {
        looks += 1
        const failure = failures.shift()
        if (failure) throw failure
        return false
      },
    },
  )
  const [failed] = await Promise.allSettled([source.quote(makeRequest(), context)])
  assert.is(failed.status, 'rejected')
  for (const _ of [1, 2])
    assert.equal(refusalOf(await source.quote(makeRequest(), context)), [
      'not_configured',
      'there is no router at its address',
    ])
  assert.is(looks, 2)
})
s('takes the path that gives most, or takes least, and none that gives nothing', async () => {
  const prices: Readonly<Record<string, bigint>> = { a: 5n, b: 9n, c: 7n, d: 0n, e: 9n, f: 5n }
  const { source, swaps } = open(
    {},
    {
      listPaths: async () => Object.keys(prices),
      readPrice: (_, path) => ({ amount: prices[path] ?? 0n, gas: 1n }),
    },
  )
  const trade = { type: 'exactOutput', targetOut: 900n, maxIn: 1_000n } as const
  const sold = quoteOf(await source.quote(makeRequest(), context))
  const bought = quoteOf(await source.quote(makeRequest({ trade }), context))
  assert.equal([sold.amountOut, sold.route, bought.amountIn, bought.route], [9n, 'b', 5n, 'a'])
  assert.equal(
    swaps.map(({ path }) => path),
    ['b', 'a'],
  )
  const none = open({}, { readPrice: () => ({ amount: 0n, gas: 1n }) }).source
  assert.equal(refusalOf(await none.quote(makeRequest(), context)), ['no_route', undefined])
})
s('swaps by the pools that the exchange has priced, where it says which', async () => {
  const readPrice = () => ({ amount: 5n, gas: 1n, path: 'its own' })
  const { source } = open({}, { readPrice })
  assert.is(quoteOf(await source.quote(makeRequest(), context)).route, 'its own')
})
s('asks for the prices of 24 paths at most, those that stand first', async () => {
  asked.length = 0
  const listPaths = async () => Array.from({ length: 30 }, (_, index) => `${index}`)
  const readPrice = (_: Hex, path: string) => ({ amount: BigInt(path), gas: 1n })
  const { source } = open({}, { listPaths, readPrice })
  assert.is(quoteOf(await source.quote(makeRequest(), context)).route, '23')
  assert.equal(asked, [24])
})
s.run()
