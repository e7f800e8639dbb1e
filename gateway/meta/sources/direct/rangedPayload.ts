import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { isNative } from '../../../chain/native.ts'
import type { Swap } from './directSource.ts'

/**
 * Routers of concentrated-liquidity exchanges. The first SwapRouter carries the deadline in each
 * struct, SwapRouter02 in its multicall; Algebra's is the first one with other words for native.
 */
export type RangedRouter = 'swapRouter' | 'swapRouter02' | 'algebra'

/** A way through pools, as their router reads it in either direction. */
export type PackedPath = { readonly forwards: Hex; readonly backwards: Hex }

const router02Abi = parseAbi([
  'struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct PathOut { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInput(Path params) payable returns (uint256)',
  'function exactOutput(PathOut params) payable returns (uint256)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
])
const router01Abi = parseAbi([
  'struct Path { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct PathOut { bytes path; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInput(Path params) payable returns (uint256)',
  'function exactOutput(PathOut params) payable returns (uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
])
const paymentsAbi = parseAbi([
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
  'function unwrapWNativeToken(uint256 amountMinimum, address recipient) payable',
  'function refundNativeToken() payable',
])

/** "The router itself", where native output is unwrapped before it is sent on. */
const routerItself: Readonly<Record<RangedRouter, Address>> = {
  swapRouter: '0x0000000000000000000000000000000000000000',
  swapRouter02: '0x0000000000000000000000000000000000000002',
  algebra: '0x0000000000000000000000000000000000000000',
}

type Encode = {
  readonly kind: RangedRouter
  readonly path: PackedPath
  readonly deadline: bigint
  readonly recipient: Address
}

function encodeSwap(
  { kind, path, deadline, recipient }: Encode,
  amounts: Swap<unknown>['amounts'],
): Hex {
  const abi = kind === 'swapRouter02' ? router02Abi : router01Abi
  if (amounts.type === 'exactInput') {
    const { amountIn, minAmountOut: amountOutMinimum } = amounts
    const params = { path: path.forwards, recipient, deadline, amountIn, amountOutMinimum }
    return encodeFunctionData({ abi, functionName: 'exactInput', args: [params] })
  }
  const { amountOut, maxAmountIn: amountInMaximum } = amounts
  const params = { path: path.backwards, recipient, deadline, amountOut, amountInMaximum }
  return encodeFunctionData({ abi, functionName: 'exactOutput', args: [params] })
}

function encodeUnwrap(kind: RangedRouter, minimum: bigint, recipient: Address): Hex {
  const functionName = kind === 'algebra' ? 'unwrapWNativeToken' : 'unwrapWETH9'
  return encodeFunctionData({ abi: paymentsAbi, functionName, args: [minimum, recipient] })
}

function encodeRefund(kind: RangedRouter): Hex {
  const functionName = kind === 'algebra' ? 'refundNativeToken' : 'refundETH'
  return encodeFunctionData({ abi: paymentsAbi, functionName })
}

/** Swap, then unwrap or refund, under one deadline. */
function bundle({ kind, deadline }: Pick<Encode, 'kind' | 'deadline'>, calls: readonly Hex[]): Hex {
  if (kind === 'swapRouter02')
    return encodeFunctionData({
      abi: router02Abi,
      functionName: 'multicall',
      args: [deadline, calls],
    })
  const [only] = calls
  if (only && calls.length === 1) return only
  return encodeFunctionData({ abi: router01Abi, functionName: 'multicall', args: [calls] })
}

/** The router's payload of one path, native in and out included. */
export function encodeRanged(
  kind: RangedRouter,
  { request, path, amounts, deadline }: Swap<PackedPath>,
): Hex {
  const { tokenIn, tokenOut, recipient } = request
  const nativeOut = isNative(tokenOut)
  const encode = { kind, path, deadline, recipient: nativeOut ? routerItself[kind] : recipient }
  const least = amounts.type === 'exactInput' ? amounts.minAmountOut : amounts.amountOut
  const hasRest = isNative(tokenIn) && amounts.type === 'exactOutput'
  return bundle(encode, [
    encodeSwap(encode, amounts),
    ...(nativeOut ? [encodeUnwrap(kind, least, recipient)] : []),
    ...(hasRest ? [encodeRefund(kind)] : []),
  ])
}
