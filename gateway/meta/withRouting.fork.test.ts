import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex, zeroAddress } from 'viem'
import { getBalance, getBlockNumber, readContract } from 'viem/actions'
import { send } from '../../fixtures/chains/send.ts'
import { serveMeta } from '../../fixtures/meta/serveMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { getChain, getDexes } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createRouting } from '../routing/service/routing.ts'

/** All of our own sources together on one chain: routing in process beside the routers. */
const s = suite('meta with routing')
const chainId = 42161
const world = await startWorldChain({ chainId })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
const chain = getChain(chainId)
if (!chain) throw new Error('no chain')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl], timeoutMs: 30_000 })
const executor = getAddress(world.manifest.executor)
const routing = await createRouting({
  chains: [{ chainClient, executor, maxAgeMs: 0 }],
  simulator,
  serviceName: 'test',
  version: 'test',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
})
const served = await serveMeta({
  quote: routing.quote,
  clients: [chainClient],
  dexesOf: getDexes,
  executorOf: () => executor,
  dryRunOf: () => simulator.simulateCandidates,
  taxOf: routing.taxOf,
  poolsBetween: routing.poolsBetween,
  isToken: routing.isToken,
})
s.after(async () => {
  await served.close()
  await routing.close()
  chainClient.close()
  await simulator.close()
  await world.close()
})

