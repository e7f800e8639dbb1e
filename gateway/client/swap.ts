import type { Address, Hex, TransactionReceipt } from 'viem'
import { checkExecution, checkRequote } from './checkAnswers.ts'
import type { Client } from './client.ts'
import {
  approveExact,
  createReader,
  readDelivered,
  requireChain,
  SwapError,
  transact,
  type Wallet,
} from './wallet.ts'
import { toQuoteRequest } from './wire/requests.ts'
import type { Quote } from './wire/routing.ts'

export type SwapOrder = {
  readonly chainId: number
  /** The zero address is the native currency. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** Below the quoted output. Default: the service's. */
  readonly slippageBps?: number | undefined
  /** Least output, whatever is quoted. */
  readonly minOut?: bigint | undefined
  /**
   * The SwapExecutor, from a source of your own (`forkyard/contracts`): nothing else is called or given an
   * allowance, and its calldata must swap what was ordered, to the wallet. Without it the service is trusted.
   */
  readonly executor?: Address | undefined
  readonly signal?: AbortSignal | undefined
}

export type Swapped = {
  readonly txHash: Hex
  readonly receipt: TransactionReceipt
  /** What arrived in the wallet. */
  readonly amountOut: bigint
  readonly quote: Quote
}

/**
 * Quote, exact approval where one is missing, the swap, its receipt. After an approval the price may have
 * moved: it is asked for again, which costs a second quote.
 */
export async function swap(
  { client, wallet }: { readonly client: Client; readonly wallet: Wallet },
  order: SwapOrder,
): Promise<Swapped> {
  const { chainId, tokenIn, tokenOut, amountIn, slippageBps, signal } = order
  const reader = createReader(wallet)
  await requireChain(reader, chainId)
  const taker = wallet.address
  const request = toQuoteRequest({ chainId, tokenIn, tokenOut, amountIn, slippageBps, taker })
  const askQuote = async () => toExecutable(await client.routing.quote(request, { signal }))
  const first = await askQuote()
  let call = checkExecution(order, { taker, ...first })
  let { quote } = first
  const approval = { token: tokenIn, spender: call.spender, amount: amountIn }
  if (await approveExact({ wallet, reader }, approval)) {
    const second = await askQuote()
    call = checkExecution(order, { taker, ...second })
    checkRequote(first, second)
    quote = second.quote
  }
  const { to, data, value } = call
  const receipt = await transact({ wallet, reader }, { to, data, value })
  const amountOut = await readDelivered({ wallet, reader }, { token: tokenOut, receipt, value })
  return { txHash: receipt.transactionHash, receipt, amountOut, quote }
}

function toExecutable(quote: Quote) {
  const { execution, route_unexecutable_reason: reason = 'no payload' } = quote
  if (!execution) throw new SwapError('not_executable', `the route cannot be executed: ${reason}`)
  return { quote, execution }
}
