import type { Address, Hex, TransactionReceipt } from 'viem'
import { checkExecution, checkRequote } from './checkAnswers.ts'
import type { Client } from './client.ts'
import { permitSwap } from './permitSwap.ts'
import {
  approveExact,
  type Call,
  readAllowance,
  readDelivered,
  requireOnChain,
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
   * The SwapExecutor, from a source of your own (a lab's manifest, the `deployments/<chain>.json` of whoever
   * runs the gateway): nothing else is called or given an allowance, and its calldata must swap what was
   * ordered, to the wallet. Without it the service is trusted.
   */
  readonly executor?: Address | undefined
  /** `false`: an approval is sent where the wallet could sign an EIP-2612 permit. */
  readonly permit?: boolean | undefined
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
 * Quote, leave to spend exactly what is sold, the swap, its receipt. Leave is a permit within the swap where the
 * token takes one and the wallet signs it, else an approval before it. After an approval the price may have
 * moved: it is asked for again, which costs a second quote.
 */
export async function swap(
  { client, wallet }: { readonly client: Client; readonly wallet: Wallet },
  order: SwapOrder,
): Promise<Swapped> {
  const { chainId, tokenIn, tokenOut, amountIn, slippageBps, permit = true, signal } = order
  const onChain = await requireOnChain(wallet, chainId)
  const taker = wallet.address
  const request = toQuoteRequest({ chainId, tokenIn, tokenOut, amountIn, slippageBps, taker })
  const askQuote = async () => toExecutable(await client.routing.quote(request, { signal }))
  const first = await askQuote()
  const quoted = checkExecution(order, { taker, ...first })
  const approval = { token: tokenIn, spender: quoted.spender, amount: amountIn }
  const send = async ({ to, data, value }: Call, quote: Quote): Promise<Swapped> => {
    const receipt = await transact(onChain, { to, data, value })
    const amountOut = await readDelivered(onChain, { token: tokenOut, receipt, value })
    return { txHash: receipt.transactionHash, receipt, amountOut, quote }
  }
  if ((await readAllowance(onChain, approval)) >= amountIn) return send(quoted, first.quote)
  const asked = { call: quoted, token: tokenIn, amount: amountIn }
  const permitted = permit && (await permitSwap(onChain, asked))
  if (permitted) return send(permitted, first.quote)
  await approveExact(onChain, approval)
  const second = await askQuote()
  const requoted = checkExecution(order, { taker, ...second })
  checkRequote(first, second)
  return send(requoted, second.quote)
}

function toExecutable(quote: Quote) {
  const { execution, route_unexecutable_reason: reason = 'no payload' } = quote
  if (!execution) throw new SwapError('not_executable', `the route cannot be executed: ${reason}`)
  return { quote, execution }
}
