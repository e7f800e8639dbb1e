import { type Address, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { readContract } from 'viem/actions'
import { checkProxyTx } from './checkAnswers.ts'
import type { Client } from './client.ts'
import { type ObtainedProxy, obtainProxy } from './obtainProxy.ts'
import type { SwapOrder, Swapped } from './swap.ts'
import {
  approveExact,
  type OnChain,
  readDelivered,
  requireOnChain,
  SwapError,
  signerOf,
  transact,
  type Wallet,
} from './wallet.ts'
import type { QuoteResponse } from './wire/meta.ts'

const factoryAbi = parseAbi([
  'function proxyOf(address owner) view returns (address)',
  'function deploy(address owner) returns (address)',
])

export type ProxySwapOrder = Omit<SwapOrder, 'executor'> & {
  /** From a source of your own (`forkyard/contracts`): the proxy that it names is given an allowance. */
  readonly factory: Address
}

export type ProxySwapped = Omit<Swapped, 'quote'> & {
  readonly quote: QuoteResponse
  readonly proxy: Address
  /** Who deployed the proxy. */
  readonly by: Extract<ObtainedProxy, { status: 'ready' }>['by']
  /** Why the relay did not. */
  readonly refusal?: string | undefined
}

/**
 * The owner's proxy, by the relay where it can and else from the wallet; exact approval of the proxy; the best
 * of all sources through it; its receipt.
 */
export async function swapThroughProxy(
  { client, wallet }: { readonly client: Client; readonly wallet: Wallet },
  { factory, ...order }: ProxySwapOrder,
): Promise<ProxySwapped> {
  const { chainId, tokenIn, tokenOut, amountIn, slippageBps, signal } = order
  const onChain = await requireOnChain(wallet, chainId)
  const owner = wallet.address
  const obtained = await obtainProxy(
    { relayUrl: client.services.relay, wallet: toProxyWallet(onChain, factory) },
    { chainId, owner, tokenIn, amountIn },
  )
  if (obtained.status === 'unconfirmed')
    throw new SwapError('proxy_unconfirmed', obtained.refusal, obtained.txHash)
  const { proxy, by, refusal } = obtained
  await approveExact(onChain, { token: tokenIn, spender: proxy, amount: amountIn })
  const quote = await client.meta.quote(
    {
      chainId,
      tokenIn,
      tokenOut,
      amountIn: String(amountIn),
      slippageBps,
      taker: owner,
      dryRun: true,
      proxyAddress: proxy,
    },
    { signal },
  )
  const call = checkProxyTx(order, { proxy, ...requireProxyTx(quote) })
  const receipt = await transact(onChain, call)
  const amountOut = await readDelivered(onChain, { token: tokenOut, receipt, value: call.value })
  return { txHash: receipt.transactionHash, receipt, amountOut, quote, proxy, by, refusal }
}

function requireProxyTx({ best, proxyTx }: QuoteResponse) {
  if (best && proxyTx) return { quotedOut: best.amountOut, proxyTx }
  throw new SwapError('not_executable', 'no source gave a quote that the proxy can execute')
}

function toProxyWallet(onChain: OnChain, factory: Address) {
  const { wallet, reader } = onChain
  const { address: owner } = wallet
  return {
    async readProxy() {
      const args = [owner] as const
      const proxy = await readContract(reader, {
        address: factory,
        abi: factoryAbi,
        functionName: 'proxyOf',
        args,
      })
      return proxy === zeroAddress ? undefined : proxy
    },
    async deploy() {
      const data = encodeFunctionData({ abi: factoryAbi, functionName: 'deploy', args: [owner] })
      const receipt = await transact(onChain, { to: factory, data, value: 0n })
      return receipt.transactionHash
    },
    signTypedData: signerOf(wallet),
  }
}
