import {
  createClient,
  custom,
  encodeFunctionResult,
  multicall3Abi,
  numberToHex,
  zeroAddress,
} from 'viem'
import { makeRequest, router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { chains } from '../../../chain/chains.ts'
import { toViemChain } from '../../../chain/client.ts'
import { withExactOutput } from '../../withExactOutput.ts'
import { createDirectSource, type DirectFamily, type Swap } from './directSource.ts'

const s = suite('meta/directSource')
const [base] = chains
if (!base) throw new Error('there is no chain')
const nowMs = 1_900_000_000_999
const context = { signal: new AbortController().signal, onRetry: () => undefined }

/** A node whose quoter pays as much as it is given, once for each call of a batch of one. */
const request = async () =>
  encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: [{ success: true, returnData: numberToHex(1, { size: 32 }) }],
  })
const client = createClient({ chain: toViemChain(base), transport: custom({ request }) })

/** An exchange at par without fees, whose router knows exact outputs. */
function open(taxes: Readonly<Record<string, number>> = {}) {
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
    { dexOf: () => dex, now: () => nowMs, taxOf },
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
s.run()
