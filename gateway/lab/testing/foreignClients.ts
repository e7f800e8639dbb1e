import { buildSDK } from '@balmy/sdk'
import { createClient, getQuote, getRoutes, getStepTransaction } from '@lifi/sdk'
import velora from '@velora-dex/sdk'
import type { Address, Hex } from 'viem'

export type Swap = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly tokenIn: { readonly address: Address; readonly decimals: number }
  readonly tokenOut: { readonly address: Address; readonly decimals: number }
  readonly amount: bigint
  readonly taker: Address
}
export type Transaction = { readonly to: Address; readonly data: Hex; readonly value: bigint }

/** A quote as somebody else's client understands it; its transaction is asked for once the spender may take. */
export type ForeignQuote = {
  readonly amountOut: bigint
  readonly spender: Address
  readonly build: () => Promise<Transaction>
}
export type ForeignClient = {
  readonly name: string
  readonly quote: (base: string, swap: Swap) => Promise<ForeignQuote>
}

const toTransaction = (given: {
  to?: string | undefined
  data?: string | undefined
  value?: string | bigint | undefined
}): Transaction => ({
  to: given.to as Address,
  data: given.data as Hex,
  value: BigInt(given.value ?? 0),
})

const lifiClient = (base: string) =>
  createClient({ integrator: 'forkyard', apiUrl: `${base}/lifi/v1`, disableVersionCheck: true })

const lifiQuote: ForeignClient = {
  name: '@lifi/sdk: a quote',
  async quote(base, { chainId, tokenIn, tokenOut, amount, taker }) {
    const step = await getQuote(lifiClient(base), {
      fromChain: chainId,
      toChain: chainId,
      fromToken: tokenIn.address,
      toToken: tokenOut.address,
      fromAmount: amount.toString(),
      fromAddress: taker,
      slippage: 0.005,
    })
    return {
      amountOut: BigInt(step.estimate.toAmount),
      spender: step.estimate.approvalAddress as Address,
      build: async () => toTransaction(step.transactionRequest ?? {}),
    }
  },
}

const lifiRoute: ForeignClient = {
  name: '@lifi/sdk: a route, then its step',
  async quote(base, { chainId, tokenIn, tokenOut, amount, taker }) {
    const client = lifiClient(base)
    const { routes } = await getRoutes(client, {
      fromChainId: chainId,
      toChainId: chainId,
      fromTokenAddress: tokenIn.address,
      toTokenAddress: tokenOut.address,
      fromAmount: amount.toString(),
      fromAddress: taker,
      options: { slippage: 0.005 },
    })
    const step = routes[0]?.steps[0]
    if (!step) throw new Error('no route')
    return {
      amountOut: BigInt(step.estimate.toAmount),
      spender: step.estimate.approvalAddress as Address,
      build: async () =>
        toTransaction((await getStepTransaction(client, step)).transactionRequest ?? {}),
    }
  },
}

const veloraRate: ForeignClient = {
  name: '@velora-dex/sdk',
  async quote(base, { chainId, tokenIn, tokenOut, amount, taker }) {
    const sdk = velora.constructSimpleSDK({ chainId, fetch, apiURL: `${base}/velora` })
    const spender = await sdk.swap.getSpender()
    const priceRoute = await sdk.swap.getRate({
      srcToken: tokenIn.address,
      srcDecimals: tokenIn.decimals,
      destToken: tokenOut.address,
      destDecimals: tokenOut.decimals,
      amount: amount.toString(),
      userAddress: taker,
    })
    return {
      amountOut: BigInt(priceRoute.destAmount),
      spender: spender as Address,
      async build() {
        const { srcToken, destToken, srcAmount } = priceRoute
        const order = { srcToken, destToken, srcAmount, priceRoute, userAddress: taker }
        return toTransaction(await sdk.swap.buildTx({ ...order, slippage: 50 }))
      },
    }
  },
}

/** Where its sources ask, which it takes no other URL for: the same path at the lab. */
const hosts: Readonly<Record<string, string>> = {
  'api.0x.org': '0x',
  'api.1inch.dev': '1inch',
  'aggregator-api.kyberswap.com': 'kyberswap',
  'open-api.openocean.finance': 'openocean',
  'li.quest': 'lifi',
  'api.paraswap.io': 'velora',
}

function fetchFrom(base: string): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input))
    const name = hosts[url.hostname]
    if (name === undefined) throw new Error(`the lab does not stand for ${url.hostname}`)
    return fetch(`${base}/${name}${url.pathname}${url.search}`, init)
  }
}

/** A collection of adapters that others have written: one client for each of its sources. */
const balmy = (source: string): ForeignClient => ({
  name: `@balmy/sdk: ${source}`,
  async quote(base, { chainId, rpcUrl, tokenIn, tokenOut, amount, taker }) {
    const sdk = buildSDK({
      fetch: { fetch: fetchFrom(base) },
      provider: { source: { type: 'http', url: rpcUrl, supportedChains: [chainId] } },
      metadata: { source: { type: 'rpc-multicall' } },
      gas: { source: { type: 'rpc' } },
      // Prices of the world, which it does without.
      price: { source: { type: 'defi-llama' } },
      quotes: {
        sourceList: { type: 'local' },
        defaultConfig: {
          custom: {
            '0x': { apiKey: 'balmy' },
            '1inch': { apiKey: 'balmy' },
          },
        },
      },
    })
    const [quote] = await sdk.quoteService.getAllQuotesWithTxs({
      request: {
        chainId,
        sellToken: tokenIn.address,
        buyToken: tokenOut.address,
        order: { type: 'sell', sellAmount: amount },
        slippagePercentage: 0.5,
        takerAddress: taker,
        filters: { includeSources: [source] },
        sourceConfig: { global: { disableValidation: true } },
      },
      config: { ignoredFailed: false },
    })
    if (!quote) throw new Error(`${source} was not asked`)
    if ('failed' in quote) throw new Error(`${source}: ${String(quote.error)}`)
    return {
      amountOut: quote.buyAmount.amount,
      spender: quote.source.allowanceTarget as Address,
      build: async () => toTransaction(quote.tx),
    }
  },
})

/** Official or widely used, and told nothing but where to ask. */
export const foreignClients: readonly ForeignClient[] = [
  lifiQuote,
  lifiRoute,
  veloraRate,
  ...['0x', '1inch', 'kyberswap', 'open-ocean', 'paraswap', 'li-fi'].map(balmy),
]
