import {
  type Address,
  concatHex,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { isNative } from '../../../chain/native.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import type { DirectDex, DirectFamily, Payload, Swap } from './directSource.ts'
import { createPathLister, describePath, findPaths, type Path } from './findPools.ts'
import { probeRouter } from './probeRouter.ts'

/**
 * Uniswap's own way into its router without a Permit2 signature: it takes a plain allowance, hands
 * the tokens to the router and runs the router's commands. The same address on every chain.
 */
export const swapProxy: Address = '0x0000000085E102724e78eCd2F45DC9cA239Affad'

/** v4 couples no spacing to a fee; these are the ones in use, by fee in pips. */
const tickSpacings: ReadonlyMap<number, number> = new Map([
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
])

const managerAbi = parseAbi(['function extsload(bytes32 slot) view returns (bytes32 value)'])
/** Slot of the pools' mapping in the pool manager. */
const poolsSlot = 6n
const quoterAbi = parseAbi([
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }',
  'struct Quote { address exactCurrency; PathKey[] path; uint128 exactAmount; }',
  'function quoteExactInput(Quote params) returns (uint256 amountOut, uint256 gasEstimate)',
])
const routerAbi = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
])
const swapProxyAbi = parseAbi([
  'function execute(address router, address token, uint256 amount, bytes commands, bytes[] inputs, uint256 deadline)',
])
const keyParameters = parseAbiParameters('address, address, uint24, int24, address')
const swapParameters = parseAbiParameters([
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }',
  'struct Swap { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
  'Swap params',
])

const commands = { wrap: 0x0b, unwrap: 0x0c, v4Swap: 0x10 } as const
const actions = { swapExactIn: 0x07, settle: 0x0b, take: 0x0e } as const
/** The router's words for itself, for all that it holds, and for all that is owed. */
const routerItself: Address = '0x0000000000000000000000000000000000000002'
const wholeBalance = 2n ** 255n
const wholeDelta = 0n
const maxUint128 = 2n ** 128n - 1n

type FeePath = Path<number>
type Command = { readonly command: number; readonly input: Hex }

function poolIdOf(a: Address, b: Address, fee: number): Hex {
  const [first, second] = a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a]
  const spacing = tickSpacings.get(fee) ?? 0
  return keccak256(encodeAbiParameters(keyParameters, [first, second, fee, spacing, zeroAddress]))
}

function hopsOf({ tokens, keys }: FeePath) {
  return keys.map((fee, at) => ({
    intermediateCurrency: tokens[at + 1] ?? zeroAddress,
    fee,
    tickSpacing: tickSpacings.get(fee) ?? 0,
    hooks: zeroAddress,
    hookData: '0x' as const,
  }))
}

function encodeV4Swap(
  { path, amounts }: Swap<FeePath>,
  recipient: Address,
  minAmountOut: bigint,
): Command {
  const currencyIn = path.tokens[0] ?? zeroAddress
  const currencyOut = path.tokens.at(-1) ?? zeroAddress
  const amountIn = amounts.type === 'exactInput' ? amounts.amountIn : 0n
  const swap = { currencyIn, path: hopsOf(path), amountIn, amountOutMinimum: minAmountOut }
  const settle = parseAbiParameters('address currency, uint256 amount, bool payerIsUser')
  const take = parseAbiParameters('address currency, address recipient, uint256 amount')
  const steps: readonly (readonly [action: number, input: Hex])[] = [
    [actions.swapExactIn, encodeAbiParameters(swapParameters, [swap])],
    [actions.settle, encodeAbiParameters(settle, [currencyIn, wholeDelta, false])],
    [actions.take, encodeAbiParameters(take, [currencyOut, recipient, wholeDelta])],
  ]
  const words = concatHex(steps.map(([action]) => numberToHex(action, { size: 1 })))
  const inputs = steps.map(([, input]) => input)
  const input = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [words, inputs])
  return { command: commands.v4Swap, input }
}

/** To wrap or unwrap takes an address and an amount: all there is, or at least so much. */
function encodeMove(command: number, recipient: Address, amount: bigint): Command {
  const parameters = parseAbiParameters('address recipient, uint256 amount')
  return { command, input: encodeAbiParameters(parameters, [recipient, amount]) }
}

