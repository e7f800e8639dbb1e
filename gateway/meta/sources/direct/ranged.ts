import {
  type Address,
  concatHex,
  decodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { encodeCall } from '../../../chain/encodeCall.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import type { DirectDex, DirectFamily, Price } from './directSource.ts'
import {
  createPathLister,
  describePath,
  findPaths,
  type Path,
  type PoolFinder,
} from './findPools.ts'
import { probeRouter, wrapsNative } from './probeRouter.ts'
import { encodeRanged, type PackedPath, type RangedRouter } from './rangedPayload.ts'

const factoryAbi = parseAbi([
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)',
  'function poolByPair(address tokenA, address tokenB) view returns (address pool)',
])
const spacingAbi = parseAbi([
  'function getPool(address tokenA, address tokenB, int24 tickSpacing) view returns (address pool)',
])
const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amount, uint160[] sqrtPricesX96, uint32[] ticksCrossed, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amount, uint160[] sqrtPricesX96, uint32[] ticksCrossed, uint256 gasEstimate)',
])
const algebraQuoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amount, uint16[] fees)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amount, uint16[] fees)',
])
const integralQuoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256[] amountsOut, uint256[] amountsIn, uint160[] sqrtPricesX96, uint32[] ticksCrossed, uint256 gasEstimate, uint16[] fees)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256[] amountsOut, uint256[] amountsIn, uint160[] sqrtPricesX96, uint32[] ticksCrossed, uint256 gasEstimate, uint16[] fees)',
])

/** What a transaction burns beyond the quoter's estimate, which has the quoter's own. */
const routerGas = 30_000n
/** Where the quoter makes no estimate. */
const poolGas = 110_000n

/** How the forks of concentrated liquidity differ for whoever trades through their routers. */
type Variant = {
  readonly finder: PoolFinder<number>
  /** What stands between two tokens of a packed path. */
  readonly packKey: (key: number) => Hex | undefined
  readonly readPrice: (data: Hex, path: Path<number>, functionName: QuoteFunction) => Price
  /** Undefined: what stands there does not swap. */
  readonly probe: (dex: DirectDex, signal: AbortSignal) => Promise<RangedRouter | undefined>
}
type QuoteFunction = 'quoteExactInput' | 'quoteExactOutput'

const isPool = (data: Hex) =>
  decodeFunctionResult({ abi: factoryAbi, functionName: 'poolByPair', data }) !== zeroAddress

const byFee: PoolFinder<number> = {
  keysOf: ({ feesPips }) => feesPips,
  askPool: ({ factory }, { a, b, key }) => ({
    target: factory,
    data: encodeCall({ abi: factoryAbi, functionName: 'getPool', args: [a, b, key] }),
  }),
  isPool,
}
const bySpacing: PoolFinder<number> = {
  keysOf: ({ poolKeys = [] }) => poolKeys,
  askPool: ({ factory }, { a, b, key }) => ({
    target: factory,
    data: encodeCall({ abi: spacingAbi, functionName: 'getPool', args: [a, b, key] }),
  }),
  isPool,
}
/** One pool for each pair. */
const byPair: PoolFinder<number> = {
  keysOf: () => [0],
  askPool: ({ factory }, { a, b }) => ({
    target: factory,
    data: encodeCall({ abi: factoryAbi, functionName: 'poolByPair', args: [a, b] }),
  }),
  isPool,
}

const packNumber = (key: number) => numberToHex(key, { size: 3 })

function readQuoterV2(data: Hex, _: Path<number>, functionName: QuoteFunction): Price {
  const [amount, , , gas] = decodeFunctionResult({ abi: quoterAbi, functionName, data })
  return { amount, gas }
}

const probeFirst: Variant['probe'] = async (dex, signal) => {
  const is = await wrapsNative('WETH9')(dex, signal)
  return is ? 'swapRouter' : undefined
}
const probeAlgebra: Variant['probe'] = async (dex, signal) => {
  const is = await wrapsNative('WNativeToken')(dex, signal)
  return is ? 'algebra' : undefined
}

