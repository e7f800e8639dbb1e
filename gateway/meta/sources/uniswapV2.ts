import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  parseAbi,
} from 'viem'
import { type BatchReader, decodeResult, readBatch } from '../readBatch.ts'
import {
  fail,
  guardBps,
  inputCap,
  isNative,
  lessBps,
  type Source,
  type SourceOutcome,
  type SourceRequest,
} from '../source.ts'
import type { RouterProbe } from './probeRouter.ts'

const routerAbi = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
])

/** Gas of Router02 as receipts show it: the first pair with its transfers, then each further pair. */
const firstPairGas = 140_000n
const nextPairGas = 65_000n
const nativeGas = 25_000n

export type V2Dex = {
  readonly router: Address
  readonly reader: BatchReader
  readonly wrappedNative: Address
  /** Tokens worth going through. */
  readonly hubTokens: readonly Address[]
}

/** Paths of one and two pairs between two ERC-20 addresses, the shortest first. */
export function findPaths(
  tokenIn: Address,
  tokenOut: Address,
  hubTokens: readonly Address[],
): readonly (readonly Address[])[] {
  const hubs = hubTokens.filter(
    (hub) => !isAddressEqual(hub, tokenIn) && !isAddressEqual(hub, tokenOut),
  )
  return [[tokenIn, tokenOut], ...hubs.map((hub) => [tokenIn, hub, tokenOut])]
}

type Priced = { readonly path: readonly Address[]; readonly amount: bigint }

/** Every path priced by the router itself, in one call; the best one, or undefined. */
async function pricePaths(
  { router, reader }: V2Dex,
  {
    paths,
    request,
    signal,
  }: { paths: Priced['path'][]; request: SourceRequest; signal: AbortSignal },
): Promise<Priced | undefined> {
  const { trade } = request
  const exactIn = trade.type === 'exactInput'
  const calls = paths.map((path) => ({
    target: router,
    data: exactIn
      ? encodeFunctionData({
          abi: routerAbi,
          functionName: 'getAmountsOut',
          args: [trade.amountIn, [...path]],
        })
      : encodeFunctionData({
          abi: routerAbi,
          functionName: 'getAmountsIn',
          args: [trade.targetOut, [...path]],
        }),
  }))
  const results = await readBatch(reader, { calls, signal })
  let best: Priced | undefined
  for (const [index, path] of paths.entries()) {
    const functionName = exactIn ? 'getAmountsOut' : 'getAmountsIn'
    const amounts = decodeResult(results[index], (data) =>
      decodeFunctionResult({ abi: routerAbi, functionName, data }),
    )
    const amount = exactIn ? amounts?.at(-1) : amounts?.[0]
    if (amount === undefined || amount === 0n) continue
    if (!best || (exactIn ? amount > best.amount : amount < best.amount)) best = { path, amount }
  }
  return best
}

type Leg = { readonly path: Address[]; readonly deadline: bigint; readonly to: Address }

/** The fee-on-transfer forms measure what arrived, so they serve ordinary tokens as well. */
function encodeExactInput(request: SourceRequest, leg: Leg, amountIn: bigint, minOut: bigint): Hex {
  const { path, to, deadline } = leg
  const abi = routerAbi
  if (isNative(request.tokenIn))
    return encodeFunctionData({
      abi,
      functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
      args: [minOut, path, to, deadline],
    })
  return encodeFunctionData({
    abi,
    functionName: isNative(request.tokenOut)
      ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
      : 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    args: [amountIn, minOut, path, to, deadline],
  })
}

function encodeExactOutput(request: SourceRequest, leg: Leg, out: bigint, maxIn: bigint): Hex {
  const { path, to, deadline } = leg
  const abi = routerAbi
  if (isNative(request.tokenIn))
    return encodeFunctionData({
      abi,
      functionName: 'swapETHForExactTokens',
      args: [out, path, to, deadline],
    })
  return encodeFunctionData({
    abi,
    functionName: isNative(request.tokenOut) ? 'swapTokensForExactETH' : 'swapTokensForExactTokens',
    args: [out, maxIn, path, to, deadline],
  })
}

function toOutcome(
  name: string,
  { router }: V2Dex,
  { request, priced, deadline }: { request: SourceRequest; priced: Priced; deadline: bigint },
): SourceOutcome {
  const { trade, tokenIn, tokenOut, recipient: to } = request
  const leg = { path: [...priced.path], deadline, to }
  const pairs = BigInt(priced.path.length - 1)
  const native = isNative(tokenIn) || isNative(tokenOut)
  const common = {
    provider: name,
    target: router,
    approveTarget: isNative(tokenIn) ? undefined : router,
    gasEstimate: firstPairGas + nextPairGas * (pairs - 1n) + (native ? nativeGas : 0n),
    taxInBps: 0,
    taxOutBps: 0,
    route: priced.path.join('>'),
  }
  const wei = (amountIn: bigint) => (isNative(tokenIn) ? amountIn : 0n)
  if (trade.type === 'exactInput') {
    const { amountIn } = trade
    const minAmountOut = lessBps(priced.amount, guardBps(request, 10_000))
    const calldata = encodeExactInput(request, leg, amountIn, minAmountOut)
    const amounts = { amountIn, maxAmountIn: amountIn, amountOut: priced.amount, minAmountOut }
    return { status: 'quote', quote: { ...common, ...amounts, calldata, value: wei(amountIn) } }
  }
  if (priced.amount > trade.maxIn) return fail('no_route', `needs an input of ${priced.amount}`)
  const { targetOut, maxIn } = trade
  const maxAmountIn = inputCap(priced.amount, { slippageBps: request.slippageBps, maxIn })
  const calldata = encodeExactOutput(request, leg, targetOut, maxAmountIn)
  const amounts = { amountIn: priced.amount, maxAmountIn, amountOut: targetOut }
  return {
    status: 'quote',
    quote: {
      ...common,
      ...amounts,
      minAmountOut: targetOut,
      calldata,
      value: wei(maxAmountIn),
    },
  }
}

/** A constant-product DEX through its own Router02, priced by that router on the newest block. */
export function createUniswapV2Source(
  {
    dexOf,
    now,
    probeRouter,
  }: {
    readonly dexOf: (chainId: number) => V2Dex | undefined
    readonly now: () => number
    readonly probeRouter: RouterProbe
  },
  { name }: { readonly name: string },
): Source {
  return {
    name,
    quote: async (request, { signal }) => {
      const dex = dexOf(request.chainId)
      if (!dex) return fail('unsupported_chain')
      const onChain = (token: Address) => (isNative(token) ? dex.wrappedNative : token)
      const tokenIn = onChain(request.tokenIn)
      const tokenOut = onChain(request.tokenOut)
      if (isAddressEqual(tokenIn, tokenOut)) return fail('no_route', 'wrapping needs no DEX')
      const paths = [...findPaths(tokenIn, tokenOut, dex.hubTokens)]
      const [priced, kind] = await Promise.all([
        pricePaths(dex, { paths, request, signal }),
        probeRouter(dex, signal),
      ])
      if (kind !== 'v2') return fail('not_configured', 'there is no router at its address')
      if (!priced) return fail('no_route')
      const deadline = BigInt(Math.floor(now() / 1000)) + 1_200n
      return toOutcome(name, dex, { request, priced, deadline })
    },
  }
}
