import { type Address, decodeFunctionResult, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import type { DirectFamily } from './directSource.ts'
import { describePath } from './findPools.ts'
import { toCoin } from './pairPools.ts'
import { probeRouter } from './probeRouter.ts'

const poolAbi = parseAbi([
  'function query(address from, address to, uint256 amount) view returns (uint256 amountOut)',
])
const routerAbi = parseAbi([
  'function swap(address from, address to, uint256 amount, uint256 minToAmount, address recipient, address rebateTo) payable returns (uint256 amountOut)',
])
/** Gas of the router's swap with both transfers; from token to token it is two trades. */
const swapGas = 150_000n

type Hop = { readonly pool: Address; readonly tokens: readonly [Address, Address] }

/** WOOFi: one contract for all its tokens, which is the factory of its row; the router wraps. */
export const woofi: DirectFamily<Hop> = {
  takesTaxedInput: false,
  exactOutput: false,
  hasNativePools: false,
  gas: swapGas,
  isRouter: async (dex, signal) => {
    const functions = ['WETH', 'wooPool'] as const
    const [wrapped, pool] = await probeRouter(dex, { functions, signal })
    if (!wrapped || !pool) return false
    return isSameAddress(wrapped, dex.wrappedNative) && isSameAddress(pool, dex.factory)
  },
  listPaths: async ({ factory }, { tokenIn, tokenOut }) => [
    { pool: factory, tokens: [tokenIn, tokenOut] },
  ],
  askPrice: (_, { pool, tokens: [from, to] }, trade) => {
    const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
    const args = [from, to, amount] as const
    return { target: pool, data: encodeFunctionData({ abi: poolAbi, functionName: 'query', args }) }
  },
  readPrice: (data) => ({
    amount: decodeFunctionResult({ abi: poolAbi, functionName: 'query', data }),
    gas: 0n,
  }),
  encode: ({ router }, { request, amounts }) => {
    if (amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
    const { tokenIn, tokenOut, recipient } = request
    const args = [
      ...([toCoin(tokenIn), toCoin(tokenOut), amounts.amountIn, amounts.minAmountOut] as const),
      ...([recipient, zeroAddress] as const),
    ] as const
    const calldata = encodeFunctionData({ abi: routerAbi, functionName: 'swap', args })
    return { target: router, spender: router, calldata }
  },
  describe: ({ tokens, pool }) => describePath({ tokens, keys: [pool] }, String),
}
