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
import type { ProviderName } from '../../chain/chain.ts'
import { bebopSelector, readBebop } from './readBebop.ts'
import { payee } from './readBytesList.ts'
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

/**
 * `unknown`: a function that nobody taught us, or an order whose outcome it does not tell. `garbled`: a known one,
 * with arguments that it cannot have.
 */
export type ReadSwap =
  | { readonly status: 'read'; readonly swap: PayloadSwap }
  | { readonly status: 'unknown' }
  | { readonly status: 'garbled' }

/**
 * Functions of routers as their recorded bodies and verified sources have them: 0x's AllowanceHolder
 * and Settler, 1inch v6, KyberSwap, Velora v6.2, OpenOcean, Sushi, Uniswap's SwapProxy. Bebop's and LI.FI's
 * have files of their own.
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
  readonly flags: bigint
}

/** Filled in part, the least counts for that part of what fees have left, which may be next to nothing. */
const partialFill = 1n

function fromDesc(desc: Desc): PayloadSwap {
  return {
    tokenIn: desc.srcToken,
    tokenOut: desc.dstToken,
    amountIn: desc.amount,
    minAmountOut: (desc.flags & partialFill) === 0n ? desc.minReturnAmount : 0n,
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
  if (minAmountOut === 0n) return taken
  return { ...taken, tokenOut: buyToken, minAmountOut, recipient: payee(recipient) }
}

/** Of Velora's word for a partner and what is his: his part of the output, in bps. */
const veloraFeeBps = 0x3fffn

/** What is more than was quoted, and a partner's part, go elsewhere once the router has seen the least arrive. */
function readVelora(data: Hex): PayloadSwap {
  const { functionName, args } = decodeFunctionData({ abi: veloraAbi, data })
  const [, order, partnerAndFee] = args
  const { srcToken, destToken, fromAmount, toAmount, quotedAmount, beneficiary } = order
  const swap = { tokenIn: srcToken, tokenOut: destToken, recipient: beneficiary }
  const taken = { ...swap, amountIn: fromAmount }
  // Fees of an exact output are taken of the input, and all that its executor keeps.
  if (functionName === 'swapExactAmountOut') return { ...taken, minAmountOut: toAmount }
  const feeBps = lesser(partnerAndFee & veloraFeeBps, wholeBps)
  return { ...taken, minAmountOut: lessBps(lesser(toAmount, quotedAmount), feeBps) }
}

function readSushi(data: Hex): PayloadSwap {
  const { functionName, args } = decodeFunctionData({ abi: sushiAbi, data })
  if (functionName === 'snwap') {
    const [tokenIn, amountIn, recipient, tokenOut, minAmountOut] = args
    return { tokenIn, amountIn, recipient: payee(recipient), tokenOut, minAmountOut }
  }
  const [tokenIn, amountIn, tokenOut, minAmountOut, recipient] = args
  return { tokenIn, amountIn, tokenOut, minAmountOut, recipient: payee(recipient) }
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

type Reader = readonly [of: ProviderName, read: (data: Hex) => PayloadSwap | undefined]

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['0x2213bc0b', ['0x', readHolder]],
  [
    '0x07ed2379',
    ['1inch', (data) => fromDesc(decodeFunctionData({ abi: oneInchAbi, data }).args[1])],
  ],
  [
    '0xe21fd0e9',
    ['kyberswap', (data) => fromDesc(decodeFunctionData({ abi: kyberAbi, data }).args[0].desc)],
  ],
  ['0xe3ead59e', ['velora', readVelora]],
  ['0x7f457675', ['velora', readVelora]],
  ['0x90411a32', ['openocean', (data) => fromDesc(argumentsOf(openOceanArguments, data)[1])]],
  ['0x5f3bd1c8', ['sushi', readSushi]],
  ['0x2646478b', ['sushi', readSushi]],
  [bebopSelector, ['bebop', readBebop]],
  ['0x2894adf9', ['uniswap-api', readSwapProxy]],
  ...programSelectors.map((selector) => [selector, ['uniswap-api', readRouter]] as const),
  ...lifiSelectors.map((selector) => [selector, ['lifi', readLifi]] as const),
])
const readerOf = (calldata: Hex) => readers.get(calldata.slice(0, 10).toLowerCase())

/** The swap that a router's calldata orders, as far as its function is known. */
export function readSwap(calldata: Hex): ReadSwap {
  const [, read] = readerOf(calldata) ?? []
  if (!read) return { status: 'unknown' }
  try {
    const swap = read(calldata)
    return swap ? { status: 'read', swap } : { status: 'unknown' }
  } catch {
    // Whatever does not decode would not run either.
    return { status: 'garbled' }
  }
}

/** Whether a payload calls a function of the provider's own router that is known. */
export const isFunctionOf = (provider: string, calldata: Hex): boolean =>
  readerOf(calldata)?.[0] === provider
