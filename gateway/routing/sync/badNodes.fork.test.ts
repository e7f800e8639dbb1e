import { type Address, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { rpcFaults, startFaultProxy } from '../../../fixtures/chains/faultProxy.ts'
import { send } from '../../../fixtures/chains/send.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { getChain, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { knowPools } from '../testing/knowPools.ts'
import { type ChainSync, createChainSync } from './chainSync.ts'
import { findCreations } from './findCreations.ts'
import { loadPools } from './loadPools.ts'
import type { SyncEvent } from './syncEvent.ts'

const world = await startWorldChain({ chainId: 8453 })
const proxy = await startFaultProxy({ target: world.rpcUrl })
const chain = getChain(8453)
if (!chain) throw new Error('chain 8453 is built in')
const honest = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const chainClient = createChainClient({ chain, rpcUrls: [proxy.rpcUrl] })
const dexes = knowPools(getDexes(8453), world.manifest)
const events: SyncEvent[] = []
const manual = { pollMs: 3_600_000, maxAgeMs: 0 }
const sync = createChainSync({
  chainClient,
  dexes,
  seedTokens: seedTokens(8453),
  ...manual,
  observe: (event) => events.push(event),
})
await sync.start()

const rpc = createRpc(world.rpcUrl)
const [account] = world.manifest.accounts
const pair = world.manifest.pools.find(({ dex }) => dex === 'uniswap-v2')
if (!account || !pair) throw new Error('the world has accounts and pairs')
const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const pairAbi = parseAbi(['function sync()'])

/** Changes the reserves of a pair, in two blocks. */
async function movePair() {
  const [token] = pair?.tokens ?? []
  const args = [pair?.address as Address, 1_000n] as const
  await send(sender, {
    to: token as Address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
  })
  const data = encodeFunctionData({ abi: pairAbi, functionName: 'sync' })
  await send(sender, { to: pair?.address as Address, data })
}

/**
 * The followed state once it is at the chain's head, and equal to it where the pair is concerned. A look that
 * began since then says so: none that was begun before is under way any more, to end amid what comes next.
 */
async function assertCaughtUp() {
  const head = BigInt(String(await rpc('eth_blockNumber')))
  const deadline = performance.now() + 60_000
  for (;;) {
    const asked = performance.now()
    const state = await sync.fresh()
    const isLookedAt = sync.lagMs() <= Math.ceil(performance.now() - asked)
    if (isLookedAt && state?.head.number === head) break
    if (performance.now() > deadline) throw new Error(`stuck at ${state?.head.number}`)
  }
  const state = sync.current()
  const record = state?.pools.get(pair?.address.toLowerCase() ?? '')
  const dex = dexes.find(({ name }) => name === record?.dex)
  if (!record || !dex) throw new Error('the pair is followed')
  const pools = [{ dex, address: record.address }]
  const [fresh] = await loadPools(honest, { pools, blockNumber: head })
  const essence = { ...fresh, changedBlock: record.changedBlock, swapsSeen: record.swapsSeen }
  assert.equal(record, essence)
}

/** While the node misbehaves the old state stays, and its lag grows; afterwards all is well again. */
async function assertHoldsOut(misbehave: () => void, move: () => Promise<unknown> = movePair) {
  await assertCaughtUp()
  const before = sync.current()
  misbehave()
  await move()
  const asked = performance.now()
  assert.is((await sync.fresh())?.head.hash, before?.head.hash)
  assert.is((await sync.fresh())?.head.hash, before?.head.hash)
  assert.ok(sync.lagMs() >= Math.floor(performance.now() - asked) - 1, 'an unconfirmed state ages')
  proxy.mend()
  await assertCaughtUp()
}

const everything = () => true
const isLatest = ({ params }: { params?: unknown }) =>
  Array.isArray(params) && params[0] === 'latest'
const isBlock = (call: { method: string }) => call.method === 'eth_getBlockByNumber'

const s = suite('sync over bad nodes')
s.after(async () => {
  await sync.close()
  for (const client of [chainClient, honest]) client.close()
  await proxy.close()
  await world.close()
})

for (const fault of rpcFaults.filter((each) => each !== 'silence'))
  s(`keeps its state while the node answers ${fault}, and catches up afterwards`, () =>
    assertHoldsOut(() => proxy.break({ fault, matches: everything })),
  )

s('waits for a silent node anew with each question, and lets the event loop turn', async () => {
  proxy.break({ fault: 'silence', matches: everything })
  await sync.fresh()
  await sync.fresh()
  // The check behind the one that hangs has not begun; its first caller's patience is over.
  const asked = performance.now()
  await sync.fresh()
  assert.ok(performance.now() - asked > 1_000)
  proxy.mend()
  await assertCaughtUp()
})

s('keeps its state while the node does not give the logs of a block', () =>
  assertHoldsOut(() =>
    proxy.break({ fault: 'rpcError', matches: ({ method }) => method === 'eth_getLogs' }),
  ),
)

s('keeps its state while blocks in between are missing', () =>
  assertHoldsOut(() =>
    proxy.lie({ matches: (call) => isBlock(call) && !isLatest(call), tell: () => null }),
  ),
)

s('does not go back to a head that the node had passed, nor calls it confirmed', async () => {
  await assertCaughtUp()
  const old = sync.current()?.head.number ?? 0n
  const block = await rpc('eth_getBlockByNumber', `0x${(old - 3n).toString(16)}`, false)
  await assertHoldsOut(() =>
    proxy.lie({ matches: (call) => isBlock(call) && isLatest(call), tell: () => block }),
  )
})

const fakeHash = `0x${'ab'.repeat(32)}`
for (const [name, lie] of [
  ['whose parent nobody knows', { parentHash: fakeHash }],
  ['with a hash that the node itself does not know', { hash: fakeHash }],
  ['far in the future', { number: '0xfffffff' }],
] as const)
  s(`does not follow a head ${name}`, () =>
    assertHoldsOut(
      () =>
        proxy.lie({
          matches: (call) => isBlock(call) && isLatest(call),
          tell: (truth) => ({ ...(truth as object), ...lie }),
        }),
      // One block on: the lie is about the very next head.
      () => rpc('anvil_mine', '0x1'),
    ),
  )

s('starts over a node that limits the range of logs, from the factories alone', async () => {
  proxy.lie({
    matches: ({ method, params }) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes('fromBlock'),
    tell: () => {
      throw new Error('the range is limited to 10 blocks')
    },
  })
  // What a client has learned of a node it does not try again.
  const limited = createChainClient({ chain, rpcUrls: [proxy.rpcUrl] })
  const other = createChainSync({
    chainClient: limited,
    dexes,
    seedTokens: seedTokens(8453),
    ...manual,
  })
  await other.start()
  proxy.mend()
  const idsOf = (some: ChainSync) => [...(some.current()?.pools.keys() ?? [])].sort()
  assert.equal(idsOf(other), idsOf(sync))
  await other.close()
  limited.close()
})

s('finds pools of a tier nobody told it of, where the node gives logs of the past', async () => {
  const v3 = dexes.find(({ name }) => name === 'uniswap-v3')
  const tokens = [...sync.tokens().values()].map(({ address }) => address)
  const taken = new Set(world.manifest.pools.map((pool) => pool.tokens.join().toLowerCase()))
  const free = tokens
    .flatMap((one) => tokens.map((other) => [one, other] as const))
    .map((two) => [two[0].toLowerCase(), two[1].toLowerCase()] as [Address, Address])
    .find((two) => two[0] < two[1] && !taken.has(two.join()))
  if (!v3 || !free) throw new Error('some pair has no pool')
  const abi = parseAbi(['function createPool(address, address, uint24) returns (address)'])
  const data = encodeFunctionData({ abi, functionName: 'createPool', args: [...free, 10_000] })
  assert.is((await send(sender, { to: v3.factory, data })).status, 'success')
  const blockNumber = BigInt(String(await rpc('eth_blockNumber')))
  const dex = { ...v3, feesPips: [100] }
  const found = await findCreations(chainClient, { dex, tokens, blockNumber })
  const last = await findCreations(chainClient, {
    dex: { ...dex, deployBlock: Number(blockNumber) },
    tokens,
    blockNumber,
  })
  assert.is(last.length, 1)
  assert.ok(found.some(({ address }) => address === last[0]?.address))
})

s('reads the pools of a token asked for the first time in at most three round trips', async () => {
  for (const symbol of ['WETH', 'USDC', 'DAI']) {
    const token = world.manifest.tokens[symbol]?.address
    if (!token) continue
    await assertCaughtUp()
    const before = proxy.seen.requests
    const found = await sync.discover([token])
    const requests = proxy.seen.requests - before
    assert.ok(requests > 0 && requests <= 3, `${symbol}: ${requests} requests`)
    assert.ok(found.status === 'looked' && (found.state?.pools.size ?? 0) > 0)
  }
})

s('checks the head between the goes in which a burst of unknown tokens is looked for', async () => {
  await assertCaughtUp()
  proxy.delay(50)
  const before = proxy.seen.requests
  const blocks = () => proxy.seen.calls.get('eth_getBlockByNumber') ?? 0
  const checked = blocks()
  let looked = 0
  const burst = Array.from({ length: 100 }, async (_, n) => {
    const { status } = await sync.discover([`0x${(n + 1).toString(16).padStart(40, '0')}`])
    if (status === 'looked') looked += 1
    return status
  })
  while (blocks() === checked) await sync.fresh()
  // The go under way, and one more where the check outlasted the patience of who asked for it.
  assert.ok(looked <= 32, `${looked} came before the head`)
  const statuses = await Promise.all(burst)
  assert.is(statuses.filter((status) => status === 'busy').length, 36)
  // A go takes three round trips at most, a check of the head two; each token for itself took 200.
  const requests = proxy.seen.requests - before
  assert.ok(requests <= 60, `${requests} requests`)
  proxy.mend()
})

s(
  'says once why unknown tokens could not be looked for, and looks when the node is back',
  async () => {
    await assertCaughtUp()
    proxy.break({ fault: 'rpcError', matches: ({ method }) => method === 'eth_call' })
    const told = () => events.filter(({ event }) => event === 'failed').length
    const before = told()
    const tokens = [1, 2, 3].map((n): Address => `0x${n.toString(16).padStart(40, 'b')}`)
    const ask = () =>
      Promise.all(
        tokens.map((token) =>
          sync.discover([token]).then(
            ({ status }) => status,
            () => 'failed',
          ),
        ),
      )
    assert.equal(await ask(), ['failed', 'failed', 'failed'])
    assert.is(told(), before + 1)
    proxy.mend()
    assert.equal(await ask(), ['looked', 'looked', 'looked'])
  },
)

s.run()
