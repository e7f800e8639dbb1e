import {
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  slice,
  zeroAddress,
} from 'viem'
import { lessBps, lesser, wholeBps } from '../../amounts/amounts.ts'
import { lifiSelectors, readLifi } from './readLifi.ts'
import { type Delivery, listDeliveries } from './routerDeliveries.ts'
import { programSelectors, readProgram } from './routerProgram.ts'

/** What a payload says of the swap that it orders; what a function does not say is undefined. */
export type PayloadSwap = {
  readonly tokenIn?: Address | undefined
  readonly tokenOut?: Address | undefined
  /** At most so much is taken. */
  readonly amountIn?: bigint | undefined
  /** Less than this reverts. */
  readonly minAmountOut?: bigint | undefined
  /** The zero address is whoever sends the transaction. */
  readonly recipient?: Address | undefined
  /** Whom the input is handed to, and what becomes of it there is that contract's word. */
  readonly router?: Address | undefined
  /** The same of those whom a list does not know, and 0x's registry does. */
  readonly settlers?: readonly Address[] | undefined
  /** All that a router's program is sure to deliver: nothing else is guaranteed. */
  readonly deliveries?: readonly Delivery[] | undefined
}

/** `unknown`: a function that nobody taught us. `garbled`: a known one, with arguments that it cannot have. */
export type ReadSwap =
  | { readonly status: 'read'; readonly swap: PayloadSwap }
  | { readonly status: 'unknown' }
  | { readonly status: 'garbled' }

/**
 * Functions of routers as their recorded bodies and verified sources have them: 0x's AllowanceHolder
 * and Settler, 1inch v6, KyberSwap, Velora v6.2, OpenOcean, Sushi, Uniswap's SwapProxy.
 */
const holderAbi = parseAbi([
  'function exec(address operator, address token, uint256 amount, address target, bytes data)',
])
const settlerArguments = parseAbiParameters(
  '(address recipient, address buyToken, uint256 minAmountOut) slippage, uint256[] actions, bytes32 zid',
)
const oneInchAbi = parseAbi([
  'function swap(address executor, (address srcToken, address dstToken, address srcReceiver, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags) desc, bytes data)',
])
const kyberAbi = parseAbi([
  'struct Desc { address srcToken; address dstToken; address[] srcReceivers; uint256[] srcAmounts; address[] feeReceivers; uint256[] feeAmounts; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; bytes permit; }',
  'struct Execution { address callTarget; address approveTarget; bytes targetData; Desc desc; bytes clientData; }',
  'function swap(Execution execution)',
])
const veloraAbi = parseAbi([
  'struct Data { address srcToken; address destToken; uint256 fromAmount; uint256 toAmount; uint256 quotedAmount; bytes32 metadata; address beneficiary; }',
  'function swapExactAmountIn(address executor, Data data, uint256 partnerAndFee, bytes permit, bytes executorData)',
  'function swapExactAmountOut(address executor, Data data, uint256 partnerAndFee, bytes permit, bytes executorData)',
])
const openOceanArguments = parseAbiParameters(
  'address caller, (address srcToken, address dstToken, address srcReceiver, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 guaranteedAmount, uint256 flags, address referrer, bytes permit) desc, uint256[] calls',
)
const sushiAbi = parseAbi([
  'function snwap(address tokenIn, uint256 amountIn, address recipient, address tokenOut, uint256 amountOutMin, address executor, bytes executorData)',
  'function processRoute(address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOutMin, address to, bytes route)',
])
/** Before commands, inputs and deadline. */
const swapProxyArguments = parseAbiParameters('address router, address token, uint256 amount')
/** Where a list of bytes or of calls stands is enough: its entries may all name the same long ones, to be copied. */
const argumentsOf = <const types extends readonly AbiParameter[]>(types: types, data: Hex) =>
  decodeAbiParameters(types, slice(data, 4))

type Desc = {
  readonly srcToken: Address
  readonly dstToken: Address
  readonly dstReceiver: Address
  readonly amount: bigint
  readonly minReturnAmount: bigint
}

function fromDesc(desc: Desc): PayloadSwap {
  return {
    tokenIn: desc.srcToken,
    tokenOut: desc.dstToken,
    amountIn: desc.amount,
    minAmountOut: desc.minReturnAmount,
    recipient: desc.dstReceiver,
  }
}

