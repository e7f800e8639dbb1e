import { type Address, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from 'viem'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { send } from '../../../fixtures/chains/send.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { revertChain } from '../../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { getChain, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { openStore } from '../../store/openStore.ts'
import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import { createChainSync } from './chainSync.ts'
import { loadPools } from './loadPools.ts'
import type { SyncEvent } from './syncEvent.ts'

const world = await startWorldChain({ chainId: 8453 })
const chain = getChain(8453)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const dexes = getDexes(8453)
const events: SyncEvent[] = []
const sync = createChainSync({
  chainClient,
  dexes,
  seedTokens: seedTokens(8453),
  // Moves only when asked, so that each test knows how far behind it is.
  pollMs: 3_600_000,
  maxAgeMs: 0,
  observe: (event) => events.push(event),
})
await sync.start()

const rpc = createRpc(world.rpcUrl)
const [account] = world.manifest.accounts
if (!account) throw new Error('the world funds accounts')
const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const routerAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 minOut, uint160 limit)) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 minOut, address[] path, address to, uint256 deadline) returns (uint256[])',
])
const tokenOf = (symbol: string): Address => {
  const token = world.manifest.tokens[symbol]
  if (!token) throw new Error(`no ${symbol}`)
  return token.address
}
const routerOf = (name: string): Address => {
  const dex = world.manifest.dexes.find((candidate) => candidate.name === name)
  if (!dex) throw new Error(`no ${name}`)
  return dex.router
}
/** An estimate is of another second, in which a pool's oracle may have had nothing to write. */
const swapGas = 1_000_000n
const weth = tokenOf('WETH')
const usdc = tokenOf('USDC')

for (const router of [routerOf('uniswap-v3'), routerOf('uniswap-v2')]) {
  const args = [router, maxUint256] as const
  await send(sender, {
    to: weth,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
  })
}

async function swapV3(amountIn: bigint) {
  const parameters = {
    tokenIn: weth,
    tokenOut: usdc,
    fee: 500,
    recipient: account?.address ?? weth,
  }
  const data = encodeFunctionData({
    abi: routerAbi,
    functionName: 'exactInputSingle',
    args: [{ ...parameters, amountIn, minOut: 0n, limit: 0n }],
  })
  const receipt = await send(sender, { to: routerOf('uniswap-v3'), data, gas: swapGas })
  assert.is(receipt.status, 'success')
}

async function swapV2(amountIn: bigint) {
  const data = encodeFunctionData({
    abi: routerAbi,
    functionName: 'swapExactTokensForTokens',
    args: [amountIn, 0n, [weth, usdc], account?.address ?? weth, maxUint256],
  })
  const receipt = await send(sender, { to: routerOf('uniswap-v2'), data, gas: swapGas })
  assert.is(receipt.status, 'success')
}

const isSwapped = ({ tokens }: PoolRecord) =>
  [...tokens].sort().join() ===
  [weth, usdc]
    .map((token) => token.toLowerCase())
    .sort()
    .join()

/** The part of a record that swaps depend on. */
function essence({ changedBlock: _, swapsSeen: __, ...record }: PoolRecord) {
  return record
}

/** A whole load may outlast one question; a handful of blocks does not. */
async function syncedToHead() {
  const head = BigInt(String(await rpc('eth_blockNumber')))
  const deadline = performance.now() + 60_000
  for (;;) {
    const state = await sync.fresh()
    if (state?.head.number === head) return state
    if (performance.now() > deadline) throw new Error(`stuck at ${state?.head.number}`)
  }
}

/** Followed pools must be what a fresh read of the chain gives: all of them, or those of a pair. */
async function assertEqualsChain(isChecked: (record: PoolRecord) => boolean = isSwapped) {
  const state = await syncedToHead()
  const pools = [...state.pools.values()].filter(isChecked).map((record) => {
    const dex = dexes.find((candidate) => candidate.name === record.dex)
    if (!dex) throw new Error(record.dex)
    return toRef(record, dex)
  })
  const fresh = await loadPools(chainClient, { pools, blockNumber: state.head.number })
  assert.is(fresh.length, pools.length)
  for (const record of fresh) {
    const followed = state.pools.get(record.id)
    assert.equal(followed && essence(followed), essence(record))
  }
  return state
}

