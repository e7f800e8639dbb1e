import { type Address, encodeFunctionData, type Hex } from 'viem'
import { userProxyV6 } from '../../contracts/artifacts.ts'
import { lessBps } from '../amounts/amounts.ts'
import { isNative } from '../chain/native.ts'
import { nativeToken, type SourceQuote, type SourceRequest } from './provider/source.ts'

/** Seconds that a proxy transaction stays valid: long enough for a person to sign. */
const validitySecs = 20n * 60n

export type ProxyTx = {
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly minOut: bigint
}

/**
 * The caller's own bound: exact output is exactly that, else the quote less slippage, rounded down but not
 * to nothing, which bounds nothing and the proxy refuses.
 */
export function minOutOf(request: SourceRequest, quote: SourceQuote): bigint {
  if (request.trade.type === 'exactOutput') return request.trade.targetOut
  const bound = lessBps(quote.amountOut, request.slippageBps)
  return bound > 0n ? bound : 1n
}

/** UserProxyV6.execute for one quote; `value` and `minOut` are what the calldata encodes. */
export function proxyTx({
  proxy,
  request,
  quote,
  nowMs,
}: {
  readonly proxy: Address
  readonly request: SourceRequest
  readonly quote: SourceQuote
  readonly nowMs: number
}): ProxyTx {
  const minOut = minOutOf(request, quote)
  const swap = {
    tokenIn: request.tokenIn,
    amountIn: quote.maxAmountIn,
    tokenOut: request.tokenOut,
    minOut,
    spender: quote.approveTarget ?? nativeToken,
    target: quote.target,
    data: quote.calldata,
    deadline: BigInt(Math.floor(nowMs / 1000)) + validitySecs,
  }
  const data = encodeFunctionData({ abi: userProxyV6.abi, functionName: 'execute', args: [swap] })
  return { to: proxy, data, value: isNative(request.tokenIn) ? quote.maxAmountIn : 0n, minOut }
}