/** Wraps before, swaps, unwraps after, wherever what the caller trades is not what the pool holds. */
function listCommands(swap: Swap<FeePath>, minAmountOut: bigint): readonly Command[] {
  const { request, path } = swap
  const poolIn = path.tokens[0] ?? zeroAddress
  const poolOut = path.tokens.at(-1) ?? zeroAddress
  const mustWrapIn = isNative(request.tokenIn) && !isNative(poolIn)
  const mustUnwrapIn = !isNative(request.tokenIn) && isNative(poolIn)
  const mustUnwrapOut = isNative(request.tokenOut) && !isNative(poolOut)
  const mustWrapOut = !isNative(request.tokenOut) && isNative(poolOut)
  const { recipient } = request
  const receiver = mustUnwrapOut || mustWrapOut ? routerItself : recipient
  return [
    ...(mustWrapIn ? [encodeMove(commands.wrap, routerItself, wholeBalance)] : []),
    ...(mustUnwrapIn ? [encodeMove(commands.unwrap, routerItself, 0n)] : []),
    encodeV4Swap(swap, receiver, minAmountOut),
    ...(mustUnwrapOut ? [encodeMove(commands.unwrap, recipient, minAmountOut)] : []),
    ...(mustWrapOut ? [encodeMove(commands.wrap, recipient, wholeBalance)] : []),
  ]
}

function encode({ router }: DirectDex, swap: Swap<FeePath>): Payload {
  const { request, amounts, deadline } = swap
  if (amounts.type !== 'exactInput') throw new Error('asked for exact inputs only')
  const list = listCommands(swap, amounts.minAmountOut)
  const words = concatHex(list.map(({ command }) => numberToHex(command, { size: 1 })))
  const inputs = list.map(({ input }) => input)
  if (isNative(request.tokenIn))
    return {
      target: router,
      spender: router,
      calldata: encodeFunctionData({
        abi: routerAbi,
        functionName: 'execute',
        args: [words, inputs, deadline],
      }),
    }
  return {
    target: swapProxy,
    spender: swapProxy,
    calldata: encodeFunctionData({
      abi: swapProxyAbi,
      functionName: 'execute',
      args: [router, request.tokenIn, amounts.amountIn, words, inputs, deadline],
    }),
  }
}

/**
 * Pools without hooks, over the native currency where they hold it, through Universal Router 2.0
 * (2.1 wants a limit for each hop in the same action).
 */
export function createUniswapV4({ now }: { readonly now: () => number }): DirectFamily<FeePath> {
  const listPaths = createPathLister<number>(
    {
      keysOf: () => [...tickSpacings.keys()],
      askPool: ({ factory }, { a, b, key }) => {
        const id = poolIdOf(a, b, key)
        const at = parseAbiParameters('bytes32, uint256')
        const slot = keccak256(encodeAbiParameters(at, [id, poolsSlot]))
        const data = encodeFunctionData({ abi: managerAbi, functionName: 'extsload', args: [slot] })
        return { target: factory, data }
      },
      // Its first word has the price, which a pool never loses.
      isPool: (data) => {
        const [word] = decodeAbiParameters(parseAbiParameters('uint256'), data)
        return word !== 0n
      },
    },
    { now },
  )
  return {
    takesTaxedInput: false,
    exactOutput: false,
    hasNativePools: true,
    gas: 60_000n,
    isRouter: async (dex, signal) => {
      const [manager] = await probeRouter(dex, { functions: ['poolManager'], signal })
      return manager !== undefined && isSameAddress(manager, dex.factory)
    },
    listPaths: (dex, { tokenIn, tokenOut, signal }) => {
      const { wrappedNative } = dex
      const isCoin = (token: Address) => isNative(token) || isSameAddress(token, wrappedNative)
      const formsOf = (token: Address) => (isCoin(token) ? [zeroAddress, wrappedNative] : [token])
      const hubs = [zeroAddress, ...dex.hubTokens]
      const tokenPaths = formsOf(tokenIn).flatMap((from) =>
        formsOf(tokenOut).flatMap((to) => findPaths(from, to, hubs)),
      )
      return listPaths(dex, { tokenPaths, signal })
    },
    askPrice: ({ quoter }, path, trade) => {
      const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
      const exactAmount = amount < maxUint128 ? amount : maxUint128
      const exactCurrency = path.tokens[0] ?? zeroAddress
      const args = [{ exactCurrency, path: hopsOf(path), exactAmount }] as const
      const data = encodeFunctionData({ abi: quoterAbi, functionName: 'quoteExactInput', args })
      return { target: quoter ?? zeroAddress, data }
    },
    readPrice: (data) => {
      const functionName = 'quoteExactInput'
      const [amount, gas] = decodeFunctionResult({ abi: quoterAbi, functionName, data })
      return { amount, gas }
    },
    encode,
    describe: (path) => describePath(path, String),
  }
}
