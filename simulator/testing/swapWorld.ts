import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'
import type { Candidate } from '../buildBundle.ts'
import { deployer, readArtifact, startTestChain, type TestChain } from './testChain.ts'

export type SwapWorld = {
  readonly chain: TestChain
  readonly tokenA: Address
  readonly tokenB: Address
  readonly weth: Address
  readonly router: Address
  readonly routerAbi: Abi
  readonly tokenAbi: Abi
  readonly swapAForB: (p?: SwapOptions) => Candidate
  /** What the router itself says that the swap pays now. */
  readonly quoteAForB: (amountIn: bigint) => Promise<bigint>
  readonly quote: (amountIn: bigint, path: readonly Address[]) => Promise<bigint>
  /** Moves the price; returns the block. */
  readonly swapForReal: (amountIn: bigint) => Promise<bigint>
}

type SwapOptions = {
  readonly amountIn?: bigint
  readonly minOut?: bigint
  readonly to?: Address
  readonly deadline?: bigint
}

const ether = 10n ** 18n
const farOff = 2n ** 40n

/** A chain with two tokens, WETH and real Uniswap v2 pools between them. */
export async function startSwapWorld(options: { chainId?: number } = {}): Promise<SwapWorld> {
  const chain = await startTestChain(options)
  const erc20 = readArtifact('@uniswap/v2-core/build/ERC20.json')
  const wethArtifact = readArtifact('@uniswap/v2-periphery/build/WETH9.json')
  const factoryArtifact = readArtifact('@uniswap/v2-core/build/UniswapV2Factory.json')
  const routerArtifact = readArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json')
  const tokenA = await chain.deploy({ ...erc20, args: [10n ** 12n * ether] })
  const tokenB = await chain.deploy({ ...erc20, args: [10n ** 12n * ether] })
  const weth = await chain.deploy(wethArtifact)
  const factory = await chain.deploy({ ...factoryArtifact, args: [deployer.address] })
  const router = await chain.deploy({ ...routerArtifact, args: [factory, weth] })
  const to = deployer.address
  for (const token of [tokenA, tokenB])
    await chain.send({
      to: token,
      abi: erc20.abi,
      functionName: 'approve',
      args: [router, 2n ** 255n],
    })
  await chain.send({
    to: router,
    abi: routerArtifact.abi,
    functionName: 'addLiquidity',
    args: [tokenA, tokenB, 10n ** 6n * ether, 2n * 10n ** 6n * ether, 0n, 0n, to, farOff],
  })
  await chain.send({
    to: router,
    abi: routerArtifact.abi,
    functionName: 'addLiquidityETH',
    args: [tokenA, 10n ** 6n * ether, 0n, 0n, to, farOff],
    value: 1000n * ether,
  })
  const world = {
    chain,
    tokenA,
    tokenB,
    weth,
    router,
    routerAbi: routerArtifact.abi,
    tokenAbi: erc20.abi,
  }
  return { ...world, ...swapsOf(world) }
}

function swapsOf({
  chain,
  tokenA,
  tokenB,
  router,
  routerAbi,
}: Omit<SwapWorld, 'swapAForB' | 'quoteAForB' | 'quote' | 'swapForReal'>) {
  const encode = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: routerAbi, functionName, args })
  const quote = async (amountIn: bigint, path: readonly Address[]) => {
    const data = encode('getAmountsOut', [amountIn, path])
    const answer = (await chain.request('eth_call', [{ to: router, data }, 'latest'])) as Hex
    return BigInt(`0x${answer.slice(-64)}`)
  }
  return {
    swapAForB({
      amountIn = ether,
      minOut = 0n,
      to = deployer.address,
      deadline = farOff,
    }: SwapOptions = {}): Candidate {
      return {
        target: router,
        data: encode('swapExactTokensForTokens', [
          amountIn,
          minOut,
          [tokenA, tokenB],
          to,
          deadline,
        ]),
        value: 0n,
        tokenIn: tokenA,
        tokenOut: tokenB,
        amountIn,
        spender: router,
      }
    },
    quoteAForB: (amountIn: bigint) => quote(amountIn, [tokenA, tokenB]),
    quote,
    async swapForReal(amountIn: bigint) {
      const args = [amountIn, 0n, [tokenA, tokenB], deployer.address, farOff]
      const functionName = 'swapExactTokensForTokens'
      return chain.send({ to: router, abi: routerAbi, functionName, args })
    },
  }
}
