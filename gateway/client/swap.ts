import type { Address, Hex, TransactionReceipt } from 'viem'
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
  { chainId, tokenIn, tokenOut, amountIn, slippageBps, signal }: SwapOrder,
): Promise<Swapped> {
  const reader = createReader(wallet)
  await requireChain(reader, chainId)
  const taker = wallet.address
  const request = toQuoteRequest({ chainId, tokenIn, tokenOut, amountIn, slippageBps, taker })
  const askQuote = async () => toExecutable(await client.routing.quote(request, { signal }))
  let { quote, execution } = await askQuote()
  const approval = { token: tokenIn, spender: execution.spender, amount: amountIn }
  if (await approveExact({ wallet, reader }, approval)) ({ quote, execution } = await askQuote())
  const value = BigInt(execution.value)
  // As the document has it: calldata is hex.
  const data = execution.calldata as Hex
  const receipt = await transact({ wallet, reader }, { to: execution.target, data, value })
  const amountOut = await readDelivered({ wallet, reader }, { token: tokenOut, receipt, value })
  return { txHash: receipt.transactionHash, receipt, amountOut, quote }
}

function toExecutable(quote: Quote) {
  const { execution, route_unexecutable_reason: reason = 'no payload' } = quote
  if (!execution) throw new SwapError('not_executable', `the route cannot be executed: ${reason}`)
  return { quote, execution }
}
