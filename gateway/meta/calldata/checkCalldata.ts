import { type Address, zeroAddress } from 'viem'
import { lessBps } from '../../amounts/amounts.ts'
import { getChain } from '../../chain/chains.ts'
import { isNative } from '../../chain/native.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import { nativeSpellings } from '../provider/provider.ts'
import {
  fail,
  type SourceFailure,
  type SourceQuote,
  type SourceRequest,
} from '../provider/source.ts'
import { type PayloadSwap, readSwap } from './readSwap.ts'

/** Providers round their guards and keep fees: a guard may be so much looser than what was asked for. */
export const guardToleranceBps = 100

const natives: ReadonlySet<string> = new Set(
  Object.values(nativeSpellings).map((spelling) => spelling.toLowerCase()),
)

function isSameToken(given: Address, asked: Address): boolean {
  const lower = given.toLowerCase()
  return isNative(asked) ? natives.has(lower) : lower === asked.toLowerCase()
}

/** The output may go to whoever sends as well: a proxy hands on all that it gets. */
function isReceiver(given: Address, { recipient, sender }: SourceRequest): boolean {
  return [recipient, sender, zeroAddress].some(
    (allowed) => allowed.toLowerCase() === given.toLowerCase(),
  )
}

/** The least that a payload may guarantee: what the caller asked for, with some room. */
function leastGuard(quote: SourceQuote, { trade, slippageBps, relaxMinReturn }: SourceRequest) {
  if (relaxMinReturn) return 0n
  if (trade.type === 'exactOutput') return trade.targetOut
  return lessBps(quote.amountOut, Math.min(10_000, slippageBps + guardToleranceBps))
}

/** What a payload is sure to deliver, or reverts; undefined where its function does not say. */
export function findGuaranteed(
  { deliveries, settlers, minAmountOut }: PayloadSwap,
  request: SourceRequest,
): bigint | undefined {
  // A Settler that is told of no minimum, or something else, guarantees none.
  if (!deliveries) return settlers ? (minAmountOut ?? 0n) : minAmountOut
  const wrapped = getChain(request.chainId)?.wrappedNative
  return deliveries.reduce((sum, { token, recipient, amount }) => {
    const given = token === 'wrapped' ? wrapped : token
    const isAsked = given !== undefined && isSameAddress(given, request.tokenOut)
    return isAsked && isReceiver(recipient, request) ? sum + amount : sum
  }, 0n)
}

/**
 * What a payload of a known function orders, against what was asked and what the quote says: tokens,
 * input, guard and who receives. Undefined when nothing speaks against it.
 */
export function checkCalldata(
  quote: SourceQuote,
  request: SourceRequest,
  read = readSwap(quote.calldata),
): SourceFailure | undefined {
  if (read.status === 'unknown') return undefined
  if (read.status === 'garbled')
    return fail('calldata_mismatch', 'the payload does not fit its function')
  const { tokenIn, tokenOut, amountIn, recipient } = read.swap
  if (tokenIn && !isSameToken(tokenIn, request.tokenIn))
    return fail('calldata_mismatch', 'the payload takes another token')
  if (tokenOut && !isSameToken(tokenOut, request.tokenOut))
    return fail('calldata_mismatch', 'the payload gives another token')
  if (recipient && !isReceiver(recipient, request))
    return fail('calldata_mismatch', 'the payload pays somebody else')
  const isExactIn = request.trade.type === 'exactInput'
  if (
    amountIn !== undefined &&
    (isExactIn ? amountIn !== quote.maxAmountIn : amountIn > quote.maxAmountIn)
  )
    return fail('calldata_mismatch', `the payload takes ${amountIn}`)
  const guaranteed = findGuaranteed(read.swap, request)
  if (guaranteed !== undefined && guaranteed < leastGuard(quote, request))
    return fail('calldata_mismatch', `the payload guarantees ${guaranteed} only`)
  return undefined
}