const uniswapV3: Variant = {
  finder: byFee,
  packKey: packNumber,
  readPrice: readQuoterV2,
  probe: async (dex, signal) => {
    const functions = ['WETH9', 'factoryV2'] as const
    const [weth, factoryV2] = await probeRouter(dex, { functions, signal })
    if (weth === undefined || !isSameAddress(weth, dex.wrappedNative)) return undefined
    return factoryV2 === undefined ? 'swapRouter' : 'swapRouter02'
  },
}
const slipstream: Variant = {
  finder: bySpacing,
  packKey: packNumber,
  readPrice: readQuoterV2,
  probe: probeFirst,
}
/** Algebra 1.9: Camelot v3. */
const algebra: Variant = {
  finder: byPair,
  packKey: () => undefined,
  readPrice: (data, { keys }, functionName) => {
    const [amount] = decodeFunctionResult({ abi: algebraQuoterAbi, functionName, data })
    return { amount, gas: poolGas * BigInt(keys.length) }
  },
  probe: probeAlgebra,
}
/** Algebra Integral names the deployer of each pool: zero for the factory's own. */
const algebraIntegral: Variant = {
  finder: byPair,
  packKey: () => zeroAddress,
  readPrice: (data, _, functionName) => {
    const [amountsOut, amountsIn, , , gas] = decodeFunctionResult({
      abi: integralQuoterAbi,
      functionName,
      data,
    })
    // Both lists follow the path as it was given, which runs backwards for an exact output.
    const amount = functionName === 'quoteExactInput' ? amountsOut.at(-1) : amountsIn.at(-1)
    return { amount: amount ?? 0n, gas }
  },
  probe: probeAlgebra,
}
const variants = { uniswapV3, slipstream, algebra, algebraIntegral } as const

function pack(tokens: readonly Address[], keys: readonly (Hex | undefined)[]): Hex {
  return concatHex(
    tokens.flatMap((token, at) => {
      const key = keys[at]
      return key === undefined ? [token] : [token, key]
    }),
  )
}

/** Concentrated liquidity through the exchange's own router, priced by its deployed quoter. */
export function createRanged(
  { now }: { readonly now: () => number },
  name: keyof typeof variants,
): DirectFamily<Path<number>> {
  const { finder, packKey, readPrice, probe } = variants[name]
  const listPaths = createPathLister(finder, { now })
  const kinds = new Map<string, RangedRouter>()
  const idOf = ({ reader, router }: DirectDex) => `${reader.client.chain.id}:${router}`
  const packed = ({ tokens, keys }: Path<number>): PackedPath => {
    const packedKeys = keys.map(packKey)
    return {
      forwards: pack(tokens, packedKeys),
      backwards: pack(tokens.toReversed(), packedKeys.toReversed()),
    }
  }
  return {
    takesTaxedInput: false,
    exactOutput: true,
    hasNativePools: false,
    gas: routerGas,
    isRouter: async (dex, signal) => {
      const kind = dex.quoter && (await probe(dex, signal))
      if (kind) kinds.set(idOf(dex), kind)
      return kind !== undefined
    },
    listPaths: (dex, { tokenIn, tokenOut, signal }) =>
      listPaths(dex, { tokenPaths: findPaths(tokenIn, tokenOut, dex.hubTokens), signal }),
    askPrice: (dex, path, trade) => {
      const { forwards, backwards } = packed(path)
      const [functionName, args] =
        trade.type === 'exactInput'
          ? (['quoteExactInput', [forwards, trade.amountIn]] as const)
          : (['quoteExactOutput', [backwards, trade.targetOut]] as const)
      const data = encodeCall({ abi: quoterAbi, functionName, args })
      return { target: dex.quoter ?? zeroAddress, data }
    },
    readPrice: (data, path, { type }) =>
      readPrice(data, path, type === 'exactInput' ? 'quoteExactInput' : 'quoteExactOutput'),
    encode: (dex, swap) => {
      const kind = kinds.get(idOf(dex))
      if (!kind) throw new Error('the router was not asked what it is')
      const calldata = encodeRanged(kind, { ...swap, path: packed(swap.path) })
      return { target: dex.router, spender: dex.router, calldata }
    },
    describe: (path) => describePath(path, String),
  }
}
