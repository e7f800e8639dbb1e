import { managerLens, poolLens, quoteLens } from '../../../contracts/artifacts.ts'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { type StrictRules, startStrictNode } from '../../../fixtures/chains/strictNode.ts'
import { startAhead } from '../../../fixtures/startAhead.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { chains, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { placeContract } from '../../chain/publicContracts.ts'
import { createChainSync } from './chainSync.ts'

const s = suite('sync over nodes with limits')
const manual = { pollMs: 3_600_000, maxAgeMs: 0 }

/** A start behind a node: the pools that were loaded, and what the node was asked. */
async function startBehind(
  { chainId, rpcUrl }: { readonly chainId: number; readonly rpcUrl: string },
  rules: StrictRules,
) {
  const chain = chains.find((each) => each.chainId === chainId)
  if (!chain) throw new Error(`chain ${chainId} is built in`)
  const node = await startStrictNode({ target: rpcUrl, rules })
  const chainClient = createChainClient({ chain, rpcUrls: [node.rpcUrl] })
  const sync = createChainSync({
    chainClient,
    dexes: getDexes(chainId),
    seedTokens: seedTokens(chainId),
    ...manual,
  })
  try {
    await sync.start()
    return { pools: [...(sync.current()?.pools.keys() ?? [])].sort(), seen: { ...node.seen } }
  } finally {
    await sync.close()
    chainClient.close()
    await node.close()
  }
}

const over = (message: string, code = -32016) => ({ code, message })
const limits: readonly (readonly [name: string, rules: StrictRules])[] = [
  [
    'batches of 10 at most',
    { batchCalls: { most: 10, no: { error: over('batch too large', -32600) } } },
  ],
  [
    'batches of 3 at most, said of each call',
    {
      batchCalls: { most: 3, each: true, no: { error: over('Batch of more than 3 requests', 31) } },
    },
  ],
  [
    'bodies of 400 kB at most, said by a page',
    { bodyBytes: { most: 400_000, no: { status: 413, text: '<h1>413 Payload Too Large</h1>' } } },
  ],
  [
    'bodies of 256 KiB at most',
    {
      bodyBytes: {
        most: 262_144,
        no: { status: 413, error: over('request body too large', -32021) },
      },
    },
  ],
  [
    '60 calls a second, said inside a 200 by -32016',
    { rate: { perSecond: 60, burst: 20, no: { error: over('over rate limit') } } },
  ],
  [
    '25 calls a second, said of single calls by -32005',
    {
      rate: { perSecond: 25, burst: 25, each: true, no: { error: over('limit exceeded', -32005) } },
    },
  ],
  [
    '10 million gas for a call',
    { callGas: { most: 10_000_000, error: over('gas limit is too high (max 10000000)', -32000) } },
  ],
  ['one call refused in words that nobody knows', { nth: { call: 40, error: over('no', -32000) } }],
  ['one call refused as an internal error', { nth: { call: 20, error: over('oops', -32603) } }],
  ['the very first call refused', { nth: { call: 1, error: over('oops', -32603) } }],
]

/** All of them before any other start is under way: on a machine that is busy with ten, calls of it time out. */
const stands: {
  readonly chainId: number
  readonly name: string
  readonly world: Awaited<ReturnType<typeof startWorldChain>>
  readonly free: Awaited<ReturnType<typeof startBehind>>
}[] = []
for (const { chainId, name } of chains) {
  const world = await startWorldChain({ chainId })
  s.after(() => world.close())
  stands.push({ chainId, name, world, free: await startBehind(world, {}) })
}

const ahead = startAhead({ atOnce: 3 })
for (const { chainId, name, world, free } of stands) {
  // What is read differs by chain, what refuses does not.
  for (const [limit, rules] of chainId === 8453 ? limits : limits.slice(0, 2)) {
    const started = ahead(() => startBehind(world, rules))
    s(`${name} starts over a node with ${limit} [nodes/limits]`, async () => {
      const found = await started()
      assert.ok(found.seen.refused > 0)
      assert.equal(found.pools, free.pools)
    })
  }
  s(`${name} starts over a node that lays no code over accounts [nodes/lens-nested]`, async () => {
    const overrides = { code: -32602, message: 'too many arguments, want at most 2' }
    const found = await startBehind(world, { overrides })
    assert.equal(found.pools, free.pools)
    // Those that were under way when the first was refused.
    assert.ok(found.seen.refused > 0 && found.seen.refused < 100, `${found.seen.refused} refused`)
  })
  s(`${name} sends no code of a lens that stands there [nodes/lens-once]`, async () => {
    const rpc = createRpc(world.rpcUrl)
    for (const lens of [poolLens, managerLens, quoteLens])
      await rpc('anvil_setCode', placeContract(lens, []).address, lens.deployedBytecode)
    await rpc('anvil_mine', '0x1')
    const found = await startBehind(world, {})
    assert.equal(found.pools, free.pools)
    assert.ok(found.seen.bytes < free.seen.bytes / 2, `${found.seen.bytes} of ${free.seen.bytes}`)
    assert.ok(found.seen.requests <= free.seen.requests + 1, `${found.seen.requests} requests`)
  })
}
s.run()
