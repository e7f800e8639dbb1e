import { decodeFunctionResult, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import type { DirectDex, DirectFamily } from './directSource.ts'
import { encodeExactInput } from './encodeExactInput.ts'
import { createPathLister, describePath, findPaths, type Path } from './findPools.ts'
import { wrapsNative } from './probeRouter.ts'
import { firstPairGas, nextPairGas } from './routerV2.ts'

const factoryAbi = parseAbi([
  'function getPool(address tokenA, address tokenB, bool stable) view returns (address)',
])
const routerAbi = parseAbi([
  'struct Route { address from; address to; bool stable; address factory; }',
  'function getAmountsOut(uint256 amountIn, Route[] routes) view returns (uint256[] amounts)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, Route[] routes, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline)',
])

type StablePath = Path<boolean>

function routesOf({ factory }: DirectDex, { tokens, keys }: StablePath) {
  return keys.map((stable, at) => ({
    from: tokens[at] ?? zeroAddress,
    to: tokens[at + 1] ?? zeroAddress,
    stable,
    factory,
  }))
}

/** Aerodrome v2: two pools may exist for a pair, one of them stable; no exact outputs. */
export function createAerodromeV2({
  now,
}: {
  readonly now: () => number
}): DirectFamily<StablePath> {
  const listPaths = createPathLister<boolean>(
    {
      keysOf: () => [false, true],
      askPool: ({ factory }, { a, b, key }) => ({
        target: factory,
        data: encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [a, b, key] }),
      }),
      isPool: (data) =>
        decodeFunctionResult({ abi: factoryAbi, functionName: 'getPool', data }) !== zeroAddress,
    },
    { now },
  )
  return {
    takesTaxedInput: true,
    exactOutput: false,
    hasNativePools: false,
    gas: 0n,
    isRouter: wrapsNative('weth'),
    listPaths: (dex, { tokenIn, tokenOut, signal }) =>
      listPaths(dex, { tokenPaths: findPaths(tokenIn, tokenOut, dex.hubTokens), signal }),
    askPrice: (dex, path, trade) => ({
      target: dex.router,
      data: encodeFunctionData({
        abi: routerAbi,
        functionName: 'getAmountsOut',
        args: [trade.type === 'exactInput' ? trade.amountIn : trade.targetOut, routesOf(dex, path)],
      }),
    }),
    readPrice: (data, { keys }) => {
      const amounts = decodeFunctionResult({ abi: routerAbi, functionName: 'getAmountsOut', data })
      const gas = firstPairGas + nextPairGas * BigInt(keys.length - 1)
      return { amount: amounts.at(-1) ?? 0n, gas }
    },
    encode: (dex, swap) => {
      if (swap.amounts.type !== 'exactInput') throw new Error('Aerodrome has no exact outputs')
      const { router } = dex
      const { amounts } = swap
      const path = routesOf(dex, swap.path)
      const calldata = encodeExactInput(swap, { abi: routerAbi, amounts, path })
      return { target: router, spender: router, calldata }
    },
    describe: (path) => describePath(path, (stable) => (stable ? 'stable' : 'volatile')),
  }
}
