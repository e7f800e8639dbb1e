import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { isNative } from '../../../chain/native.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import { type BatchCall, decodeResult, readBatch } from '../../provider/readBatch.ts'
import type { DirectDex, DirectFamily, NamedContracts, Swap } from './directSource.ts'
import type { ExactInput } from './encodeExactInput.ts'
import { describePath } from './findPools.ts'
import { toCoin } from './pairPools.ts'

const factoryAbi = parseAbi([
  'function find_pool_for_coins(address from, address to, uint256 skip) view returns (address pool)',
  'function pool_count() view returns (uint256 count)',
])
const poolAbi = parseAbi(['function coins(uint256 index) view returns (address coin)'])
const stableAbi = parseAbi([
  'function get_dy(int128 i, int128 j, uint256 dx) view returns (uint256 dy)',
])
const cryptoAbi = parseAbi([
  'function get_dy(uint256 i, uint256 j, uint256 dx) view returns (uint256 dy)',
  'function exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy) payable returns (uint256 dy)',
])
const ngAbi = parseAbi([
  'function exchange(int128 i, int128 j, uint256 dx, uint256 minDy, address receiver) returns (uint256 dy)',
])
const plainAbi = parseAbi([
  'function exchange(int128 i, int128 j, uint256 dx, uint256 minDy) payable returns (uint256 dy)',
])

/** Pools of one pair that are looked at. */
const poolsPerPair = [0n, 1n, 2n] as const
const coinsPerPool = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n] as const
const poolsTtlMs = 60_000
const maxPairs = 20_000

type Hop = {
  readonly pool: Address
  readonly tokens: readonly [Address, Address]
  /** Places of both tokens among the pool's coins. */
  readonly i: bigint
  readonly j: bigint
}

async function readPools(
  { factory, reader }: DirectDex,
  [tokenIn, tokenOut]: Hop['tokens'],
  signal: AbortSignal,
): Promise<readonly Hop[]> {
  const find = poolsPerPair.map((skip): BatchCall => {
    const args = [tokenIn, tokenOut, skip] as const
    const functionName = 'find_pool_for_coins'
    return { target: factory, data: encodeFunctionData({ abi: factoryAbi, functionName, args }) }
  })
  const found = await readBatch(reader, { calls: find, signal })
  const pools = found.flatMap((result): readonly Address[] => {
    const pool = decodeResult(result, (data) =>
      decodeFunctionResult({ abi: factoryAbi, functionName: 'find_pool_for_coins', data }),
    )
    return pool === undefined || pool === zeroAddress ? [] : [pool]
  })
  const coins = await readBatch(reader, {
    calls: pools.flatMap((target) =>
      coinsPerPool.map((index) => ({
        target,
        data: encodeFunctionData({ abi: poolAbi, functionName: 'coins', args: [index] }),
      })),
    ),
    signal,
  })
  return pools.flatMap((pool, index): readonly Hop[] => {
    // Past its last coin a pool reverts.
    const list = coinsPerPool.map((at) =>
      decodeResult(coins[index * coinsPerPool.length + Number(at)], (data) =>
        decodeFunctionResult({ abi: poolAbi, functionName: 'coins', data }),
      ),
    )
    const placeOf = (token: Address) =>
      list.findIndex((coin) => coin !== undefined && isSameAddress(coin, token))
    const [i, j] = [placeOf(tokenIn), placeOf(tokenOut)]
    return i < 0 || j < 0 ? [] : [{ pool, tokens: [tokenIn, tokenOut], i: BigInt(i), j: BigInt(j) }]
  })
}

function encodeNg({ request, path: { i, j } }: Swap<Hop>, amounts: ExactInput): Hex {
  const args = [i, j, amounts.amountIn, amounts.minAmountOut, request.recipient] as const
  return encodeFunctionData({ abi: ngAbi, functionName: 'exchange', args })
}

