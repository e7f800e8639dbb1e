import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import { userProxyFactoryV6, userProxyV6 } from '../contracts/artifacts.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { startFaultProxy } from './testing/faultProxy.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { deployer } from './testing/testChain.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('a dry run on the chain')
const world = await startSwapWorld()
const { chain, tokenA, tokenB, weth, router, routerAbi } = world
const proxy = await startFaultProxy({ target: chain.rpcUrl })
// Runs on the chain, and is not there for a fork: what a token is that the node itself runs.
proxy.set({ codeless: [tokenB] })
const simulator = await createSimulator({
  forks: await startTestForks(),
  chains: [{ chainId: 8453, upstreamUrl: proxy.url }],
})
s.after(async () => {
  await simulator.close()
  await proxy.close()
  await chain.close()
})

const ether = 10n ** 18n
const taker = simulator.simulatedTaker(8453)
const simulate = async (...candidates: readonly Candidate[]) =>
  (await simulator.simulateCandidates({ chainId: 8453, candidates })).results
function trade(path: readonly Address[]): Candidate {
  const [tokenIn, tokenOut] = [path[0] ?? tokenA, path.at(-1) ?? tokenA]
  const args = [ether, 0n, path, taker, 2n ** 40n]
  const functionName = 'swapExactTokensForTokens'
  const data = encodeFunctionData({ abi: routerAbi, functionName, args })
  return { target: router, data, value: 0n, tokenIn, tokenOut, amountIn: ether, spender: router }
}
const wethPair = [tokenB, weth] as const

s('buys, sells and passes a token without code to the wei [21/codeless]', async () => {
  const approve = { to: tokenB, abi: world.tokenAbi, functionName: 'approve' }
  await chain.send({ ...approve, args: [router, 2n ** 255n] })
  await chain.send({
    to: router,
    abi: routerAbi,
    functionName: 'addLiquidityETH',
    args: [tokenB, 10n ** 6n * ether, 0n, 0n, deployer.address, 2n ** 40n],
    value: 1000n * ether,
  })
  const paths = [
    [tokenA, tokenB],
    [tokenB, tokenA],
    [tokenA, ...wethPair],
  ] as const
  const results = await simulate(...paths.map(trade))
  const quotes = await Promise.all(paths.map((path) => world.quote(ether, path)))
  assert.equal(
    results.map((result) => (result.status === 'ok' ? result.amountOut : result.reason)),
    quotes,
  )
})

s('sells it where its richest holder is the pool that buys it [21/codeless-payer]', async () => {
  const abi = parseAbi([
    'function factory() view returns (address)',
    'function getPair(address, address) view returns (address)',
    'function balanceOf(address) view returns (uint256)',
    'function transfer(address, uint256)',
    'function sync()',
  ])
  const { client } = chain
  const factory = await readContract(client, { abi, address: router, functionName: 'factory' })
  const [pair, held] = await Promise.all([
    readContract(client, {
      abi,
      address: factory,
      functionName: 'getPair',
      args: [tokenA, tokenB],
    }),
    readContract(client, {
      abi,
      address: tokenB,
      functionName: 'balanceOf',
      args: [deployer.address],
    }),
  ])
  await chain.send({ to: tokenB, abi, functionName: 'transfer', args: [pair, held - 2n * ether] })
  await chain.send({ to: pair, abi, functionName: 'sync' })
  const [result] = await simulate(trade([tokenB, tokenA]))
  const quote = await world.quote(ether, [tokenB, tokenA])
  assert.equal(result?.status === 'ok' ? result.amountOut : result?.reason, quote)
})

s('beside it, everybody else is on the fork', async () => {
  const [result] = await simulate(trade([tokenA, weth]))
  const quote = await world.quote(ether, [tokenA, weth])
  assert.equal(result?.status === 'ok' && result.amountOut, quote)
})

s('says of what reverts on the chain itself why it did', async () => {
  const [result] = await simulate(world.swapAForB({ minOut: 10n ** 30n }))
  assert.equal(result, {
    status: 'simulation_failed',
    reason: 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
  })
})

s('is unavailable, and never failed, where the node runs none [21/codeless-refused]', async () => {
  proxy.set({ unknownMethods: ['eth_simulateV1'] })
  const candidates = [
    trade([tokenA, tokenB]),
    trade([tokenB, tokenA]),
    trade([tokenA, ...wethPair]),
  ]
  const without = await simulate(...candidates)
  proxy.set({ unknownMethods: [], fault: 'busy' })
  const busy = await simulate(trade([tokenA, tokenB]))
  proxy.set({ fault: 'none' })
  const reason = "a token without code, and the chain's node"
  const refused = { status: 'simulation_unavailable', cause: 'unsupported' }
  assert.equal(
    without,
    candidates.map(() => ({ ...refused, reason: `${reason} has no eth_simulateV1` })),
  )
  assert.equal(busy, [
    { ...refused, cause: 'rpc_error', reason: `${reason} did not answer in time` },
  ])
})

s('wears no disguise, and leaves no trace', async () => {
  const candidate = trade([tokenA, tokenB])
  const disguise = { gas: 1_000_000n, gasPriceWei: 10n ** 9n, blocksAhead: 0, blockTimeMs: 2_000 }
  const [result] = await simulate({ ...candidate, disguise })
  assert.is(result?.status, 'simulation_unavailable')
  const { trace } = await simulator.traceCandidate({ chainId: 8453, candidate })
  assert.equal(trace, {
    status: 'unavailable',
    reason: 'a token without code, which no fork traces',
  })
})

s('tells the gates of a deployment what its owner has of it', async () => {
  const implementation = await chain.deploy(userProxyV6)
  const factory = await chain.deploy({ ...userProxyFactoryV6, args: [implementation] })
  const owner = deployer.address
  const report = await simulator.simulateDeploy({
    chainId: 8453,
    factory,
    owner,
    tokenIn: tokenB,
    relayer: owner,
  })
  assert.ok(report.tokenBalance !== undefined && report.tokenBalance > 0n)
})
s.run()
