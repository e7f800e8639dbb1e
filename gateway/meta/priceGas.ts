import type { Address, Hex } from 'viem'
import type { Chain } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'
import { isNative } from '../chain/native.ts'
import { isSameAddress } from '../chain/sameAddress.ts'
import type { SourceQuote, SourceRequest } from './provider/source.ts'
import type { GasPrice } from './rank.ts'
import { readL1Fees } from './readL1Fees.ts'

/** How long a price of the native currency and of gas is believed. */
const priceTtlMs = 15_000
/** Amount that is priced, in wei: large enough for six decimals, small enough to move nothing. */
const referenceWei = 10n ** 16n
/** Ranking gross beats answering late. */
const budgetMs = 400

export type PriceGasDeps = {
  readonly now: () => number
  readonly clientOf: (chainId: number) => ChainClient | undefined
  /** Output of an exact input, undefined without a route: the routing use case. */
  readonly price: (p: {
    readonly chainId: number
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly amountIn: bigint
    readonly signal: AbortSignal
  }) => Promise<bigint | undefined>
}

type Priced = { readonly tokenAmount: bigint; readonly gasPriceWei: bigint }

/** What gas costs in the token that quotes are compared in; remembers prices for a short while. */
export function createPriceGas(deps: PriceGasDeps) {
  const known = new Map<
    string,
    { readonly priced: Promise<Priced | undefined>; readonly atMs: number }
  >()

  async function readPrice(
    { client, chain }: ChainClient,
    token: Address,
    signal: AbortSignal,
  ): Promise<Priced | undefined> {
    const isWrapped = isNative(token) || isSameAddress(token, chain.wrappedNative)
    const [gasPrice, tokenAmount] = await Promise.all([
      client.request({ method: 'eth_gasPrice' }) as Promise<Hex>,
      isWrapped ? referenceWei : priceOf(chain, token, signal),
    ])
    return tokenAmount === undefined ? undefined : { tokenAmount, gasPriceWei: BigInt(gasPrice) }
  }

  function priceOf(chain: Chain, tokenOut: Address, signal: AbortSignal) {
    const { chainId, wrappedNative: tokenIn } = chain
    return deps.price({ chainId, tokenIn, tokenOut, amountIn: referenceWei, signal })
  }

  function remember(chainClient: ChainClient, token: Address): Promise<Priced | undefined> {
    const key = `${chainClient.chainId}:${token}`
    const hit = known.get(key)
    if (hit && hit.atMs > deps.now() - priceTtlMs) return hit.priced
    if (known.size > 5_000) known.clear()
    // Shared by requests: one caller leaving must not take the price from the others.
    const priced = readPrice(chainClient, token, AbortSignal.timeout(5_000))
    known.set(key, { priced, atMs: deps.now() })
    priced.catch(() => known.delete(key))
    return priced
  }

  async function read(
    chainClient: ChainClient,
    {
      request,
      quotes,
      signal,
    }: { request: SourceRequest; quotes: readonly SourceQuote[]; signal: AbortSignal },
  ): Promise<GasPrice | undefined> {
    const { type } = request.trade
    const token = type === 'exactInput' ? request.tokenOut : request.tokenIn
    const [priced, l1FeeWei] = await Promise.all([
      remember(chainClient, token),
      // Unknown for one is unknown for all: they are then compared by their gas alone, alike.
      readL1Fees(chainClient, { quotes, signal }).catch(() => undefined),
    ])
    return priced && { ...priced, perWei: referenceWei, l1FeeWei }
  }

  /** Undefined where there is no price in time: amounts are then compared gross. */
  return async function priceGas(p: {
    readonly request: SourceRequest
    readonly quotes: readonly SourceQuote[]
    readonly signal: AbortSignal
  }): Promise<GasPrice | undefined> {
    const chainClient = deps.clientOf(p.request.chainId)
    // One quote needs no comparison.
    if (!chainClient || p.quotes.length < 2) return undefined
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), budgetMs)
    // Any failure means "no price": ranking goes on without it.
    const asked = read(chainClient, p).catch(() => undefined)
    const price = await Promise.race([asked, late])
    clearTimeout(timer)
    return price
  }
}
