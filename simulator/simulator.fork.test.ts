import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { userProxyFactoryV6, userProxyV6 } from '../contracts/artifacts.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { createRpcEndpoint, type RpcCall } from './rpc/rpcBatch.ts'
import { createSimulator } from './simulator.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { deployer } from './testing/testChain.ts'
import { startTestForks } from './testing/testForks.ts'
import { waitFor } from './testing/waitFor.ts'

const s = suite('simulator')
const world = await startSwapWorld()
const simulator = await createSimulator({
  forks: await startTestForks(),
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

s('begins when it is told to, and nobody waits for its forks [sim/starts-after]', async () => {
  const loaded = Promise.withResolvers<void>()
  const later = await createSimulator({
    forks: await startTestForks(),
    chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
    startsAfter: loaded.promise,
  })
  try {
    assert.not(later.status(8453).ready)
    loaded.resolve()
    await waitFor('its fork', () => later.status(8453).ready)
  } finally {
    await later.close()
  }
})

const ether = 10n ** 18n
const taker = simulator.simulatedTaker(8453)
const simulate = (candidates: readonly Candidate[]) =>
  simulator.simulateCandidates({ chainId: 8453, candidates })
const simulateOne = async (candidate: Candidate) => (await simulate([candidate])).results[0]
const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: world.routerAbi, functionName, args })

