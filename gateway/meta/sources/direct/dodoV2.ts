import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { isNative } from '../../../chain/native.ts'
import { decodeResult, readBatch } from '../../provider/readBatch.ts'
import type { DirectDex, DirectFamily, NamedContracts, Swap } from './directSource.ts'
import type { ExactInput } from './encodeExactInput.ts'
import { describePath } from './findPools.ts'
import { createPairLister, type PairHop } from './pairPools.ts'

const poolAbi = parseAbi([
  'function _BASE_TOKEN_() view returns (address token)',
  'function _QUOTE_TOKEN_() view returns (address token)',
  'function querySellBase(address trader, uint256 amount) view returns (uint256 amountOut, uint256 fee)',
  'function querySellQuote(address trader, uint256 amount) view returns (uint256 amountOut, uint256 fee)',
])
const routerAbi = parseAbi([
  'function _DODO_APPROVE_PROXY_() view returns (address proxy)',
  'function _DODO_APPROVE_() view returns (address approve)',
  'function dodoSwapV2TokenToToken(address fromToken, address toToken, uint256 fromTokenAmount, uint256 minReturnAmount, address[] pairs, uint256 directions, bool isIncentive, uint256 deadline) returns (uint256 amountOut)',
  'function dodoSwapV2ETHToToken(address toToken, uint256 minReturnAmount, address[] pairs, uint256 directions, bool isIncentive, uint256 deadline) payable returns (uint256 amountOut)',
  'function dodoSwapV2TokenToETH(address fromToken, uint256 fromTokenAmount, uint256 minReturnAmount, address[] pairs, uint256 directions, bool isIncentive, uint256 deadline) returns (uint256 amountOut)',
])
/** Gas of the router's swap with its three transfers. */
const swapGas = 210_000n

const tokenCalls = (['_BASE_TOKEN_', '_QUOTE_TOKEN_'] as const).map((functionName) =>
  encodeFunctionData({ abi: poolAbi, functionName }),
)

/** An address that a contract names; undefined where it does not. */
async function readNamed(
  { reader }: DirectDex,
  {
    target,
    functionName,
    signal,
  }: {
    readonly target: Address
    readonly functionName: '_DODO_APPROVE_PROXY_' | '_DODO_APPROVE_'
    readonly signal: AbortSignal
  },
): Promise<Address | undefined> {
  const data = encodeFunctionData({ abi: routerAbi, functionName })
  const [answer] = await readBatch(reader, { calls: [{ target, data }], signal })
  return decodeResult(answer, (found) =>
    decodeFunctionResult({ abi: routerAbi, functionName, data: found }),
  )
}

/** Pays whoever sends; a proxy hands all of it on. */
function encodeSwap({ request, path, deadline }: Swap<PairHop>, amounts: ExactInput): Hex {
  const { tokenIn, tokenOut } = request
  const { amountIn, minAmountOut } = amounts
  // One bit for each pool: set where it is sold its quote token.
  const way = [[path.pool], path.givesFirst ? 0n : 1n, false, deadline] as const
  const abi = routerAbi
  if (isNative(tokenIn)) {
    const args = [tokenOut, minAmountOut, ...way] as const
    return encodeFunctionData({ abi, functionName: 'dodoSwapV2ETHToToken', args })
  }
  if (isNative(tokenOut)) {
    const args = [tokenIn, amountIn, minAmountOut, ...way] as const
    return encodeFunctionData({ abi, functionName: 'dodoSwapV2TokenToETH', args })
  }
  const args = [tokenIn, tokenOut, amountIn, minAmountOut, ...way] as const
  return encodeFunctionData({ abi, functionName: 'dodoSwapV2TokenToToken', args })
}

/** DODO v2: one pool through the router, which takes tokens by a contract of their own that it names. */
export function createDodoV2(
  _: unknown,
  { spenders }: { readonly spenders: NamedContracts },
): DirectFamily<PairHop> {
  const takers = new Map<string, Address>()
  const idOf = ({ reader, router }: DirectDex) => `${reader.client.chain.id}:${router}`
  return {
    takesTaxedInput: false,
    exactOutput: false,
    hasNativePools: false,
    gas: swapGas,
    isRouter: async (dex, signal) => {
      const first = { target: dex.router, functionName: '_DODO_APPROVE_PROXY_', signal } as const
      const target = await readNamed(dex, first)
      if (!target || target === zeroAddress) return false
      const taker = await readNamed(dex, { target, functionName: '_DODO_APPROVE_', signal })
      if (!taker || taker === zeroAddress) return false
      takers.set(idOf(dex), taker)
      spenders(dex.reader.client.chain.id).add(taker)
      return true
    },
    listPaths: createPairLister((_dex, pool) => tokenCalls.map((data) => ({ target: pool, data }))),
    askPrice: (_dex, { pool, givesFirst }, trade) => {
      const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
      const functionName = givesFirst ? 'querySellBase' : 'querySellQuote'
      const args = [zeroAddress, amount] as const
      return { target: pool, data: encodeFunctionData({ abi: poolAbi, functionName, args }) }
    },
    readPrice: (data) => {
      const [amount] = decodeFunctionResult({ abi: poolAbi, functionName: 'querySellBase', data })
      return { amount, gas: 0n }
    },
    encode: (dex, swap) => {
      if (swap.amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
      const spender = takers.get(idOf(dex))
      if (!spender) throw new Error('the router was not asked who takes the tokens')
      return { target: dex.router, spender, calldata: encodeSwap(swap, swap.amounts) }
    },
    describe: ({ tokens, pool }) => describePath({ tokens, keys: [pool] }, String),
  }
}
