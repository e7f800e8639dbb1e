import { RpcRequestError } from 'viem'
import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import { isUsual } from '../../../fixtures/nodes/mainnet/shares.ts'
import type { NodeSource } from '../../../fixtures/nodes/source/nodeSource.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { startStoreEngines } from '../../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import type { Store } from '../../store/openStore.ts'
import { type ChainSync, type ChainSyncParameters, createChainSync } from './chainSync.ts'
import { createCreationScan } from './creationScan.ts'
import { createFeedReader } from './shared/feedReader.ts'
import { leadChain } from './shared/leadChain.ts'

const s = suite('creations of earlier blocks')
const mainnet = createMainnet({ chainId: 8453, pools: 60, seed: 4 })
/** Their factories are asked for a fee and spacing that no pool has: these are in the events alone. */
const dexes = getDexes(8453)
  .filter(({ protocol }) => isUsual(protocol))
  .map((dex) => ({
    ...dex,
    feesPips: [7],
    poolKeys: dex.poolKeys && [7],
  }))
const tokens = { addresses: () => seedTokens(8453).map(({ address }) => address) }
const engines = await startStoreEngines()
s.after(async () => {
  for (const engine of engines) await engine.close()
})

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

type Ended = (ids: readonly string[]) => boolean

/** Follows the chain through this node until it is over, as `begin` has it. */
async function follow(
  { source, isOver }: { readonly source: NodeSource; readonly isOver: Ended },
  begin: (chain: Chain, look: () => void) => Promise<Running>,
) {
  const node = await startNode({ profile: 'alchemy-paid', upstream: source, speed: 100 })
  const chainClient = createChainClient({ chain: base, rpcUrls: [node.url] })
  const over = Promise.withResolvers<void>()
  let running: Running | undefined
  const ids = () => [...(running?.sync.current()?.pools.keys() ?? [])].sort()
  const look = () => isOver(ids()) && over.resolve()
  const seeds = { dexes, seedTokens: seedTokens(8453), pollMs: 10, maxAgeMs: 500 }
  running = await begin({ chainClient, ...seeds, now }, look)
  look()
  await over.promise
  await running.close()
  chainClient.close()
  await node.close()
  return ids()
}
/** A scan asks once in ten seconds. */
const now = () => performance.now() * 100
type Chain = Omit<ChainSyncParameters, 'snapshots' | 'inherited' | 'stirred'>
type Running = { readonly sync: ChainSync; close(): Promise<void> }

/** A gateway that keeps its pools for itself. */
const alone =
  ({ pools: snapshots }: Store) =>
  async (chain: Chain, stirred: () => void): Promise<Running> => {
    const sync = createChainSync({ ...chain, snapshots, stirred })
    await sync.start()
    return { sync, close: sync.close }
  }

/** The next gateway that is elected, of those that share a database. */
const elected =
  ({ feeds }: Store) =>
  async (chain: Chain, wrote: () => void): Promise<Running> => {
    const feed = 'pools 8453'
    const reading = { feeds, feed, dexes: new Set(dexes.map(({ name }) => name)), taxOf: () => 0 }
    const reader = createFeedReader({ ...reading, now })
    await reader.pull()
    terms += 1
    const term = terms
    await feeds.claim(feed, term)
    const failed = (error: unknown) => {
      throw error
    }
    const deposed = () => failed(new Error('deposed'))
    const from = reader.current()
    const lead = { feeds, feed, term, from, chain, now, wrote, deposed, failed }
    const run = await leadChain(lead, { isOver: () => false })
    if (!run) throw new Error('nobody else leads')
    const { sync, publisher } = run
    void publisher.wake()
    return {
      sync,
      async close() {
        await publisher.wake()
        await Promise.all([publisher.close(), sync.close()])
      },
    }
  }
let terms = 0