const s = suite('chain sync')
s.after(async () => {
  await sync.close()
  chainClient.close()
  await world.close()
})

s('loads every pool of the world', () => {
  const state = sync.current()
  const loaded = [...(state?.pools.keys() ?? [])].sort()
  const factories = new Map(dexes.map(({ name, factory }) => [name, factory]))
  const expected = world.manifest.pools
    .filter(({ dex }) => factories.has(dex))
    // Pools inside a manager go by their ids.
    .map(({ dex, address, id }) => (id && factories.get(dex) === address ? id : address))
    .map((id) => id.toLowerCase())
    .sort()
  assert.equal(loaded, expected)
})

s('knows symbol and decimals of every token with a pool', () => {
  for (const [symbol, { address, decimals }] of Object.entries(world.manifest.tokens)) {
    const info = sync.tokens().get(address.toLowerCase())
    assert.is(info?.decimals, decimals, symbol)
    assert.is(info?.symbol, symbol)
  }
})

s('an idle block costs three calls, whatever its pools have [nodes/idle-block]', async () => {
  const asked: string[] = []
  const request = (async (call: never) => {
    asked.push((call as { method: string }).method)
    return await chainClient.client.request(call)
  }) as typeof chainClient.client.request
  const spied = { ...chainClient, client: { ...chainClient.client, request } }
  const seeds = { seedTokens: seedTokens(8453), pollMs: 3_600_000, maxAgeMs: 0 }
  const own = createChainSync({ chainClient: spied, dexes, ...seeds })
  try {
    await own.start()
    for (let block = 0; block < 3; block += 1) {
      await rpc('anvil_mine', '0x1')
      asked.length = 0
      await own.fresh()
      assert.equal(asked.toSorted(), ['eth_call', 'eth_getBlockByNumber', 'eth_getLogs'])
    }
  } finally {
    await own.close()
  }
})

s('follows heads that its node pushes, asked by nobody [nodes/heads-follow]', async () => {
  await using node = await startNode({ profile: 'own-reth', upstream: world.rpcUrl })
  const pushed = createChainClient({ chain, rpcUrls: [node.url], wsUrl: node.wsUrl })
  const seeds = { seedTokens: seedTokens(8453), pollMs: 3_600_000, maxAgeMs: 0 }
  const own = createChainSync({ chainClient: pushed, dexes, ...seeds })
  try {
    await own.start()
    const from = own.current()?.head.number ?? 0n
    const follow = async () => {
      await rpc('anvil_mine', '0x1')
      return (own.current()?.head.number ?? 0n) > from
    }
    await waitFor('a block is followed', follow, { deadlineMs: 60_000, everyMs: 50 })
    const { number = 0n, hash } = own.current()?.head ?? {}
    const block = await rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    assert.is((block as { hash: string }).hash, hash)
  } finally {
    await own.close()
    pushed.close()
  }
})

/** A node that answers no more once it is held, and a clock that is set. */
function createHeld() {
  const clock = { ms: 0 }
  let gate = Promise.resolve()
  const { promise, resolve: letAnswer } = Promise.withResolvers<void>()
  const request = (async (call: never) => {
    await gate
    return await chainClient.client.request(call)
  }) as typeof chainClient.client.request
  const slow = { ...chainClient, client: { ...chainClient.client, request } }
  const seeds = { seedTokens: seedTokens(8453), pollMs: 3_600_000, maxAgeMs: 500 }
  return {
    clock,
    own: createChainSync({ chainClient: slow, dexes, ...seeds, now: () => clock.ms }),
    hold() {
      gate = promise
    },
    letAnswer,
  }
}

