import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import type { DirectFamily, Swap } from './directSource.ts'
import { encodeExactInput, formOf } from './encodeExactInput.ts'
import { findPaths } from './findPools.ts'
import { wrapsNative } from './probeRouter.ts'

const pricesAbi = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
])
const router02Abi = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
])
/** Camelot names a referrer, and has no exact outputs. */
const camelotAbi = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, address referrer, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, address referrer, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, address referrer, uint256 deadline)',
])

/** Gas of Router02 as receipts show it: the first pair with its transfers, then each further pair. */
export const firstPairGas = 140_000n
export const nextPairGas = 65_000n

type TokenPath = readonly Address[]
type ExactOutput = Extract<Swap<unknown>['amounts'], { readonly type: 'exactOutput' }>

function encodeExactOutput(
  { request, path: tokens, deadline }: Swap<TokenPath>,
  { amountOut, maxAmountIn }: ExactOutput,
): Hex {
  const path = [...tokens]
  const to = request.recipient
  const abi = router02Abi
  const form = formOf(request)
  if (form === 'ethForTokens')
    return encodeFunctionData({
      abi,
      functionName: 'swapETHForExactTokens',
      args: [amountOut, path, to, deadline],
    })
  return encodeFunctionData({
    abi,
    functionName: form === 'tokensForEth' ? 'swapTokensForExactETH' : 'swapTokensForExactTokens',
    args: [amountOut, maxAmountIn, path, to, deadline],
  })
}

/** Constant-product exchanges through their Router02: no pool needs finding, the router knows them. */
export const routerV2: DirectFamily<TokenPath> = {
  takesTaxedInput: true,
  exactOutput: true,
  hasNativePools: false,
  gas: 0n,
  isRouter: wrapsNative('WETH'),
  listPaths: async ({ hubTokens }, { tokenIn, tokenOut }) =>
    findPaths(tokenIn, tokenOut, hubTokens),
  askPrice: ({ router }, path, trade) => ({
    target: router,
    data:
      trade.type === 'exactInput'
        ? encodeFunctionData({
            abi: pricesAbi,
            functionName: 'getAmountsOut',
            args: [trade.amountIn, path],
          })
        : encodeFunctionData({
            abi: pricesAbi,
            functionName: 'getAmountsIn',
            args: [trade.targetOut, path],
          }),
  }),
  readPrice: (data, path, { type }) => {
    const functionName = type === 'exactInput' ? 'getAmountsOut' : 'getAmountsIn'
    const amounts = decodeFunctionResult({ abi: pricesAbi, functionName, data })
    const amount = type === 'exactInput' ? amounts.at(-1) : amounts[0]
    return { amount: amount ?? 0n, gas: firstPairGas + nextPairGas * BigInt(path.length - 2) }
  },
  encode: ({ router }, swap) => ({
    target: router,
    spender: router,
    calldata:
      swap.amounts.type === 'exactInput'
        ? encodeExactInput(swap, { abi: router02Abi, amounts: swap.amounts, path: swap.path })
        : encodeExactOutput(swap, swap.amounts),
  }),
  describe: (path) => path.join('>'),
}

/** Camelot v2: the same prices, other words for a swap. */
export const camelotV2: DirectFamily<TokenPath> = {
  ...routerV2,
  exactOutput: false,
  encode: ({ router }, swap) => {
    if (swap.amounts.type !== 'exactInput') throw new Error('Camelot has no exact outputs')
    const { amounts, path } = swap
    const calldata = encodeExactInput(swap, {
      abi: camelotAbi,
      amounts,
      path,
      referrer: zeroAddress,
    })
    return { target: router, spender: router, calldata }
  },
}