/** Pays whoever sends; a proxy hands all of it on. */
function encodePlain({ path: { i, j } }: Swap<Hop>, amounts: ExactInput): Hex {
  const args = [i, j, amounts.amountIn, amounts.minAmountOut] as const
  return encodeFunctionData({ abi: plainAbi, functionName: 'exchange', args })
}

/** Pays whoever sends, as well. */
function encodeCrypto({ path: { i, j } }: Swap<Hop>, amounts: ExactInput): Hex {
  const args = [i, j, amounts.amountIn, amounts.minAmountOut] as const
  return encodeFunctionData({ abi: cryptoAbi, functionName: 'exchange', args })
}

type Deps = { readonly now: () => number }
/** Collects what the factory named, which is all that a payload may name. */
type Pools = { readonly pools: NamedContracts }
type Kind = {
  /** How its pools count their coins. */
  readonly abi: typeof stableAbi | typeof cryptoAbi
  /** Whether its pools hold the native currency itself. */
  readonly hasNative: boolean
  readonly encodeSwap: (swap: Swap<Hop>, amounts: ExactInput) => Hex
  readonly gas: bigint
}

/** Each of Curve's pools is its own router. */
function createCurve(
  { now }: Deps,
  { pools, abi, hasNative, encodeSwap, gas }: Pools & Kind,
): DirectFamily<Hop> {
  const known = new Map<string, { readonly hops: readonly Hop[]; readonly readAtMs: number }>()
  return {
    // A pool counts what it is sent only where it is told to; a plain exchange takes the whole sum.
    takesTaxedInput: false,
    exactOutput: false,
    hasNativePools: true,
    gas,
    isRouter: async ({ factory, reader }, signal) => {
      const data = encodeFunctionData({ abi: factoryAbi, functionName: 'pool_count' })
      const [count] = await readBatch(reader, { calls: [{ target: factory, data }], signal })
      return decodeResult(count, () => true) === true
    },
    listPaths: async (dex, { tokenIn, tokenOut, signal }) => {
      if (!hasNative && (isNative(tokenIn) || isNative(tokenOut))) return []
      const id = [dex.reader.client.chain.id, dex.factory, tokenIn, tokenOut].join()
      const hit = known.get(id)
      if (hit && hit.readAtMs > now() - poolsTtlMs) return hit.hops
      const hops = await readPools(dex, [toCoin(tokenIn), toCoin(tokenOut)], signal)
      for (const { pool } of hops) pools(dex.reader.client.chain.id).add(pool)
      if (known.size > maxPairs) known.clear()
      known.set(id, { hops, readAtMs: now() })
      return hops
    },
    askPrice: (_, { pool, i, j }, trade) => {
      const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
      const args = [i, j, amount] as const
      return {
        target: pool,
        data: encodeFunctionData({ abi, functionName: 'get_dy', args }),
      }
    },
    readPrice: (data) => ({
      amount: decodeFunctionResult({ abi: stableAbi, functionName: 'get_dy', data }),
      gas: 0n,
    }),
    encode: (_, swap) => {
      if (swap.amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
      const { pool } = swap.path
      return { target: pool, spender: pool, calldata: encodeSwap(swap, swap.amounts) }
    },
    describe: ({ tokens, pool }) => describePath({ tokens, keys: [pool] }, String),
  }
}

const stable = { abi: stableAbi, hasNative: false } as const
/** StableSwap NG. */
export const createCurveNg = (deps: Deps, { pools }: Pools) =>
  createCurve(deps, { ...stable, pools, encodeSwap: encodeNg, gas: 190_000n })
/** Plain pools of the factory before NG; some hold the native currency. */
export const createCurvePlain = (deps: Deps, { pools }: Pools) =>
  createCurve(deps, { ...stable, hasNative: true, pools, encodeSwap: encodePlain, gas: 140_000n })
/** Crypto pools of two and three coins, of any generation. */
export const createCurveCrypto = (deps: Deps, { pools }: Pools) =>
  createCurve(deps, {
    pools,
    abi: cryptoAbi,
    hasNative: false,
    encodeSwap: encodeCrypto,
    gas: 200_000n,
  })