s(
  'keeps nobody waiting for a slow node who may have the state of a moment ago [strangers/slow-head]',
  async () => {
    const { clock, own, hold, letAnswer } = createHeld()
    try {
      await own.start()
      const before = (await own.fresh())?.head.number ?? 0n
      clock.ms = 5_000
      hold()
      let isAnswered = false
      const old = own.fresh().finally(() => {
        isAnswered = true
      })
      clock.ms = 1_000
      assert.is((await own.fresh())?.head.number, before)
      assert.is(own.lagMs(), 1_000)
      assert.is(isAnswered, false, 'whoever would have an old state waits')
      letAnswer()
      await old
    } finally {
      letAnswer()
      await own.close()
    }
  },
)

s(
  'waits not at all where a look has been under way for as long already [strangers/slow-look]',
  async () => {
    const { clock, own, hold, letAnswer } = createHeld()
    try {
      await own.start()
      // Of an old state, after any other look.
      clock.ms = 4_000
      const before = (await own.fresh())?.head.number
      assert.is(own.lagMs(), 0)
      clock.ms = 5_000
      hold()
      let isFirstOver = false
      const first = own.fresh().finally(() => {
        isFirstOver = true
      })
      clock.ms = 5_050
      assert.is((await own.fresh())?.head.number, before)
      assert.is(isFirstOver, false)
      letAnswer()
      await first
    } finally {
      letAnswer()
      await own.close()
    }
  },
)

s('sees a mined swap in the very next quote', async () => {
  for (const amount of [10n ** 17n, 3n * 10n ** 18n, 50n * 10n ** 18n]) {
    await swapV3(amount)
    await swapV2(amount)
    await assertEqualsChain()
  }
  await assertEqualsChain(() => true)
})

s('catches up over many blocks at once [routing/last-sync-block]', async () => {
  await rpc('anvil_mine', '0x14')
  await swapV3(10n ** 18n)
  await rpc('anvil_mine', '0x5')
  const state = await assertEqualsChain()
  assert.is(state.head.number, BigInt(String(await rpc('eth_blockNumber'))))
})

s('takes back what a reorg undid, and reads only those pools again', async () => {
  const snapshot = await rpc('evm_snapshot')
  await assertEqualsChain()
  await swapV3(5n * 10n ** 18n)
  await assertEqualsChain()
  const loads = events.filter(({ event }) => event === 'loaded').length
  await revertChain(rpc, snapshot)
  await assertEqualsChain()
  await swapV2(10n ** 18n)
  await assertEqualsChain()
  assert.ok(events.some(({ event }) => event === 'reorged'))
  assert.is(events.filter(({ event }) => event === 'loaded').length, loads)
})

s('catches up over an outage of any length without another load [nodes/outage]', async () => {
  const loads = events.filter(({ event }) => event === 'loaded').length
  await syncedToHead()
  await swapV3(10n ** 18n)
  // Twice as many as are read block by block; each costs anvil the root of the whole world.
  await rpc('anvil_mine', '0x100')
  await swapV2(10n ** 18n)
  await rpc('anvil_mine', '0x100')
  await assertEqualsChain()
  await swapV3(10n ** 18n)
  await rpc('anvil_mine', '0x60')
  await swapV2(10n ** 18n)
  await rpc('anvil_mine', '0x40')
  await assertEqualsChain(() => true)
  assert.is(events.filter(({ event }) => event === 'loaded').length, loads)
})

s('takes back an outage whose blocks are reorganised later [nodes/outage]', async () => {
  await syncedToHead()
  const snapshot = await rpc('evm_snapshot')
  const loads = events.filter(({ event }) => event === 'loaded').length
  await swapV3(10n ** 18n)
  await rpc('anvil_mine', '0x90')
  await assertEqualsChain()
  await revertChain(rpc, snapshot)
  await swapV2(10n ** 18n)
  await rpc('anvil_mine', '0x95')
  await assertEqualsChain()
  assert.is(events.filter(({ event }) => event === 'loaded').length, loads)
})

