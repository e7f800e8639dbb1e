import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'
import { isNative } from '../../../chain/native.ts'
import type { Swap } from './directSource.ts'

export type ExactInput = Extract<Swap<unknown>['amounts'], { readonly type: 'exactInput' }>

/** Which of three forms a router's functions have: native comes first, or last, or nowhere. */
export function formOf({ tokenIn, tokenOut }: Swap<unknown>['request']) {
  if (isNative(tokenIn)) return 'ethForTokens'
  return isNative(tokenOut) ? 'tokensForEth' : 'tokensForTokens'
}

const functionNames = {
  ethForTokens: (native: string) => `swapExact${native}ForTokensSupportingFeeOnTransferTokens`,
  tokensForEth: (native: string) => `swapExactTokensFor${native}SupportingFeeOnTransferTokens`,
  tokensForTokens: () => 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
} as const

/**
 * A swap in the words of Uniswap's Router02 and of its kin, whose functions differ in how they name the
 * path and in what stands between path, recipient and deadline. The fee-on-transfer forms measure what
 * arrived, so they serve ordinary tokens as well.
 */
export function encodeExactInput(
  { request, deadline }: Pick<Swap<unknown>, 'request' | 'deadline'>,
  {
    abi,
    amounts: { amountIn, minAmountOut },
    path,
    referrer,
    native = 'ETH',
  }: {
    readonly abi: Abi
    readonly amounts: ExactInput
    /** As its functions take it: tokens, routes, or a struct of them. */
    readonly path: unknown
    readonly referrer?: Address | undefined
    /** What its functions call the native currency. */
    readonly native?: 'ETH' | 'NATIVE'
  },
): Hex {
  const form = formOf(request)
  const amounts = form === 'ethForTokens' ? [minAmountOut] : [amountIn, minAmountOut]
  const named = referrer === undefined ? [] : [referrer]
  const args = [...amounts, path, request.recipient, ...named, deadline]
  return encodeFunctionData({ abi, functionName: functionNames[form](native), args })
}
