import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  erc20Abi,
  formatUnits,
  maxUint256,
  zeroAddress,
} from 'viem'
import { getBalance, getGasPrice, readContract } from 'viem/actions'
import { wholeBps } from '../../amounts/amounts.ts'
import type { ProviderName } from '../../chain/chain.ts'
import type { Chain } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import { isNative } from '../../chain/native.ts'
import type { Execution } from '../../routing/buildExecution.ts'
import type { Quote } from '../../routing/finishQuote.ts'
import { isSameToken } from '../../routing/quoteRequest.ts'
import type { TokenInfo } from '../../routing/reads/readTokens.ts'
import type { Routing } from '../../routing/service/routing.ts'
import { invalid, Refused } from './refusal.ts'

export type Order = {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Of the output where something is to be bought. */
  readonly amount: bigint
  readonly side?: 'sell' | 'buy' | undefined
  readonly slippageBps: number
  /** Whoever sends the transaction when absent. */
  readonly recipient?: Address | undefined
  /** What was promised before: the payload guarantees no less. */
  readonly floor?: bigint | undefined
}

/** What any provider's answer is written from. */
export type Trade = {
  readonly chain: Chain
  readonly tokenIn: TokenInfo
  readonly tokenOut: TokenInfo
  readonly isNativeIn: boolean
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly minAmountOut: bigint
  readonly quote: Quote
  readonly execution: Execution
  readonly gas: bigint
  readonly gasPriceWei: bigint
}

/** Dollars of an amount as a decimal; undefined where nothing prices the token. */
export type ToUsd = (token: Address, amount: bigint) => string | undefined

export type Trades = ReturnType<typeof createTrades>

export type TradeDeps = {
  readonly routing: Pick<Routing, 'quote' | 'quoteExactOutput' | 'tokens' | 'usdPrices'>
  readonly clients: readonly Pick<ChainClient, 'chain' | 'client'>[]
  readonly executorOf: (chainId: number) => Address | undefined
}

const native: TokenInfo = { address: zeroAddress, symbol: 'ETH', decimals: 18 }
/** More than any pool counts. */
const mostIn = 2n ** 127n