s(
  'delivers exactly what the router quotes, to a taker that holds nothing [sim/delivers]',
  async () => {
    const amountOut = await world.quoteAForB(ether)
    const result = await simulateOne(world.swapAForB({ to: taker }))
    assert.is(result?.status, 'ok')
    if (result?.status !== 'ok') return
    assert.equal(result.amountOut, amountOut)
    assert.ok(result.gasUsed > 60_000n && result.gasUsed < 200_000n)
  },
)
s('finds the recipient that the calldata pays when it is not the taker', async () => {
  const result = await simulateOne(
    world.swapAForB({ to: '0x1111111111111111111111111111111111111111' }),
  )
  assert.equal(result?.status === 'ok' && result.amountOut, await world.quoteAForB(ether))
})
s('counts nobody but the recipient that the caller names', async () => {
  const elsewhere = world.swapAForB({ to: '0x1111111111111111111111111111111111111111' })
  assert.equal(await simulateOne({ ...elsewhere, recipient: taker }), {
    status: 'simulation_failed',
    reason: 'no output received',
  })
})
s('sells and buys the native currency to the wei [sim/native]', async () => {
  const { tokenA, weth, router } = world
  const common = { target: router, amountIn: ether, spender: router }
  const buy: Candidate = {
    ...common,
    data: encode('swapExactTokensForETH', [ether, 0n, [tokenA, weth], taker, 2n ** 40n]),
    value: 0n,
    tokenIn: tokenA,
    tokenOut: zeroAddress,
  }
  const sell: Candidate = {
    ...common,
    data: encode('swapExactETHForTokens', [0n, [weth, tokenA], taker, 2n ** 40n]),
    value: ether,
    tokenIn: zeroAddress,
    tokenOut: tokenA,
    spender: undefined,
  }
  const { results } = await simulate([buy, sell])
  const quotes = await Promise.all([
    world.quote(ether, [tokenA, weth]),
    world.quote(ether, [weth, tokenA]),
  ])
  assert.equal(
    results.map((result) => result.status === 'ok' && result.amountOut),
    quotes,
  )
})
s('keeps 32 candidates in order and apart from each other, on one block [sim/order]', async () => {
  const amounts = Array.from({ length: 32 }, (_, i) => ether * BigInt(i + 1))
  const { results, blockNumber } = await simulate(
    amounts.map((amountIn) => world.swapAForB({ amountIn, to: taker })),
  )
  assert.equal(blockNumber, BigInt((await world.chain.request('eth_blockNumber')) as Hex))
  const quotes = await Promise.all(amounts.map((amountIn) => world.quoteAForB(amountIn)))
  assert.equal(
    results.map((result) => result.status === 'ok' && result.amountOut),
    quotes,
  )
})
s('says why a candidate fails, and lets the others be [sim/reasons]', async () => {
  const { tokenB } = world
  const { results } = await simulate([
    world.swapAForB({ minOut: 10n ** 30n }),
    { ...world.swapAForB(), target: '0x2222222222222222222222222222222222222222' },
    { ...world.swapAForB(), spender: undefined },
    world.swapAForB({ deadline: 1n }),
    { ...world.swapAForB(), tokenIn: '0x3333333333333333333333333333333333333333' },
    { ...world.swapAForB(), data: '0xdeadbeef' },
    { ...world.swapAForB(), target: tokenB, data: '0x18160ddd' },
    world.swapAForB(),
  ])
  assert.equal(
    results.map((result) => (result.status === 'ok' ? 'ok' : result.reason)),
    [
      'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
      'target has no code',
      'TransferHelper: TRANSFER_FROM_FAILED',
      'UniswapV2Router: EXPIRED',
      'balance slot not found',
      'execution reverted without a reason',
      'no output received',
      'ok',
    ],
  )
  assert.is(results[4]?.status, 'simulation_unavailable')
})
s(
  'does not let an old block trip the deadline of a fresh payload, nor pass an expired one',
  async () => {
    const nowSecs = BigInt(Math.floor(Date.now() / 1000))
    const { results } = await simulate([
      world.swapAForB({ deadline: nowSecs + 30n }),
      world.swapAForB({ deadline: nowSecs - 30n }),
    ])
    assert.equal(
      results.map(({ status }) => status),
      ['ok', 'simulation_failed'],
    )
  },
)
s('sees the transaction that was mined a moment ago', async () => {
  for (let round = 0; round < 3; round += 1) {
    await world.swapForReal(1000n * ether)
    const result = await simulateOne(world.swapAForB())
    assert.equal(result?.status === 'ok' && result.amountOut, await world.quoteAForB(ether))
  }
})
s('uses what a real taker really has when asked to', async () => {
  const poor: Address = '0x4444444444444444444444444444444444444444'
  const { results } = await simulate([
    { ...world.swapAForB(), taker: deployer.address, funding: 'real' },
    { ...world.swapAForB(), taker: poor, funding: 'real' },
    { ...world.swapAForB({ to: poor }), taker: poor },
  ])
  assert.equal(
    results.map(({ status }) => status),
    ['ok', 'simulation_failed', 'ok'],
  )
})
s('refuses a block that does not come, and a chain it does not know', async () => {
  const unavailable = async (parameters: { chainId: number; minBlock?: bigint }) => {
    try {
      await simulator.simulateCandidates({ ...parameters, candidates: [world.swapAForB()] })
    } catch (error) {
      return error instanceof SimulatorUnavailable
    }
    return false
  }
  assert.ok(await unavailable({ chainId: 8453, minBlock: 10n ** 9n }))
  assert.ok(await unavailable({ chainId: 1 }))
})
s('reads and dry-runs a deployment in one go, whatever the token is', async () => {
  const { chain, tokenA, router } = world
  const implementation = await chain.deploy(userProxyV6)
  const factory = await chain.deploy({ ...userProxyFactoryV6, args: [implementation] })
  const owner: Address = '0x5555555555555555555555555555555555555555'
  const ask = (tokenIn: Address) =>
    simulator.simulateDeploy({ chainId: 8453, factory, owner, tokenIn, relayer: deployer.address })
  const report = await ask(tokenA)
  assert.is(report.tokenBalance, 0n)
  assert.is(report.existingProxy, undefined)
  assert.ok(report.relayerBalance > 0n)
  assert.ok(report.deploy.status === 'ok' && report.deploy.gasUsed < 200_000n)
  assert.is((await ask(router)).tokenBalance, undefined)
  assert.is((await ask(owner)).tokenBalance, undefined)
  await chain.send({
    to: factory,
    abi: parseAbi(['function deploy(address) returns (address)']),
    functionName: 'deploy',
    args: [owner],
  })
  assert.is((await ask(tokenA)).existingProxy, report.predictedProxy)
})
s("has its fork fetch at once what is the owner's of it [strangers/deploy-reads]", async () => {
  const { chain, tokenA } = world
  const implementation = await chain.deploy(userProxyV6)
  const factory = await chain.deploy({ ...userProxyFactoryV6, args: [implementation] })
  const owner: Address = '0x6666666666666666666666666666666666666666'
  const rpc = createRpcEndpoint({ url: chain.rpcUrl })
  const tokenIsAsked = Promise.withResolvers<void>()
  const isOf = (address: Address, { params }: RpcCall) =>
    String(params[0]).toLowerCase() === address.toLowerCase()
  const simulatorOfOne = await createSimulator({
    forks: await startTestForks(),
    chains: [
      {
        chainId: 8453,
        upstreamUrl: chain.rpcUrl,
        async ask(calls) {
          const asksToken = (call: RpcCall) =>
            call.method === 'eth_getStorageAt' && isOf(tokenA, call)
          if (calls.some(asksToken)) tokenIsAsked.resolve()
          // One after the other, the token would come last.
          if (calls.some((call) => isOf(owner, call))) await tokenIsAsked.promise
          return rpc.batch(calls, { timeoutMs: 5_000 })
        },
      },
    ],
  })
  try {
    const asked = { chainId: 8453, factory, owner, tokenIn: tokenA, relayer: deployer.address }
    const { deploy, nativeBalance } = await simulatorOfOne.simulateDeploy(asked)
    assert.is(deploy.status, 'ok')
    assert.is(nativeBalance, 0n)
  } finally {
    await simulatorOfOne.close()
    await rpc.close()
  }
})
s.run()
