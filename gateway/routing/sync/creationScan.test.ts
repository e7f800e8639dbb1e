import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import { canMake } from '../../../fixtures/nodes/mainnet/makePool.ts'
import type { NodeSource } from '../../../fixtures/nodes/source/nodeSource.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { openStore } from '../../store/openStore.ts'
import { createChainSync } from './chainSync.ts'
import { createCreationScan } from './creationScan.ts'

const s = suite('creations of earlier blocks')
const mainnet = createMainnet({ chainId: 8453, pools: 60, seed: 4 })
/** Their factories are asked for a fee and spacing that no pool has: these are in the events alone. */
const dexes = getDexes(8453)
  .filter(({ protocol }) => canMake(protocol))
  .map((dex) => ({
    ...dex,
    feesPips: [7],
    poolKeys: dex.poolKeys && [7],
  }))
const tokens = { addresses: () => seedTokens(8453).map(({ address }) => address) }
const store = openStore({ path: ':memory:' })
s.after(() => store.close())

type Asked = { readonly from: number; readonly to: number }

/** A node that gives logs of so many blocks at once, and those that it gave. */
function narrow(most: number) {
  const given: Asked[] = []
  const source: NodeSource = {
    ...mainnet,
    ask: async (calls) =>
      (await mainnet.ask(calls)).map((answer, index) => {
        const { method, params } = calls[index] ?? {}
        if (method !== 'eth_getLogs' || !Array.isArray(params)) return answer
        const { fromBlock, toBlock } = params[0] as { fromBlock?: string; toBlock?: string }
        const [from, to] = [Number(fromBlock), Number(toBlock)]
        if (!(to - from >= 1_000)) return answer
        if (to - from >= most)
          return {
            error: { code: -32602, message: `eth_getLogs is limited to ${most} block range` },
          }
        given.push({ from, to })
        return answer
      }),
  }
  return { given, source }
}

/** Follows the chain through this node until `isOver`, and keeps what it knows. */
async function follow(source: NodeSource, isOver: (ids: readonly string[]) => boolean) {
  const node = await startNode({ profile: 'alchemy-paid', upstream: source, speed: 100 })
  const chainClient = createChainClient({ chain: base, rpcUrls: [node.url] })
  const over = Promise.withResolvers<void>()
  const ids = () => [...(sync.current()?.pools.keys() ?? [])].sort()
  const sync = createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(8453),
    pollMs: 10,
    maxAgeMs: 500,
    snapshots: store.pools,
    stirred: () => isOver(ids()) && over.resolve(),
    // A scan asks once in ten seconds.
    now: () => performance.now() * 200,
  })
  await sync.start()
  await over.promise
  await sync.close()
  chainClient.close()
  await node.close()
  return ids()
}

s(
  'are looked for bit by bit, and by the next process from there on [nodes/creation-scan]',
  async () => {
    const all = await follow(narrow(Number.MAX_SAFE_INTEGER).source, () => true)
    await store.pools.clear(8453)

    const most = 500_000
    const first = narrow(most)
    const some = await follow(first.source, () => first.given.length >= 2)
    assert.ok(some.length < all.length, `${some.length} of ${all.length} pools`)
    const next = narrow(most)
    const found = await follow(next.source, (ids) => all.every((id) => ids.includes(id)))
    assert.ok(found.length >= all.length)
    const ranges = [...first.given, ...next.given]
    // The one that was under way when the first process ended may be asked for twice.
    const twice = ranges.filter(({ to }, index) => ranges.findIndex((one) => one.to === to) < index)
    assert.ok(twice.length <= 1, `${twice.length} ranges were asked for again`)
    const once = ranges.filter((range) => !twice.includes(range))
    for (const [index, { from }] of once.slice(0, -1).entries())
      assert.is(once[index + 1]?.to, from - 1, 'each goes on where the one before ended')
  },
)

/** A scan through a node that answers like this, with a clock. */
function create(answer: (question: Asked) => unknown) {
  const clock = { ms: 0 }
  const asked: Asked[] = []
  const request = async ({ params: [{ fromBlock, toBlock }] }: { params: [Question] }) => {
    const question = { from: Number(fromBlock), to: Number(toBlock) }
    asked.push(question)
    return answer(question)
  }
  const scan = createCreationScan({ dexes, tokens, now: () => clock.ms })
  const client = { request } as unknown as Parameters<typeof scan.step>[0]['client']
  async function step() {
    clock.ms += 10_000
    const step = scan.isDue() ? await scan.step({ client }) : undefined
    step?.done()
  }
  return { scan, clock, asked, step }
}
type Question = { readonly fromBlock: string; readonly toBlock: string }

s(
  'are looked for where a node was asked in vain, down to the first block [nodes/creation-scan]',
  async () => {
    const { scan, asked, step } = create(() => [])
    await step()
    assert.equal(asked, [])
    assert.is(scan.place(), undefined)
    scan.begin(1_500_000n)
    scan.begin(9_000_000n)
    for (let turn = 0; turn < 5; turn += 1) await step()
    assert.equal(asked, [
      { from: 500_001, to: 1_500_000 },
      { from: 0, to: 500_000 },
    ])
  },
)

s('are looked for anew where other exchanges were [nodes/creation-place]', async () => {
  const { scan, step } = create(() => [])
  scan.begin(3_000_000n)
  await step()
  const place = scan.place() ?? ''
  const resume = (kept: string, of = dexes) => {
    const next = createCreationScan({ dexes: of, tokens, now: () => 0 })
    next.resume(kept)
    return next.place()
  }
  assert.is(resume(place), place)
  assert.is(resume(place, dexes.slice(1)), undefined)
  for (const garbled of ['', '{}', '[]', '{"left":"x","names":[]}', 'null'])
    assert.is(resume(garbled), undefined)
})

s(
  'are left where a node gives too few blocks, or nothing, for ever longer [nodes/creation-rest]',
  async () => {
    for (const message of ['eth_getLogs is limited to 10 block range', 'out of service']) {
      const { scan, asked, step } = create(() => {
        throw Object.assign(new Error(message), { code: -32602 })
      })
      scan.begin(5_000_000n)
      for (let turn = 0; turn < 1_000; turn += 1) await step()
      assert.ok(asked.length < 30, `${asked.length} questions in 10,000 s`)
      assert.match(scan.place() ?? '', '5000000')
    }
  },
)
s.run()