/** The lab's routing service, asked in process, as all emulated providers see it. */
export function createTrades({ routing, clients, executorOf }: TradeDeps) {
  const chains = clients.flatMap(({ chain, client }) => {
    const executor = executorOf(chain.chainId)
    return executor ? [{ chain, client, executor }] : []
  })
  function findServed(chainId: number) {
    const served = chains.find(({ chain }) => chain.chainId === chainId)
    if (!served) throw new Refused({ kind: 'unknown_chain', chain: String(chainId) })
    return served
  }
  function findToken(chainId: number, address: Address): TokenInfo | undefined {
    return isNative(address) ? native : routing.tokens(chainId).get(address.toLowerCase())
  }
  function toToken(chainId: number, address: Address): TokenInfo {
    const token = findToken(chainId, address)
    if (!token) throw new Refused({ kind: 'unknown_token', token: address })
    return token
  }
  async function ask(order: Order, slippageBps: number): Promise<Quote> {
    const { chainId, tokenIn, tokenOut, amount, recipient: taker } = order
    const asked = { chainId, tokenIn, tokenOut, slippageBps, taker }
    const outcome =
      order.side === 'buy'
        ? await routing.quoteExactOutput({
            ...asked,
            targetOutput: amount,
            maxInput: mostIn,
            executableOnly: true,
          })
        : await routing.quote({ ...asked, amountIn: amount })
    if (outcome.status === 'unavailable')
      throw new Refused({ kind: 'unavailable', reason: outcome.reason })
    if (outcome.status === 'ok') return outcome.quote
    // Tokens that nobody has asked for before are looked for by the quote itself.
    for (const token of [tokenIn, tokenOut]) toToken(chainId, token)
    throw new Refused({ kind: 'no_route' })
  }
  /** A quote whose payload guarantees what was promised, as long as the pools still give it. */
  async function askFor(order: Order): Promise<Quote> {
    const quote = await ask(order, order.slippageBps)
    const { floor = 0n } = order
    if (quote.minAmountOut >= floor) return quote
    if (quote.amountOut < floor) throw new Refused({ kind: 'moved' })
    const again = await ask(order, Number(((quote.amountOut - floor) * wholeBps) / quote.amountOut))
    if (again.minAmountOut < floor) throw new Refused({ kind: 'moved' })
    return again
  }

  return {
    chains: chains.map(({ chain }) => chain),
    /** By a provider's own name of it. */
    toChainId(provider: ProviderName, slug: string): number {
      const found = chains.find(({ chain }) => chain.providers[provider]?.slug === slug)
      if (!found) throw new Refused({ kind: 'unknown_chain', chain: slug })
      return found.chain.chainId
    },
    toToken,
    tokens: (chainId: number): readonly TokenInfo[] => [
      native,
      ...routing.tokens(findServed(chainId).chain.chainId).values(),
    ],
    spenderOf: (chainId: number): Address => findServed(chainId).executor,
    clientOf: (chainId: number): ChainClient['client'] => findServed(chainId).client,
    readGasPrice: (chainId: number): Promise<bigint> => getGasPrice(findServed(chainId).client),
    async find(order: Order): Promise<Trade> {
      const { chain, client } = findServed(order.chainId)
      if (isSameToken(order.tokenIn, order.tokenOut)) throw invalid('the tokens', 'must differ')
      const [quote, gasPriceWei] = await Promise.all([askFor(order), getGasPrice(client)])
      const { execution } = quote
      if (!execution)
        throw new Refused({
          kind: 'unavailable',
          reason: quote.unexecutableReason ?? 'there is no payload',
        })
      return {
        chain,
        tokenIn: toToken(order.chainId, order.tokenIn),
        tokenOut: toToken(order.chainId, order.tokenOut),
        isNativeIn: isNative(order.tokenIn),
        amountIn: quote.inputConsumed,
        amountOut: quote.amountOut,
        minAmountOut: quote.minAmountOut,
        quote,
        execution,
        gas: quote.gasEstimate,
        gasPriceWei,
      }
    },
    /** What an account has of a token, and lets the executor take, or who else is to spend it. */
    async readFunds({
      chainId,
      token,
      owner,
      spender = findServed(chainId).executor,
    }: {
      readonly chainId: number
      readonly token: Address
      readonly owner: Address
      readonly spender?: Address | undefined
    }): Promise<{ readonly balance: bigint; readonly allowance: bigint }> {
      const { client } = findServed(chainId)
      if (isNative(token))
        return { balance: await getBalance(client, { address: owner }), allowance: maxUint256 }
      const contract = { address: token, abi: erc20Abi } as const
      const [balance, allowance] = await Promise.all([
        readContract(client, { ...contract, functionName: 'balanceOf', args: [owner] }),
        readContract(client, { ...contract, functionName: 'allowance', args: [owner, spender] }),
      ]).catch((error: unknown) => {
        throw isNoToken(error) ? new Refused({ kind: 'unknown_token', token }) : error
      })
      return { balance, allowance }
    },
    async readUsd(chainId: number): Promise<ToUsd> {
      const { wrappedNative } = findServed(chainId).chain
      const prices = await routing.usdPrices(chainId)
      return (token, amount) => {
        const address = isNative(token) ? wrappedNative : token
        const price = prices.get(address.toLowerCase())
        return price && Number(formatUnits(amount * price.usdPerRawE36, 36)).toFixed(6)
      }
    },
  }
}

/** Whether nobody is there, or somebody who is no token. */
const isNoToken = (error: unknown) =>
  error instanceof BaseError &&
  error.walk(
    (cause) =>
      cause instanceof ContractFunctionZeroDataError ||
      cause instanceof ContractFunctionRevertedError,
  ) !== null

/** Throws where the sender could not send the trade: not enough there, or not approved. */
export async function requireFunds(
  trades: Trades,
  { trade, owner }: { readonly trade: Trade; readonly owner: Address },
): Promise<void> {
  const { chain, tokenIn, amountIn: needed, execution } = trade
  const token = tokenIn.address
  const { balance, allowance } = await trades.readFunds({ chainId: chain.chainId, token, owner })
  const lacking = { kind: 'funds', token, needed, spender: execution.spender } as const
  if (balance < needed) throw new Refused({ ...lacking, lack: 'balance', actual: balance })
  if (allowance < needed) throw new Refused({ ...lacking, lack: 'allowance', actual: allowance })
}