for (const { name, store, open } of engines)
  for (const [who, keep] of Object.entries({ alone, elected }))
    s(
      `are looked for bit by bit, and by the next process from there on, ${who} on ${name} [nodes/creation-scan]`,
      async () => {
        const fresh = await open()
        const wide = narrow(Number.MAX_SAFE_INTEGER)
        const all = await follow({ source: wide.source, isOver: () => true }, keep(fresh))
        await fresh.close()

        const most = 500_000
        const first = narrow(most)
        const hasSome = () => first.given.length >= 2
        const some = await follow({ source: first.source, isOver: hasSome }, keep(store))
        assert.ok(some.length < all.length, `${some.length} of ${all.length} pools`)
        const next = narrow(most)
        const hasAll = (ids: readonly string[]) => all.every((id) => ids.includes(id))
        const found = await follow({ source: next.source, isOver: hasAll }, keep(store))
        assert.ok(found.length >= all.length)
        const ranges = [...first.given, ...next.given]
        // The one that was under way when the first process ended may be asked for twice.
        const isTwice = ({ to }: Asked, index: number) =>
          ranges.findIndex((one) => one.to === to) < index
        const twice = ranges.filter(isTwice)
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
const tooWide = (message: string) =>
  new RpcRequestError({ body: {}, error: { code: -32602, message }, url: 'http://node' })
const limitTo = (most: number) => `eth_getLogs is limited to ${most} block range`

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

for (const [how, message] of [
  ['by a number', limitTo(10_000)],
  ['without one', 'block range is too wide'],
] as const)
  s(
    `are asked for in ranges that a node gives, which limits them ${how}, and hardly ever in wider ones [nodes/scan-width]`,
    async () => {
      let refused = 0
      const { scan, asked, step } = create(({ from, to }) => {
        if (to - from < 10_000) return []
        refused += 1
        throw tooWide(message)
      })
      scan.begin(8_999_999n)
      for (let turn = 0; turn < 1_000; turn += 1) await step()
      assert.is(asked.at(-1)?.from, 0)
      assert.ok(asked.length - refused >= 900, `${asked.length - refused} ranges`)
      assert.ok(refused < 20, `${refused} refusals`)
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

type TellOwn = (question: Asked) => readonly unknown[]

/** The first endpoint tells of these, the other one as it likes; what each of so many turns came to. */
async function lookTwice(
  own: readonly unknown[] | TellOwn,
  other: (turn: number, blocks: number) => Promise<readonly unknown[]>,
  turns = 1,
  came?: { readonly pools: number; readonly vain: number },
) {
  type Client = Parameters<ReturnType<typeof createCreationScan>['step']>[0]['client']
  type Ask = (call: { readonly params: readonly [Question] }) => Promise<readonly unknown[]>
  const open = (request: Ask) => ({ request }) as unknown as Client
  const scan = createCreationScan({ dexes, tokens, now: () => 0 })
  scan.begin(5_500_000n)
  let [asked, refusals] = [0, 0]
  const refused = () => {
    refusals += 1
  }
  const client = open(async ({ params: [{ fromBlock, toBlock }] }) =>
    typeof own === 'function' ? own({ from: Number(fromBlock), to: Number(toBlock) }) : own,
  )
  const hear: Ask = ({ params: [{ fromBlock, toBlock }] }) =>
    other(asked++, Number(toBlock) - Number(fromBlock) + 1)
  const witness = { client: open(hear), prefer: () => undefined }
  const found: (number | undefined)[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const step = await scan.step({ client, others: () => [witness], refused })
    step?.done(came)
    found.push(step?.logs.length)
  }
  return { found, refusals, left: Number(JSON.parse(scan.place() ?? '{}').left) }
}
const log = { address: '0x', topics: [], data: '0x', blockNumber: '0x1', logIndex: '0x0' }
const refuse = () => Promise.reject(new Error('gone'))

s('are had of another endpoint where the first tells of none [nodes/scan-silent]', async () => {
  const passed = { refusals: 0, left: 4_500_000 }
  const both = async () => [log, log]
  assert.equal(await lookTwice([], both), { found: [2], ...passed })
  assert.equal(await lookTwice([log], both), { found: [1], ...passed })
  assert.equal(await lookTwice([log], refuse), { found: [1], ...passed })
})

s(
  'are not passed over for what another endpoint refuses: that is told, and it is asked again [nodes/scan-refused]',
  async () => {
    const once = await lookTwice([], refuse)
    assert.equal(once, { found: [undefined], refusals: 1, left: 5_500_000 })
    const later = await lookTwice([], async (turn) => (turn < 2 ? refuse() : [log]), 3)
    assert.equal(later, { found: [undefined, undefined, 1], refusals: 2, left: 4_500_000 })
    // One that never answers holds up nothing for long.
    const never = await lookTwice([], refuse, 5)
    const waits = [undefined, undefined, undefined]
    assert.equal([never.found, never.refusals], [[...waits, 0, 0], 3])
    assert.ok(never.left < 4_500_000)
    const back = await lookTwice([], async (turn) => (turn === 3 ? [] : refuse()), 5)
    assert.equal([back.found, back.refusals], [[...waits, 0, undefined], 4])
    // Nor does one that answers now and then.
    const flaky = await lookTwice([], async (turn) => (turn % 4 === 3 ? [] : refuse()), 12)
    assert.is(flaky.refusals, 5)
  },
)

s(
  'are had of another endpoint in ranges that it gives, unless those are short [nodes/scan-narrowed]',
  async () => {
    const limited =
      (most: number, message = limitTo(most)) =>
      async (_: number, blocks: number) => {
        if (blocks <= most) return [log]
        throw tooWide(message)
      }
    const some = await lookTwice([], limited(10_000), 4)
    assert.equal(some, { found: [undefined, 1, 1, 1], refusals: 0, left: 5_470_000 })
    const few = await lookTwice([], limited(9_999), 4)
    const waits = [undefined, undefined, undefined]
    assert.equal(few, { found: [...waits, 0], refusals: 3, left: 4_500_000 })
    // Whoever names no number is asked for less by halves, and for the least that it is asked for.
    const unnamed = await lookTwice([], limited(10_000, 'block range is too wide'), 8)
    const halves = new Array(7).fill(undefined)
    assert.equal(unnamed, { found: [...halves, 1], refusals: 0, left: 5_490_000 })
    // After bad moments, too.
    const well = limited(10_000)
    const back = await lookTwice(
      [],
      async (turn, blocks) => (turn < 3 ? refuse() : well(turn, blocks)),
      5,
    )
    assert.equal(back, { found: [...waits, undefined, 1], refusals: 3, left: 5_490_000 })
    // One for which it is always a block too many holds up nothing for long.
    const never = async (_: number, blocks: number) => Promise.reject(tooWide(limitTo(blocks - 1)))
    const held = await lookTwice([], never, 12)
    assert.equal([held.found, held.refusals], [[...new Array(11).fill(undefined), 0], 3])
  },
)

s(
  'are had of another endpoint in ranges that have few of them, and told where a short one has many [nodes/scan-many]',
  async () => {
    const each = (count: number) => new Array(count).fill(log)
    const honest = await lookTwice([], async (_, blocks) => each(Math.floor(blocks / 100)), 7)
    const halves = new Array(6).fill(undefined)
    assert.equal(honest, { found: [...halves, 156], refusals: 0, left: 5_484_375 })
    const made = await lookTwice([], async () => each(1_000), 9)
    const found = [...halves, undefined, 256, 256]
    assert.equal(made, { found, refusals: 2, left: 5_480_000 })
  },
)

s(
  'are asked no more of an endpoint that has told of a thousand that are none, which is told [nodes/scan-vain]',
  async () => {
    const many = async () => new Array(256).fill(log)
    const vain = await lookTwice([], many, 5, { pools: 0, vain: 256 })
    assert.equal(vain, { found: [256, 256, 256, 256, 0], refusals: 1, left: 500_000 })
    const fair = await lookTwice([], many, 5, { pools: 128, vain: 128 })
    assert.equal(fair, { found: new Array(5).fill(256), refusals: 0, left: 500_000 })
  },
)

s(
  'are passed over with what the first endpoint tells, however few blocks another gives [nodes/scan-leaps]',
  async () => {
    // None for a while, and then some in each million of blocks.
    const own = ({ from }: Asked) => (from <= 4_000_000 ? [log] : [])
    const few = async (_: number, blocks: number) => {
      if (blocks > 10_000) throw tooWide(limitTo(10_000))
      return []
    }
    const { found, left } = await lookTwice(own, few, 59)
    const counts = found.filter((count) => count !== undefined)
    assert.equal(counts, [...new Array(51).fill(0), ...new Array(5).fill(1)])
    assert.is(left, -1)
  },
)
s.run()
