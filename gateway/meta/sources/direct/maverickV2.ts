import { decodeFunctionResult, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import type { DirectFamily } from './directSource.ts'
import { describePath } from './findPools.ts'
import { createPairLister, type PairHop } from './pairPools.ts'
import { wrapsNative } from './probeRouter.ts'

const poolAbi = parseAbi([
  'function tokenA() view returns (address token)',
  'function tokenB() view returns (address token)',
])
const quoterAbi = parseAbi([
  'function calculateSwap(address pool, uint128 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) returns (uint256 amountIn, uint256 amountOut, uint256 gasEstimate)',
])
const routerAbi = parseAbi([
  'function exactInputSingle(address recipient, address pool, bool tokenAIn, uint256 amountIn, uint256 amountOutMinimum) payable returns (uint256 amountOut)',
])
const lastTick = 2 ** 31 - 1
const maxAmount = (1n << 128n) - 1n
/** What a transaction burns beyond the quoter's estimate. */
const routerGas = 60_000n

const tokenCalls = (['tokenA', 'tokenB'] as const).map((functionName) =>
  encodeFunctionData({ abi: poolAbi, functionName }),
)

/** Maverick v2: one pool through its router. Its pools hold the wrapped currency only. */
export function createMaverickV2(): DirectFamily<PairHop> {
  return {
    takesTaxedInput: false,
    exactOutput: false,
    // The native currency finds no pool: what the router does with value is nowhere told.
    hasNativePools: true,
    gas: routerGas,
    isRouter: wrapsNative('weth'),
    listPaths: createPairLister((_, pool) => tokenCalls.map((data) => ({ target: pool, data }))),
    askPrice: ({ quoter = zeroAddress }, { pool, givesFirst }, trade) => {
      const asked = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
      // The quoter takes 128 bits; an answer for less than what was asked is no price.
      const amount = asked < maxAmount ? asked : maxAmount
      const tickLimit = givesFirst ? lastTick : -lastTick - 1
      const args = [pool, amount, givesFirst, false, tickLimit] as const
      const data = encodeFunctionData({ abi: quoterAbi, functionName: 'calculateSwap', args })
      return { target: quoter, data }
    },
    readPrice: (data, _, trade) => {
      const functionName = 'calculateSwap'
      const [taken, amount, gas] = decodeFunctionResult({ abi: quoterAbi, functionName, data })
      const isWhole = trade.type === 'exactInput' && taken === trade.amountIn
      return { amount: isWhole ? amount : 0n, gas }
    },
    encode: ({ router }, { request, path: { pool, givesFirst }, amounts }) => {
      if (amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
      const { amountIn, minAmountOut } = amounts
      const args = [request.recipient, pool, givesFirst, amountIn, minAmountOut] as const
      const calldata = encodeFunctionData({
        abi: routerAbi,
        functionName: 'exactInputSingle',
        args,
      })
      return { target: router, spender: router, calldata }
    },
    describe: ({ tokens, pool }) => describePath({ tokens, keys: [pool] }, String),
  }
}
