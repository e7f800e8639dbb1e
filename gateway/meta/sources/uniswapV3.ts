import {
  type Address,
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { type BatchReader, decodeResult, readBatch } from '../readBatch.ts'
import { fail, isNative, type Source, type SourceRequest } from '../source.ts'
import type { RouterProbe } from './probeRouter.ts'
import { findPaths } from './uniswapV2.ts'
import { encodeV3Swap, type V3Quote } from './uniswapV3Payload.ts'

const factoryAbi = parseAbi([
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)',
])
const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
])

/** How long a pair's list of pools is believed. */
const poolsTtlMs = 60_000
/** Paths quoted by the deployed quoter per request; each runs a whole swap in the node. */
const maxPaths = 24

export type V3Dex = {
  readonly factory: Address
  readonly router: Address
  readonly quoter: Address
  readonly feesPips: readonly number[]
  readonly reader: BatchReader
  readonly wrappedNative: Address
  readonly hubTokens: readonly Address[]
}

type Path = { readonly tokens: readonly Address[]; readonly feesPips: readonly number[] }

/** Fee tiers that exist between the tokens of each pair, read in one call and kept for a while. */
function createPoolFinder(now: () => number) {
  const known = new Map<
    string,
    { readonly feesPips: readonly number[]; readonly readAtMs: number }
  >()
  const keyOf = (dex: V3Dex, a: Address, b: Address) =>
    [dex.factory, ...[a.toLowerCase(), b.toLowerCase()].sort()].join()

  return async function findTiers(
    dex: V3Dex,
    { pairs, signal }: { pairs: readonly (readonly [Address, Address])[]; signal: AbortSignal },
  ): Promise<(a: Address, b: Address) => readonly number[]> {
    const isFresh = (key: string) => (known.get(key)?.readAtMs ?? -Infinity) > now() - poolsTtlMs
    const missing = pairs.filter(([a, b]) => !isFresh(keyOf(dex, a, b)))
    const calls = missing.flatMap(([a, b]) =>
      dex.feesPips.map((fee) => ({
        target: dex.factory,
        data: encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [a, b, fee] }),
      })),
    )
    const results = await readBatch(dex.reader, { calls, signal })
    for (const [index, [a, b]] of missing.entries()) {
      const feesPips = dex.feesPips.filter((_, tier) => {
        const result = results[index * dex.feesPips.length + tier]
        const pool = decodeResult(result, (data) =>
          decodeFunctionResult({ abi: factoryAbi, functionName: 'getPool', data }),
        )
        return pool !== undefined && pool !== zeroAddress
      })
      known.set(keyOf(dex, a, b), { feesPips, readAtMs: now() })
    }
    if (known.size > 20_000) known.clear()
    return (a, b) => known.get(keyOf(dex, a, b))?.feesPips ?? []
  }
}

/** token, fee, token, … as the router reads it; backwards for exact output. */
function packPath({ tokens, feesPips }: Path, backwards: boolean): Hex {
  const t = backwards ? tokens.toReversed() : tokens
  const f = backwards ? feesPips.toReversed() : feesPips
  return concatHex(
    t.flatMap((token, at) => {
      const fee = f[at]
      return fee === undefined ? [token] : [token, numberToHex(fee, { size: 3 })]
    }),
  )
}

/** All combinations of existing tiers along each token path; direct paths come first. */
function expandPaths(
  tokenPaths: readonly (readonly Address[])[],
  tiersOf: (a: Address, b: Address) => readonly number[],
): readonly Path[] {
  const paths = tokenPaths.flatMap((tokens): readonly Path[] => {
    const [a, b, c] = tokens
    if (!a || !b) return []
    const first = tiersOf(a, b)
    if (!c) return first.map((fee) => ({ tokens, feesPips: [fee] }))
    return first.flatMap((fee) => tiersOf(b, c).map((next) => ({ tokens, feesPips: [fee, next] })))
  })
  return paths.slice(0, maxPaths)
}

async function quotePaths(
  dex: V3Dex,
  {
    paths,
    request,
    signal,
  }: { paths: readonly Path[]; request: SourceRequest; signal: AbortSignal },
): Promise<V3Quote | undefined> {
  const { trade } = request
  const exactIn = trade.type === 'exactInput'
  const functionName = exactIn ? 'quoteExactInput' : 'quoteExactOutput'
  const packed = paths.map((path) => packPath(path, !exactIn))
  const calls = packed.map((path) => ({
    target: dex.quoter,
    data: encodeFunctionData({
      abi: quoterAbi,
      functionName,
      args: [path, exactIn ? trade.amountIn : trade.targetOut],
    }),
  }))
  const results = await readBatch(dex.reader, { calls, signal })
  let best: V3Quote | undefined
  for (const [index, path] of paths.entries()) {
    const answer = decodeResult(results[index], (data) =>
      decodeFunctionResult({ abi: quoterAbi, functionName, data }),
    )
    const packedPath = packed[index]
    if (!answer || !packedPath || answer[0] === 0n) continue
    const [amount, , , gas] = answer
    const isBetter = !best || (exactIn ? amount > best.amount : amount < best.amount)
    if (isBetter) best = { ...path, packedPath, amount, gas }
  }
  return best
}

/** A concentrated-liquidity DEX through its own router, priced by its deployed QuoterV2. */
export function createUniswapV3Source(
  {
    dexOf,
    now,
    probeRouter,
  }: {
    readonly dexOf: (chainId: number) => V3Dex | undefined
    readonly now: () => number
    readonly probeRouter: RouterProbe
  },
  { name }: { readonly name: string },
): Source {
  const findTiers = createPoolFinder(now)
  return {
    name,
    quote: async (request, { signal }) => {
      const dex = dexOf(request.chainId)
      if (!dex) return fail('unsupported_chain')
      const onChain = (token: Address) => (isNative(token) ? dex.wrappedNative : token)
      const tokenIn = onChain(request.tokenIn)
      const tokenOut = onChain(request.tokenOut)
      if (isAddressEqual(tokenIn, tokenOut)) return fail('no_route', 'wrapping needs no DEX')
      const tokenPaths = findPaths(tokenIn, tokenOut, dex.hubTokens)
      const pairs = tokenPaths.flatMap(([a, b, c]): (readonly [Address, Address])[] =>
        a && b
          ? c
            ? [
                [a, b],
                [b, c],
              ]
            : [[a, b]]
          : [],
      )
      const [tiersOf, kind] = await Promise.all([
        findTiers(dex, { pairs, signal }),
        probeRouter(dex, signal),
      ])
      if (kind !== 'swapRouter' && kind !== 'swapRouter02')
        return fail('not_configured', 'there is no router at its address')
      const quote = await quotePaths(dex, {
        paths: expandPaths(tokenPaths, tiersOf),
        request,
        signal,
      })
      if (!quote) return fail('no_route')
      const deadline = BigInt(Math.floor(now() / 1000)) + 1_200n
      return encodeV3Swap({ name, router: dex.router, kind, request, quote, deadline })
    },
  }
}
