import { decodeFunctionResult, encodeFunctionResult, type Hex, multicall3Abi } from 'viem'
import { makeQuote, makeRequest, weth } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { getChain } from '../chain/chains.ts'
import { type ChainClient, createChainClient } from '../chain/client.ts'
import { createPriceGas } from './priceGas.ts'
import type { GasPrice } from './rank.ts'

const s = suite('meta/priceGas')
const worlds = await Promise.all([8453, 42161].map((chainId) => startWorldChain({ chainId })))
const clients = worlds.map(({ chainId, rpcUrl }) => {
  const chain = getChain(chainId)
  if (!chain) throw new Error('no chain')
  return createChainClient({ chain, rpcUrls: [rpcUrl], timeoutMs: 5_000 })
})
s.after(async () => {
  for (const client of clients) client.close()
  await Promise.all(worlds.map((world) => world.close()))
})

let priced = 0
const price = async ({ amountIn }: { readonly amountIn: bigint }) => {
  priced++
  return (amountIn * 3_000n) / 10n ** 12n
}
const clientOf = (id: number) => clients.find(({ chainId }) => chainId === id)
const signal = new AbortController().signal
const quotes = [
  makeQuote({ provider: 'short', calldata: `0x12345678${'11'.repeat(100)}` }),
  makeQuote({ provider: 'long', calldata: `0x12345678${'22'.repeat(5_000)}` }),
]

/** The first that comes in time: what is read once is known to whoever asks again. */
async function readPrice(ask: () => Promise<GasPrice | undefined>): Promise<GasPrice | undefined> {
  let price: GasPrice | undefined
  await waitFor('a price', async () => {
    price = await ask()
    return price !== undefined
  })
  return price
}

for (const { chainId } of worlds)
  s(
    `${chainId}: knows gas, the L1 data fee of each payload, and the price of both [meta/gas-price]`,
    async () => {
      const priceGas = createPriceGas({ now: () => 0, clientOf, price })
      const request = makeRequest({ chainId, tokenIn: weth })
      const first = await readPrice(() => priceGas({ request, quotes, signal }))
      assert.ok((first?.gasPriceWei ?? 0n) > 0n)
      const { short = 0n, long = 0n } = first?.l1FeeWei ?? {}
      assert.ok(short > 0n, `${short}`)
      assert.ok(long > short * 5n, `${long} against ${short}`)
      const before = priced
      await priceGas({ request, quotes, signal })
      assert.is(priced, before)
    },
  )

/** The first of these calls is as if it had reverted. */
function revertFirst(data: Hex): Hex {
  const multicall = { abi: multicall3Abi, functionName: 'aggregate3' } as const
  const [, ...others] = decodeFunctionResult({ ...multicall, data })
  const result = [{ success: false, returnData: '0x' as Hex }, ...others]
  return encodeFunctionResult({ ...multicall, result })
}
/** A node that has no L1 data fee for the `short` payload. */
function withoutFee(chainClient: ChainClient): ChainClient {
  const { client } = chainClient
  const isAsked = (call: unknown) => JSON.stringify(call).includes('11'.repeat(100))
  const request = (async (call: { readonly method: string }, options?: object) => {
    const answer: unknown = await client.request(call as never, options)
    if (!isAsked(call)) return answer
    if (chainClient.chain.l1Fee === 'opStack') return revertFirst(answer as Hex)
    throw new Error('the node cannot')
  }) as typeof client.request
  return { ...chainClient, client: { ...client, request } }
}

for (const chainClient of clients)
  s(`${chainClient.chainId}: an L1 fee unknown for one payload counts for none`, async () => {
    const clientOf = () => withoutFee(chainClient)
    const priceGas = createPriceGas({ now: Date.now, clientOf, price })
    const request = makeRequest({ chainId: chainClient.chainId, tokenIn: weth })
    const gasPrice = await readPrice(() => priceGas({ request, quotes, signal }))
    assert.ok((gasPrice?.gasPriceWei ?? 0n) > 0n)
    assert.is(gasPrice?.l1FeeWei, undefined)
  })

s('has no price where routing has none, where it is late, and for a single quote', async () => {
  const none = createPriceGas({ now: Date.now, clientOf, price: async () => undefined })
  // WETH is the output here: its price needs nobody.
  await readPrice(() => none({ request: makeRequest(), quotes, signal }))
  const toUsdc = { ...makeRequest(), tokenOut: makeRequest().tokenIn }
  assert.is(await none({ request: toUsdc, quotes, signal }), undefined)
  const late = createPriceGas({
    now: Date.now,
    clientOf,
    price: () => new Promise(() => undefined),
  })
  assert.is(await late({ request: toUsdc, quotes, signal }), undefined)
  const priced = createPriceGas({ now: Date.now, clientOf, price })
  assert.is(await priced({ request: makeRequest(), quotes: quotes.slice(0, 1), signal }), undefined)
})

s.run()
