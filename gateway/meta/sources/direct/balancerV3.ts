import { type Address, decodeFunctionResult, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { decodeResult, readBatch } from '../../provider/readBatch.ts'
import type { DirectFamily } from './directSource.ts'
import { describePath } from './findPools.ts'

const abi = parseAbi([
  'function version() view returns (string)',
  'function querySwapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, address sender, bytes userData) returns (uint256 amountOut)',
  'function swapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, uint256 minAmountOut, uint256 deadline, bool wethIsEth, bytes userData) payable returns (uint256 amountOut)',
])
/** Gas of the router's swap with both transfers, as receipts show it. */
const swapGas = 215_000n

type Hop = { readonly pool: Address; readonly tokens: readonly [Address, Address] }

/**
 * Balancer v3: one pool of the vault, priced and swapped by its router, which takes tokens by Permit2
 * alone: a second approval, which no field of a quote carries. What is left is the native currency.
 */
export const balancerV3: DirectFamily<Hop> = {
  takesTaxedInput: false,
  takesNativeOnly:
    'takes the native currency only: its router takes tokens by Permit2, a second approval that no field of a quote carries',
  exactOutput: false,
  hasNativePools: false,
  gas: swapGas,
  isRouter: async ({ router, reader }, signal) => {
    const data = encodeFunctionData({ abi, functionName: 'version' })
    const [answer] = await readBatch(reader, { calls: [{ target: router, data }], signal })
    const version = decodeResult(answer, (found) =>
      decodeFunctionResult({ abi, functionName: 'version', data: found }),
    )
    return version?.includes('"Router"') === true
  },
  listPaths: async ({ poolsBetween }, { tokenIn, tokenOut }) =>
    poolsBetween(tokenIn, tokenOut).map((pool) => ({ pool, tokens: [tokenIn, tokenOut] })),
  askPrice: ({ router }, { pool, tokens: [tokenIn, tokenOut] }, trade) => {
    const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
    const args = [pool, tokenIn, tokenOut, amount, zeroAddress, '0x'] as const
    const functionName = 'querySwapSingleTokenExactIn'
    return { target: router, data: encodeFunctionData({ abi, functionName, args }) }
  },
  readPrice: (data) => ({
    amount: decodeFunctionResult({ abi, functionName: 'querySwapSingleTokenExactIn', data }),
    gas: 0n,
  }),
  encode: ({ router }, { path, amounts, deadline }) => {
    if (amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
    const {
      pool,
      tokens: [tokenIn, tokenOut],
    } = path
    const { amountIn, minAmountOut } = amounts
    const wethIsEth = true
    // Pays whoever sends; a proxy hands all of it on.
    const args = [
      ...([pool, tokenIn, tokenOut, amountIn, minAmountOut, deadline, wethIsEth] as const),
      '0x',
    ] as const
    const calldata = encodeFunctionData({ abi, functionName: 'swapSingleTokenExactIn', args })
    return { target: router, spender: router, calldata }
  },
  describe: ({ tokens, pool }) => describePath({ tokens, keys: [pool] }, String),
}