/** AllowanceHolder names what is taken; the Settler's order inside it names what is given. */
function readHolder(data: Hex): PayloadSwap {
  const [operator, token, amountIn, called, inner] = decodeFunctionData({
    abi: holderAbi,
    data,
  }).args
  const taken = { tokenIn: token, amountIn, settlers: [operator, called] }
  if (slice(inner, 0, 4) !== '0x1fff991f') return taken
  const [{ recipient, buyToken, minAmountOut }] = argumentsOf(settlerArguments, inner)
  // A Settler without a minimum names no token and no recipient either.
  return minAmountOut === 0n ? taken : { ...taken, tokenOut: buyToken, minAmountOut, recipient }
}

/** Filled in part, the least counts for that part of what fees have left, and they may leave next to nothing. */
const kyberPartialFill = 1n

function readKyber(data: Hex): PayloadSwap {
  const { desc } = decodeFunctionData({ abi: kyberAbi, data }).args[0]
  const isPartial = (desc.flags & kyberPartialFill) !== 0n
  return fromDesc(isPartial ? { ...desc, minReturnAmount: 0n } : desc)
}

/** Of Velora's word for a partner and what is his: his part of the output, in bps. */
const veloraFeeBps = 0x3fffn

/** What is more than was quoted, and a partner's part, go elsewhere once the router has seen the least arrive. */
function readVelora(data: Hex): PayloadSwap {
  const { functionName, args } = decodeFunctionData({ abi: veloraAbi, data })
  const [, order, partnerAndFee] = args
  const { srcToken, destToken, fromAmount, toAmount, quotedAmount, beneficiary } = order
  const swap = { tokenIn: srcToken, tokenOut: destToken, recipient: beneficiary }
  // Fees of an exact output are taken of the input.
  if (functionName === 'swapExactAmountOut') return { ...swap, minAmountOut: toAmount }
  const feeBps = lesser(partnerAndFee & veloraFeeBps, wholeBps)
  const minAmountOut = lessBps(lesser(toAmount, quotedAmount), feeBps)
  return { ...swap, amountIn: fromAmount, minAmountOut }
}

function readSushi(data: Hex): PayloadSwap {
  const { functionName, args } = decodeFunctionData({ abi: sushiAbi, data })
  if (functionName === 'snwap') {
    const [tokenIn, amountIn, recipient, tokenOut, minAmountOut] = args
    return { tokenIn, amountIn, recipient, tokenOut, minAmountOut }
  }
  const [tokenIn, amountIn, tokenOut, minAmountOut, recipient] = args
  return { tokenIn, amountIn, tokenOut, minAmountOut, recipient }
}

/** The router's caller is the proxy, which hands on nothing. */
function readSwapProxy(data: Hex): PayloadSwap {
  const [router, tokenIn, amountIn] = argumentsOf(swapProxyArguments, data)
  const program = readProgram(data, { argument: 3, behind: 4 })
  return { router, tokenIn, amountIn, deliveries: listDeliveries(program, undefined) }
}

const readRouter = (data: Hex): PayloadSwap => ({
  deliveries: listDeliveries(readProgram(data, { behind: 4 }), zeroAddress),
})

const readers = new Map<string, (data: Hex) => PayloadSwap>([
  ['0x2213bc0b', readHolder],
  ['0x07ed2379', (data) => fromDesc(decodeFunctionData({ abi: oneInchAbi, data }).args[1])],
  ['0xe21fd0e9', readKyber],
  ['0xe3ead59e', readVelora],
  ['0x7f457675', readVelora],
  ['0x90411a32', (data) => fromDesc(argumentsOf(openOceanArguments, data)[1])],
  ['0x5f3bd1c8', readSushi],
  ['0x2646478b', readSushi],
  ['0x2894adf9', readSwapProxy],
  ...lifiSelectors.map((selector) => [selector, readLifi] as const),
  ...programSelectors.map((selector) => [selector, readRouter] as const),
])

/** The swap that a router's calldata orders, as far as its function is known. */
export function readSwap(calldata: Hex): ReadSwap {
  const read = readers.get(calldata.slice(0, 10).toLowerCase())
  if (!read) return { status: 'unknown' }
  try {
    return { status: 'read', swap: read(calldata) }
  } catch {
    // Whatever does not decode would not run either.
    return { status: 'garbled' }
  }
}