s('keeps no token that no pool holds, however often it is asked for', async () => {
  // Answers 18 to whatever it is asked.
  const nothing: readonly Address[] = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}` as const)
  for (const address of nothing) await rpc('anvil_setCode', address, '0x601260005260206000f3')
  const known = [...sync.tokens().keys()]
  await sync.discover(nothing)
  assert.equal([...sync.tokens().keys()], known)
})

s(
  'follows by itself, and confirms the head of an idle chain: lag is no block age [routing/sync-lag]',
  async () => {
    const follower = createChainSync({
      chainClient,
      dexes,
      seedTokens: [],
      pollMs: 20,
      maxAgeMs: 1_000,
    })
    try {
      await follower.start()
      await swapV2(10n ** 18n)
      const mined = BigInt(String(await rpc('eth_blockNumber')))
      await waitFor('the block is followed', () => follower.current()?.head.number === mined)
      let lastMs = follower.lagMs()
      const isConfirmed = () => {
        const before = lastMs
        lastMs = follower.lagMs()
        return lastMs < before
      }
      await waitFor('the head is confirmed anew', isConfirmed, { everyMs: 7 })
      assert.is(follower.current()?.head.number, mined)
    } finally {
      await follower.close()
    }
  },
)

s('reads many wide tick tables in a few round trips, whatever their gas', async () => {
  const state = await sync.fresh()
  const dex = dexes.find(({ name }) => name === 'uniswap-v3')
  const [narrow] = [...(state?.pools.values() ?? [])].filter(
    (record) => record.dex === dex?.name && 'tickSpacing' in record && record.tickSpacing === 1,
  )
  if (!state || !dex || !narrow) throw new Error('the world has no pool of narrow spacing')
  let [waves, inFlight] = [0, 0]
  const request = (async (call: never) => {
    if (inFlight === 0) waves += 1
    inFlight += 1
    try {
      return await chainClient.client.request(call)
    } finally {
      inFlight -= 1
    }
  }) as typeof chainClient.client.request
  const records = await loadPools(
    { client: { ...chainClient.client, request } },
    {
      pools: Array.from({ length: 20 }, () => ({ dex, address: narrow.address })),
      blockNumber: state.head.number,
    },
  )
  assert.is(records.length, 20)
  for (const record of records) assert.equal(essence(record), essence(narrow))
  assert.ok(waves <= 3, `${waves} waves of calls`)
})

s('takes up the pools of an earlier run, with what changed in between', async () => {
  const store = openStore({ path: ':memory:' })
  const snapshots = store.pools
  const seen: SyncEvent[] = []
  const start = async () => {
    const next = createChainSync({
      chainClient,
      dexes,
      snapshots,
      seedTokens: seedTokens(8453),
      pollMs: 3_600_000,
      maxAgeMs: 0,
      observe: (event) => seen.push(event),
    })
    await next.start()
    return next
  }
  const first = await start()
  await first.close()
  // As an earlier version kept them.
  const head = first.current()?.head
  if (!head) throw new Error('it was loaded')
  const address = '0x4444444444444444444444444444444444444444'
  const tokens = [{ address, symbol: 'NONE', decimals: 18 }] as const
  await snapshots.save(8453, { head, pools: [], tokens })
  await swapV2(10n ** 18n)
  await swapV3(10n ** 18n)
  const again = await start()
  assert.equal(
    // How long the rest takes is told meanwhile.
    seen.map(({ event }) => event).filter((event) => event !== 'loading'),
    ['loaded', 'restored'],
  )
  const current = await sync.fresh()
  const restored = again.current()
  assert.is(restored?.head.hash, current?.head.hash)
  assert.is(restored?.pools.size, current?.pools.size)
  for (const record of current?.pools.values() ?? []) {
    const other = restored?.pools.get(record.id)
    assert.equal(other && essence(other), essence(record))
  }
  assert.equal([...again.tokens().keys()].sort(), [...sync.tokens().keys()].sort())
  await again.close()
  store.close()
})

s.run()
