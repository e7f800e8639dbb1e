import { decodeFunctionResult, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { decodeResult, readBatch } from '../../provider/readBatch.ts'
import type { DirectFamily, NamedContracts } from './directSource.ts'
import { describePath } from './findPools.ts'
import { createPairLister, type PairHop } from './pairPools.ts'

/** Of the resolver of reserves, which names pools and estimates their swaps. */
const resolverAbi = parseAbi([
  'function getAllPoolAddresses() view returns (address[] pools)',
  'function getPoolTokens(address pool) view returns (address token0, address token1)',
  'function estimateSwapIn(address dex, bool swap0to1, uint256 amountIn, uint256 amountOutMin) payable returns (uint256 amountOut)',
])
const poolAbi = parseAbi([
  'function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to) payable returns (uint256 amountOut)',
])
/** Gas of a pool's swap with both transfers. */
const swapGas = 170_000n

/** Fluid DEX: each pool is its own router, and trades the native currency itself. */
export function createFluid(
  _: unknown,
  { pools }: { readonly pools: NamedContracts },
): DirectFamily<PairHop> {
  const listPaths = createPairLister(({ quoter }, pool) => [
    {
      target: quoter ?? zeroAddress,
      data: encodeFunctionData({ abi: resolverAbi, functionName: 'getPoolTokens', args: [pool] }),
    },
  ])
  return {
    takesTaxedInput: false,
    exactOutput: false,
    hasNativePools: true,
    gas: swapGas,
    isRouter: async ({ quoter = zeroAddress, reader }, signal) => {
      const functionName = 'getAllPoolAddresses'
      const data = encodeFunctionData({ abi: resolverAbi, functionName })
      const [all] = await readBatch(reader, { calls: [{ target: quoter, data }], signal })
      const decode = (answer: `0x${string}`) =>
        decodeFunctionResult({ abi: resolverAbi, functionName, data: answer })
      return decodeResult(all, decode) !== undefined
    },
    listPaths: async (dex, p) => {
      const hops = await listPaths(dex, p)
      for (const { pool } of hops) pools(dex.reader.client.chain.id).add(pool)
      return hops
    },
    askPrice: ({ quoter = zeroAddress }, { pool, givesFirst }, trade) => {
      const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
      const args = [pool, givesFirst, amount, 0n] as const
      const data = encodeFunctionData({ abi: resolverAbi, functionName: 'estimateSwapIn', args })
      return { target: quoter, data }
    },
    readPrice: (data) => ({
      amount: decodeFunctionResult({ abi: resolverAbi, functionName: 'estimateSwapIn', data }),
      gas: 0n,
    }),
    encode: (_dex, { request, path: { pool, givesFirst }, amounts }) => {
      if (amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
      const { amountIn, minAmountOut } = amounts
      const args = [givesFirst, amountIn, minAmountOut, request.recipient] as const
      const calldata = encodeFunctionData({ abi: poolAbi, functionName: 'swapIn', args })
      return { target: pool, spender: pool, calldata }
    },
    describe: ({ tokens, pool }) => describePath({ tokens, keys: [pool] }, String),
  }
}
