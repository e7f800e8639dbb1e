import { setTimeout as wait } from 'node:timers/promises'
import type { Static } from 'typebox'
import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { readContract } from 'viem/actions'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { send } from '../../fixtures/chains/send.ts'
import { openService } from '../../fixtures/openService.ts'
import { revertChain } from '../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { getChain, getDexes } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createRouting } from './service/routing.ts'
import { startPickyNode } from './testing/startPickyNode.ts'
import type { disposalResponse } from './wire/lpDisposal.ts'

const chainId = 8453
const world = await startWorldChain({ chainId })
const node = await startPickyNode(world.rpcUrl, { delayMs: 30 })
const chain = getChain(chainId)
const [account] = world.manifest.accounts
if (!chain || !account) throw new Error('chain 8453 is built in, its world funds accounts')
const chainClient = createChainClient({ chain, rpcUrls: [node.url] })
const token = (symbol: string): Address => {
  const found = world.manifest.tokens[symbol]
  if (!found) throw new Error(`no ${symbol}`)
  return found.address
}
const quotedProtocols = ['curve_crypto', 'fluid', 'maverick_v2', 'dodo_v2', 'woofi']

type Disposal = Static<typeof disposalResponse>
const open = async (protocols: readonly string[], seeds?: readonly []) => {
  const routing = await createRouting({
    chains: [
      {
        chainClient,
        executor: world.manifest.executor,
        maxAgeMs: 0,
        pollMs: 3_600_000,
        dexes: getDexes(chainId).filter(({ protocol }) => protocols.includes(protocol)),
        ...(seeds && { seeds }),
      },
    ],
    simulator: undefined,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
  const post = openService(routing.endpoints)
  /** The answer, and how many round trips it took one after the other. */
  const dispose = async (symbols: readonly string[]) => {
    const legs = symbols.map((symbol) => ({
      token: token(symbol),
      amount: String(BigInt(account.funded[symbol] ?? 0) / 1_000n),
    }))
    const before = node.trips()
    const disposal = await post<Disposal>('/quote_lp_disposal', {
      chain_id: chainId,
      target_token: token('USDC'),
      taker: account.address,
      legs,
    })
    return { disposal, trips: node.trips() - before }
  }
  return { routing, dispose }
}

const s = suite('legs of a position')
const opened: { close(): Promise<void> }[] = []
s.after(async () => {
  await Promise.all(opened.map((each) => each.close()))
  chainClient.close()
  node.close()
  await world.close()
})

const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const balanceOf = (address: Address) =>
  readContract(chainClient.client, {
    address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  })

/** Sends the legs one by one: each must deliver to the wei what was said of it, on what those before left. */
async function execute({ legs }: Disposal, symbols: readonly string[]): Promise<void> {
  const rpc = createRpc(world.rpcUrl)
  const snapshot = await rpc('evm_snapshot')
  const args = [world.manifest.executor, maxUint256] as const
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  for (const symbol of symbols) await send(sender, { to: token(symbol), data: approval })
  for (const [index, { quote }] of legs.entries()) {
    if (!quote?.execution) throw new Error(`${symbols[index]} has a payload`)
    const { target, calldata, value } = quote.execution
    const before = await balanceOf(token('USDC'))
    const call = { to: target as Address, data: calldata as Hex, value: BigInt(value) }
    await send(sender, { ...call, gas: 8_000_000n })
    const delivered = (await balanceOf(token('USDC'))) - before
    assert.is(delivered, BigInt(quote.output), `${symbols[index]} by ${quote.route_path}`)
  }
  await revertChain(rpc, snapshot)
}

const protocolsOf = ({ legs }: Disposal) =>
  legs.map(({ quote }) => quote?.steps.map(({ protocol }) => protocol) ?? [])

s(
  'reads the missing pools of all legs together, in at most four round trips [routing/legs-rpc]',
  async () => {
    const { routing, dispose } = await open(['pancake_v3'], [])
    opened.push(routing)
    const symbols = ['WETH', 'cbBTC', 'AERO', 'BRETT', 'USDT']
    const { disposal, trips } = await dispose(symbols)
    assert.is(disposal.complete, true)
    for (const { quote } of disposal.legs) assert.is(quote?.source, 'rpc')
    // The last of them tries whether the pools swap at all.
    assert.ok(trips <= 4, `${trips} trips`)
    const again = await dispose(symbols)
    // A lab chain is asked for its head with each request.
    assert.is(again.trips, 1)
    for (const { quote } of again.disposal.legs) assert.is(quote?.source, 'local')
  },
)

s('puts the pools without local maths of all legs to the chain at once', async () => {
  const { routing, dispose } = await open(quotedProtocols)
  opened.push(routing)
  const symbols = ['cbBTC', 'WBTC', 'VIRTUAL', 'AERO', 'EURC', 'USDT']
  const { disposal, trips } = await dispose(symbols)
  const used = protocolsOf(disposal).filter((steps) =>
    steps.some((protocol) => quotedProtocols.includes(protocol)),
  )
  assert.is(used.length, symbols.length)
  assert.ok(trips <= 1 + 2, `${trips} trips`)
  await execute(disposal, symbols)
})

s(
  'runs a leg again on pools that an earlier one left otherwise than planned [routing/legs-replanned]',
  async () => {
    const { routing, dispose } = await open(getDexes(chainId).map(({ protocol }) => protocol))
    opened.push(routing)
    const symbols = ['cbETH', 'wstETH', 'cbBTC', 'WBTC', 'WETH', 'AERO', 'VIRTUAL', 'EURC']
    const { disposal } = await dispose(symbols)
    const pools = disposal.legs.map(({ quote }) => quote?.steps.map(({ pool }) => pool) ?? [])
    const shared = pools.flat().filter((pool, at, all) => all.indexOf(pool) < at)
    assert.ok(shared.length > 0, 'legs share pools')
    await execute(disposal, symbols)
  },
)

s(
  'prices all legs by fresh reads of their own pools when the state cannot be followed [routing/legs-hint]',
  async () => {
    const { routing, dispose } = await open([...quotedProtocols, 'uniswap_v2'])
    opened.push(routing)
    const symbols = ['cbBTC', 'WETH', 'AERO', 'VIRTUAL']
    const followed = await dispose(symbols)
    node.refused.add('eth_getLogs')
    await createRpc(world.rpcUrl)('evm_mine')
    const sources = ({ legs }: Disposal) => legs.map(({ quote }) => quote?.source)
    const deadline = performance.now() + 60_000
    let hinted = followed
    while (!sources(hinted.disposal).every((source) => source === 'path_hint')) {
      assert.ok(performance.now() < deadline, 'hints within a minute')
      await wait(100)
      hinted = await dispose(symbols)
    }
    const total = ({ disposal }: typeof hinted) => disposal.total_estimated_output
    assert.is(total(hinted), total(followed))
    await execute(hinted.disposal, symbols)
  },
)

s(
  'sells a token of two legs twice, in order: no liquidity counts twice [strangers/legs-twice]',
  async () => {
    const { routing, dispose } = await open(['uniswap_v2'])
    opened.push(routing)
    const symbols = ['WETH', 'WETH', 'cbBTC', 'WETH']
    const { disposal } = await dispose(symbols)
    assert.is(disposal.complete, true)
    const outputs = disposal.legs
      .filter((_, index) => symbols[index] === 'WETH')
      .map(({ quote }) => BigInt(quote?.output ?? 0))
    const [first = 0n, second = 0n, third = 0n] = outputs
    assert.ok(first > second && second > third && third > 0n)
    await execute(disposal, symbols)
  },
)

s.run()
