import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import {
  fail,
  guardBps,
  inputCap,
  isNative,
  lessBps,
  type SourceOutcome,
  type SourceRequest,
} from '../source.ts'

/** The first SwapRouter carries the deadline in each struct, SwapRouter02 in its multicall. */
type RouterKind = 'swapRouter' | 'swapRouter02'

export type V3Quote = {
  readonly tokens: readonly Address[]
  readonly feesPips: readonly number[]
  /** As the router reads it: backwards for exact output. */
  readonly packedPath: Hex
  /** Output of an exact input, input of an exact output. */
  readonly amount: bigint
  /** The quoter's own estimate: pools only. */
  readonly gas: bigint
}

const router02Abi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct PathOut { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInputSingle(Single params) payable returns (uint256)',
  'function exactInput(Path params) payable returns (uint256)',
  'function exactOutput(PathOut params) payable returns (uint256)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
])
const router01Abi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct Path { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct PathOut { bytes path; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInputSingle(Single params) payable returns (uint256)',
  'function exactInput(Path params) payable returns (uint256)',
  'function exactOutput(PathOut params) payable returns (uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
])
const paymentsAbi = parseAbi([
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
])

/** "The router itself", where native output is unwrapped before it is sent on. */
const routerItself: Readonly<Record<RouterKind, Address>> = {
  swapRouter: '0x0000000000000000000000000000000000000000',
  swapRouter02: '0x0000000000000000000000000000000000000002',
}

/** What a transaction burns beyond the quoter's estimate (which has the quoter's own); and wrapping. */
const routerGas = 30_000n
const nativeGas = 25_000n

type Encode = {
  readonly kind: RouterKind
  readonly quote: V3Quote
  readonly deadline: bigint
  readonly recipient: Address
}

function encodeExactInput(
  { kind, quote, deadline, recipient }: Encode,
  amounts: { readonly amountIn: bigint; readonly amountOutMinimum: bigint },
): Hex {
  const [tokenIn, tokenOut] = quote.tokens
  const [fee] = quote.feesPips
  const isSingle = quote.feesPips.length === 1
  if (isSingle && tokenIn && tokenOut && fee !== undefined) {
    const params = {
      tokenIn,
      tokenOut,
      fee,
      recipient,
      deadline,
      ...amounts,
      sqrtPriceLimitX96: 0n,
    }
    const abi = kind === 'swapRouter' ? router01Abi : router02Abi
    return encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [params] })
  }
  const params = { path: quote.packedPath, recipient, deadline, ...amounts }
  const abi = kind === 'swapRouter' ? router01Abi : router02Abi
  return encodeFunctionData({ abi, functionName: 'exactInput', args: [params] })
}

function encodeExactOutput(
  { kind, quote, deadline, recipient }: Encode,
  amounts: { readonly amountOut: bigint; readonly amountInMaximum: bigint },
): Hex {
  const params = { path: quote.packedPath, recipient, deadline, ...amounts }
  const abi = kind === 'swapRouter' ? router01Abi : router02Abi
  return encodeFunctionData({ abi, functionName: 'exactOutput', args: [params] })
}

/** Swap, then unwrap or refund, under one deadline. */
function bundle(
  { kind, deadline }: Pick<Encode, 'kind' | 'deadline'>,
  { swap, then }: { readonly swap: Hex; readonly then: readonly Hex[] },
): Hex {
  if (kind === 'swapRouter02')
    return encodeFunctionData({
      abi: router02Abi,
      functionName: 'multicall',
      args: [deadline, [swap, ...then]],
    })
  if (then.length === 0) return swap
  return encodeFunctionData({
    abi: router01Abi,
    functionName: 'multicall',
    args: [[swap, ...then]],
  })
}

type Parameters = {
  readonly name: string
  readonly router: Address
  readonly kind: RouterKind
  readonly request: SourceRequest
  readonly quote: V3Quote
  readonly deadline: bigint
}

/** The router's payload of one quoted path, native in and out included. */
export function encodeV3Swap(parameters: Parameters): SourceOutcome {
  const { name, router, kind, request, quote, deadline } = parameters
  const { trade, tokenIn, tokenOut, recipient } = request
  const nativeIn = isNative(tokenIn)
  const nativeOut = isNative(tokenOut)
  const encode = { kind, quote, deadline, recipient: nativeOut ? routerItself[kind] : recipient }
  const unwrap = (minimum: bigint) =>
    encodeFunctionData({
      abi: paymentsAbi,
      functionName: 'unwrapWETH9',
      args: [minimum, recipient],
    })
  const common = {
    provider: name,
    target: router,
    approveTarget: nativeIn ? undefined : router,
    gasEstimate: quote.gas + routerGas + (nativeIn || nativeOut ? nativeGas : 0n),
    taxInBps: 0,
    taxOutBps: 0,
    route: quote.tokens
      .map((token, at) => (at === 0 ? token : `[${quote.feesPips[at - 1]}]>${token}`))
      .join('>'),
  }
  if (trade.type === 'exactInput') {
    const { amountIn } = trade
    const amountOutMinimum = lessBps(quote.amount, guardBps(request, 10_000))
    const swap = encodeExactInput(encode, { amountIn, amountOutMinimum })
    const then = nativeOut ? [unwrap(amountOutMinimum)] : []
    return {
      status: 'quote',
      quote: {
        ...common,
        amountIn,
        maxAmountIn: amountIn,
        amountOut: quote.amount,
        minAmountOut: amountOutMinimum,
        calldata: bundle({ kind, deadline }, { swap, then }),
        value: nativeIn ? amountIn : 0n,
      },
    }
  }
  const amountOut = trade.targetOut
  const amountIn = quote.amount
  if (amountIn > trade.maxIn) return fail('no_route', `needs an input of ${amountIn}`)
  const { maxIn } = trade
  const maxAmountIn = inputCap(amountIn, { slippageBps: request.slippageBps, maxIn })
  const swap = encodeExactOutput(encode, { amountOut, amountInMaximum: maxAmountIn })
  const refund = encodeFunctionData({ abi: paymentsAbi, functionName: 'refundETH' })
  const then = [...(nativeOut ? [unwrap(amountOut)] : []), ...(nativeIn ? [refund] : [])]
  return {
    status: 'quote',
    quote: {
      ...common,
      amountIn,
      maxAmountIn,
      amountOut,
      minAmountOut: amountOut,
      calldata: bundle({ kind, deadline }, { swap, then }),
      value: nativeIn ? maxAmountIn : 0n,
    },
  }
}
