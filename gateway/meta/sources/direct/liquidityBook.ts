import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import type { DirectDex, DirectFamily, Swap } from './directSource.ts'
import { type ExactInput, encodeExactInput } from './encodeExactInput.ts'
import { describePath, findPaths } from './findPools.ts'
import { wrapsNative } from './probeRouter.ts'

const quoterAbi = parseAbi([
  'struct Quote { address[] route; address[] pairs; uint256[] binSteps; uint8[] versions; uint128[] amounts; uint128[] virtualAmountsWithoutSlippage; uint128[] fees; }',
  'function findBestPathFromAmountIn(address[] route, uint128 amountIn) view returns (Quote quote)',
])
const routerAbi = parseAbi([
  'struct Path { uint256[] pairBinSteps; uint8[] versions; address[] tokenPath; }',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Path path, address to, uint256 deadline) returns (uint256 amountOut)',
  'function swapExactNATIVEForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, Path path, address to, uint256 deadline) payable returns (uint256 amountOut)',
  'function swapExactTokensForNATIVESupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMinNATIVE, Path path, address to, uint256 deadline) returns (uint256 amountOut)',
])
const maxUint128 = 2n ** 128n - 1n
/** Gas as receipts of swaps over few bins show it: the first pair with its transfers, then each further. */
const firstPairGas = 150_000n
const nextPairGas = 90_000n

/** Tokens along the way; the quoter says by which pairs. */
type BookPath = {
  readonly tokens: readonly Address[]
  readonly binSteps: readonly bigint[]
  readonly versions: readonly number[]
}

function encode(swap: Swap<BookPath>, amounts: ExactInput): Hex {
  const { binSteps, versions, tokens } = swap.path
  const path = { pairBinSteps: binSteps, versions, tokenPath: tokens }
  return encodeExactInput(swap, { abi: routerAbi, amounts, path, native: 'NATIVE' })
}

function askPrice({ quoter }: DirectDex, { tokens }: BookPath, amount: bigint) {
  const args = [tokens, amount < maxUint128 ? amount : maxUint128] as const
  const functionName = 'findBestPathFromAmountIn'
  const data = encodeFunctionData({ abi: quoterAbi, functionName, args })
  return { target: quoter ?? zeroAddress, data }
}

/** Liquidity Book: LBQuoter finds the pairs along a path of tokens, LBRouter trades them. */
export const liquidityBook: DirectFamily<BookPath> = {
  takesTaxedInput: true,
  exactOutput: false,
  hasNativePools: false,
  gas: firstPairGas,
  isRouter: wrapsNative('getWNATIVE'),
  listPaths: async ({ hubTokens }, { tokenIn, tokenOut }) =>
    findPaths(tokenIn, tokenOut, hubTokens).map((tokens) => ({
      tokens,
      binSteps: [],
      versions: [],
    })),
  askPrice: (dex, path, trade) =>
    askPrice(dex, path, trade.type === 'exactInput' ? trade.amountIn : trade.targetOut),
  readPrice: (data, { tokens }) => {
    const functionName = 'findBestPathFromAmountIn'
    const quote = decodeFunctionResult({ abi: quoterAbi, functionName, data })
    const { binSteps, versions, amounts } = quote
    const gas = nextPairGas * BigInt(tokens.length - 2)
    return { amount: amounts.at(-1) ?? 0n, gas, path: { tokens, binSteps, versions } }
  },
  encode: ({ router }, swap) => {
    if (swap.amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
    return { target: router, spender: router, calldata: encode(swap, swap.amounts) }
  },
  describe: ({ tokens, binSteps }) => describePath({ tokens, keys: binSteps }, String),
}