const account = world.manifest.accounts[4]
if (!account) throw new Error('the world has no account')
const owner = getAddress(account.address)
const signer = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const token = (name: string): Address => {
  const found = world.manifest.tokens[name]
  if (!found) throw new Error(`no token ${name}`)
  return getAddress(found.address)
}
type Quote = {
  provider: string
  amountIn: string
  amountOut: string
  minAmountOut: string
  target: Address
  approveTarget: Address | null
  calldata: Hex
  value: string
  taxInBps: number
  simulation: { status: string; actualOutput?: string; error?: string }
}
type Reply = {
  best: Quote | null
  quotes: Quote[]
  failures: { provider: string; reason: string }[]
  simulation: { winnerProviderId?: string }
}
async function quote(body: Record<string, unknown>): Promise<Reply> {
  const res = await fetch(`${served.url}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chainId, taker: owner, ...body }),
  })
  const answer = (await res.json()) as Reply
  assert.is(res.status, 200, JSON.stringify(answer))
  return answer
}
const { client } = chainClient
const balanceOf = (address: Address) =>
  address === zeroAddress
    ? getBalance(client, { address: owner })
    : readContract(client, { address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
async function execute(tokenIn: Address, tokenOut: Address, best: Quote): Promise<bigint> {
  if (best.approveTarget) {
    const args = [best.approveTarget, 10n ** 30n] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    await send(signer, { to: tokenIn, data })
  }
  const before = await balanceOf(tokenOut)
  const receipt = await send(signer, {
    to: best.target,
    data: best.calldata,
    value: BigInt(best.value),
  })
  assert.is(receipt.status, 'success')
  return (await balanceOf(tokenOut)) - before
}

s(
  'ranks routing beside the routers and never below them before gas [meta/with-routing]',
  async () => {
    const { best, quotes, failures, simulation } = await quote({
      tokenIn: token('USDC'),
      tokenOut: token('WETH'),
      amountIn: '50000000000',
      dryRun: true,
    })
    const names = quotes.map(({ provider }) => provider)
    for (const name of ['routing', 'uniswap-v2', 'uniswap-v3', 'sushiswap-v2', 'pancakeswap-v3'])
      assert.ok(names.includes(name), JSON.stringify([names, failures]))
    const out = (name: string) =>
      BigInt(quotes.find(({ provider }) => provider === name)?.amountOut ?? 0)
    for (const name of names) assert.ok(out('routing') >= out(name), name)
    assert.is(simulation.winnerProviderId, best?.provider)
    for (const one of quotes) assert.is(one.simulation.actualOutput, one.amountOut, one.provider)
  },
)

s('reaches an exact output through routing too, within maxIn, and delivers it', async () => {
  const targetOut = 2n * 10n ** 18n
  const { best, quotes, failures } = await quote({
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    quoteType: 'exactOutput',
    targetOut: `${targetOut}`,
    maxIn: '20000000000',
    calldataPolicy: 'strict',
  })
  assert.ok(
    quotes.some(({ provider }) => provider === 'routing'),
    JSON.stringify(failures),
  )
  for (const one of quotes) {
    assert.ok(BigInt(one.minAmountOut) >= targetOut)
    assert.ok(BigInt(one.amountIn) <= 20_000_000_000n)
  }
  assert.ok(best)
  if (best) assert.ok((await execute(token('USDC'), token('WETH'), best)) >= targetOut)
})

s('wraps through routing, and asks nobody who has no router there', async () => {
  const { best, failures } = await quote({
    tokenIn: zeroAddress,
    tokenOut: token('WETH'),
    amountIn: '1000000000000000000',
    dryRun: true,
  })
  assert.is(best?.provider, 'routing')
  assert.is(best?.simulation.actualOutput, '1000000000000000000')
  // The world's PancakeSwap v2 only quotes; Base's DEXes are not here.
  const asked = failures.map(({ provider }) => provider)
  for (const name of ['pancakeswap-v2', 'baseswap-v2']) assert.not(asked.includes(name), name)
})

s('relaxes the guards inside, down to nothing [meta/relaxed-own]', async () => {
  const { quotes } = await quote({
    tokenIn: token('USDC'),
    tokenOut: zeroAddress,
    amountIn: '1000000000',
    relaxedProviderMinReturn: true,
    dryRun: true,
  })
  assert.ok(quotes.length >= 2)
  for (const { minAmountOut, simulation } of quotes) {
    assert.is(simulation.status, 'success', simulation.error)
    assert.is(BigInt(minAmountOut), 0n)
  }
})

/** Routing measures taxes in the background after its start. */
async function taxesAreKnown(): Promise<void> {
  const deadline = Date.now() + 60_000
  const ask = { chainId, tokenIn: token('TAX'), tokenOut: token('WETH'), slippageBps: 50 }
  for (;;) {
    const answer = await routing.quote({ ...ask, amountIn: 10n ** 18n })
    if (answer.status === 'ok' && answer.quote.taxInBps > 0) return
    if (Date.now() > deadline) throw new Error('the tax was never measured')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

s(
  'delivers a token that taxes its transfers, with its tax reported by every source [meta/tax]',
  async () => {
    await taxesAreKnown()
    const { best, quotes, failures } = await quote({
      tokenIn: token('TAX'),
      tokenOut: token('WETH'),
      amountIn: '1000000000000000000',
      slippageBps: 50,
      dryRun: true,
    })
    assert.is(best?.simulation.status, 'success', best?.simulation.error)
    const names = quotes.map(({ provider }) => provider)
    assert.ok(names.includes('routing') && names.includes('uniswap-v2'), names.join())
    for (const { provider, taxInBps, amountOut, simulation } of quotes) {
      assert.is(taxInBps, 100, provider)
      assert.is(simulation.actualOutput, amountOut, provider)
    }
    // Its callback pays a pool exactly, which a token that keeps a part cannot.
    const refused = failures.find(({ provider }) => provider === 'uniswap-v3')
    assert.match(refused?.reason ?? '', /^unsupported_token: /)
    if (!best) return
    const delivered = await execute(token('TAX'), token('WETH'), best)
    assert.is(`${delivered}`, best.simulation.actualOutput)
  },
)

s(
  'signs and sends nothing: the chain stands still while it quotes [meta/signs-nothing]',
  async () => {
    const before = await getBlockNumber(client, { cacheTime: 0 })
    const { quotes } = await quote({
      tokenIn: token('USDC'),
      tokenOut: token('WETH'),
      amountIn: '500000000',
      dryRun: true,
    })
    assert.ok(quotes.some(({ simulation }) => simulation.status === 'success'))
    assert.is(await getBlockNumber(client, { cacheTime: 0 }), before)
  },
)

s('lists its sources with their figures [meta/sources]', async () => {
  const res = await fetch(`${served.url}/sources`)
  const { sources } = (await res.json()) as {
    sources: { name: string; state: string; calls: number }[]
  }
  const states = new Map(sources.map(({ name, state }) => [name, state]))
  for (const name of ['routing', 'uniswap-v2', 'uniswap-v3', 'sushiswap-v3'])
    assert.is(states.get(name), 'ok', name)
})

s.run()
