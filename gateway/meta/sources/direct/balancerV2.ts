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
import type { SourceRequest } from '../../provider/source.ts'
import type { DirectDex, DirectFamily, Payload, Swap } from './directSource.ts'
import { describePath } from './findPools.ts'
import { wrapsNative } from './probeRouter.ts'

const poolAbi = parseAbi(['function getPoolId() view returns (bytes32)'])
const abi = parseAbi([
  'struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function querySwap(SingleSwap singleSwap, Funds funds) returns (uint256 amount)',
  'function swap(SingleSwap singleSwap, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256 amount)',
])
const kinds = { exactInput: 0, exactOutput: 1 } as const
/** Gas of the vault's swap with both transfers, as receipts show it. */
const swapGas = { weighted: 105_000n, stable: 150_000n } as const

type Hop = { readonly poolId: Hex; readonly tokens: readonly [Address, Address] }

function fundsOf(sender: Address, recipient: Address) {
  return { sender, fromInternalBalance: false, recipient, toInternalBalance: false }
}

function askPrice({ quoter }: DirectDex, { poolId, tokens }: Hop, trade: SourceRequest['trade']) {
  const [assetIn, assetOut] = tokens
  const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
  const kind = kinds[trade.type]
  const args = [
    { poolId, kind, assetIn, assetOut, amount, userData: '0x' },
    fundsOf(zeroAddress, zeroAddress),
  ] as const
  const data = encodeFunctionData({ abi, functionName: 'querySwap', args })
  return { target: quoter ?? zeroAddress, data }
}

/** The vault takes and gives the native currency by the zero address, and returns what is too much of it. */
function encode({ router }: DirectDex, { request, path, amounts, deadline }: Swap<Hop>): Payload {
  const assetOf = (asked: Address, held: Address) => (isNative(asked) ? zeroAddress : held)
  const isExactIn = amounts.type === 'exactInput'
  const swap = {
    poolId: path.poolId,
    kind: kinds[amounts.type],
    assetIn: assetOf(request.tokenIn, path.tokens[0]),
    assetOut: assetOf(request.tokenOut, path.tokens[1]),
    amount: isExactIn ? amounts.amountIn : amounts.amountOut,
    userData: '0x' as const,
  }
  const limit = isExactIn ? amounts.minAmountOut : amounts.maxAmountIn
  const funds = fundsOf(request.sender, request.recipient)
  const args = [swap, funds, limit, deadline] as const
  const calldata = encodeFunctionData({ abi, functionName: 'swap', args })
  return { target: router, spender: router, calldata }
}

/** Balancer v2: one pool of the vault, priced by BalancerQueries. A pool's id never changes. */
export function createBalancerV2(kind: keyof typeof swapGas): DirectFamily<Hop> {
  const ids = new Map<Address, Hex>()

  async function readIds({ reader }: DirectDex, pools: readonly Address[], signal: AbortSignal) {
    const data = encodeFunctionData({ abi: poolAbi, functionName: 'getPoolId' })
    const calls = pools.map((target) => ({ target, data }))
    const results = await readBatch(reader, { calls, signal })
    for (const [index, pool] of pools.entries()) {
      const id = decodeResult(results[index], (answer) =>
        decodeFunctionResult({ abi: poolAbi, functionName: 'getPoolId', data: answer }),
      )
      if (id) ids.set(pool, id)
    }
  }
  return {
    takesTaxedInput: false,
    exactOutput: true,
    hasNativePools: false,
    gas: swapGas[kind],
    isRouter: wrapsNative('WETH'),
    listPaths: async (dex, { tokenIn, tokenOut, signal }) => {
      const pools = dex.poolsBetween(tokenIn, tokenOut)
      const strange = pools.filter((pool) => !ids.has(pool))
      await readIds(dex, strange, signal)
      return pools.flatMap((pool): readonly Hop[] => {
        const poolId = ids.get(pool)
        return poolId ? [{ poolId, tokens: [tokenIn, tokenOut] }] : []
      })
    },
    askPrice,
    readPrice: (data) => ({
      amount: decodeFunctionResult({ abi, functionName: 'querySwap', data }),
      gas: 0n,
    }),
    encode,
    describe: ({ tokens, poolId }) => describePath({ tokens, keys: [poolId] }, String),
  }
}
