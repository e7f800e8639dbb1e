import { type Hex, type RpcLog, toEventSelector } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { base } from '../../chain/base.ts'
import { type Chain, getDexes } from '../../chain/chains.ts'
import type { RpcAnswer, RpcCall } from '../../chain/nodes/readReply.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'
import { createAskedOnce } from './askedOnce.ts'
import { createChainReader } from './chainReader.ts'

/** A chain that ran on for hours and days while its node, or its gateway, was away. */
const s = suite('a long outage')

/** Swaps and positions alone: without the noise of all others days of a chain fit into a test. */
const pace: Pace = { ...quiet, blockMs: 250, swaps: [2, 8], crowdedSwaps: 40, positions: 0.2 }
const partBounds = { questions: 48, logs: 2_000, data: 4_000_000 }
const tooWide = (most: number): RpcAnswer => ({
  error: { code: -32602, message: `eth_getLogs is limited to ${most} block range` },
})

type Range = { readonly from: number; readonly to: number }
function rangeOf({ method, params }: RpcCall): Range | undefined {
  if (method !== 'eth_getLogs') return undefined
  const [{ fromBlock, toBlock }] = params as readonly [{ fromBlock?: Hex; toBlock?: Hex }]
  return fromBlock && toBlock ? { from: Number(fromBlock), to: Number(toBlock) } : undefined
}

const numberOf = ({ method, params }: RpcCall): Hex | undefined => {
  const [number] = method === 'eth_getBlockByNumber' ? (params as readonly [Hex]) : []
  return number?.startsWith('0x') ? number : undefined
}

/** A reader whose node gives so many blocks at once, and does what it is told at a question for logs. */
async function hold(
  chain: Chain,
  {
    pools = 60,
    most = Number.POSITIVE_INFINITY,
    nodes = 1,
  }: { pools?: number; most?: number; nodes?: number } = {},
) {
  const answered: Range[] = []
  const seen = new Set<string>()
  /** By the number of a block. */
  const headers = new Set<Hex>()
  const node = {
    asked: 0,
    mostLogs: 0,
    meddle: (_range: Range, _answer: RpcAnswer, _node: number): RpcAnswer | undefined => undefined,
  }
  const held = await holdMainnet(chain, {
    pools,
    pace,
    partBounds,
    nodes,
    bend(call, answer, of) {
      const header = numberOf(call)
      if (header) headers.add(header)
      const range = rangeOf(call)
      if (!range) return answer
      node.asked += 1
      if (range.to - range.from >= most) return tooWide(most)
      const other = node.meddle(range, answer, of)
      if (other) return other
      const name = `${range.from}-${range.to}`
      // A wide one is asked twice.
      if (!seen.has(name)) answered.push(range)
      seen.add(name)
      if ('result' in answer)
        node.mostLogs = Math.max(node.mostLogs, (answer.result as readonly unknown[]).length)
      return answer
    },
  })
  const { mainnet, reader, chainClient } = held
  if (nodes > 1) Object.assign(held.deps, { others: chainClient.others })
  const readState = reader.current
  return {
    ...held,
    node,
    answered,
    headers,
    /** So many blocks, of which one in so many has anything in it. */
    pass(blocks: number, every: number) {
      for (let left = blocks; left > 0; left -= every) mainnet.leap(Math.min(every, left) - 1)
    },
    async assertTrue(current = readState()) {
      assert.is(current?.head.hash, mainnet.head().hash)
      const { pools: followed, head } = current ?? { pools: new Map(), head: { number: 0n } }
      const at = { records: followed.values(), blockNumber: head.number }
      const real = await readMainnet({ chain, mainnet, dexes: getDexes(chain.chainId) }, at)
      const wrong = [...real].flatMap(([id, record]) => {
        const own = followed.get(id)
        return own ? (compareRecords(own, record) ?? []) : [`${id} is gone`]
      })
      assert.equal(wrong, [])
      assert.is(followed.size, mainnet.pools.length)
    },
    loads: () => held.events.filter(({ event }) => event === 'loaded').length,
    /** Blocks that were answered for more than once. */
    countAgain() {
      const sorted = answered.toSorted((one, other) => one.from - other.from)
      let [reached, again] = [0, 0]
      for (const { from, to } of sorted) {
        again += Math.max(0, Math.min(reached, to) - from + 1)
        reached = Math.max(reached, to)
      }
      return again
    },
  }
}

for (const [title, chain, blocks, every] of [
  ['of two days of Arbitrum', arbitrum, 691_200, 120],
  ['of three hours of Base', base, 5_400, 1],
] as const)
  s(`${title} is passed part by part, without another load [nodes/outage-parts]`, async () => {
    using held = await hold(chain)
    held.pass(blocks, every)
    await held.reader.confirm()
    await held.assertTrue()
    assert.is(held.loads(), 0)
    assert.is(held.countAgain(), 0)
    const most = blocks / every / 8
    assert.ok(held.node.mostLogs < 2 * 2_000, `${held.node.mostLogs} logs at once`)
    assert.ok(held.answered.length < most, `${held.answered.length} questions`)
  })

for (const [most, blocks] of [
  [5, 6_000],
  [10, 10_800],
] as const)
  s(`is passed where a node gives ${most} blocks at once [nodes/outage-short]`, async () => {
    using held = await hold(arbitrum, { most })
    held.pass(blocks, 4)
    await held.reader.confirm()
    await held.assertTrue()
    assert.is(held.loads(), 0)
    assert.is(held.countAgain(), 0)
    assert.ok(held.answered.length < (1.05 * blocks) / most, `${held.answered.length} questions`)
  })

s(
  'is passed with the logs that an answer about many blocks lacks [nodes/missing-range]',
  async () => {
    using held = await hold(arbitrum, { most: 2_000 })
    held.pass(8_000, 4)
    let left = 0
    const lacking = new Set<number>()
    held.node.meddle = ({ from }, answer) => {
      if (!('result' in answer) || lacking.has(from)) return undefined
      lacking.add(from)
      const logs = answer.result as readonly RpcLog[]
      const kept = logs.filter(({ address }) => address !== logs.at(-1)?.address)
      left += logs.length - kept.length
      return { result: kept }
    }
    await held.reader.confirm()
    assert.ok(left > 0)
    await held.assertTrue()
    assert.is(held.loads(), 0)
  },
)

s(
  'leaves no pool wrong for logs that an answer about few blocks lacked: it is asked for again [nodes/range-again]',
  async () => {
    using held = await hold(arbitrum, { most: 10 })
    let nowMs = 0
    const now = () => {
      nowMs += 1_000
      return nowMs
    }
    Object.assign(held.deps, { askedOnce: createAskedOnce({ now }) })
    held.pass(1_200, 4)
    let left = 0
    const seen = new Set<number>()
    held.node.meddle = ({ from, to }, answer) => {
      if (!('result' in answer) || seen.has(to)) return undefined
      for (let block = from; block <= to; block += 1) seen.add(block)
      const logs = answer.result as readonly RpcLog[]
      const kept = logs.filter(({ address }) => address !== logs.at(-1)?.address)
      left += logs.length - kept.length
      return { result: kept }
    }
    await held.reader.confirm()
    assert.ok(left > 0)
    held.mainnet.mine()
    await held.reader.confirm()
    const asked = held.node.asked
    for (let step = 0; step < 60; step += 1) {
      const before = held.node.asked
      await held.reader.lookAgain()
      assert.ok(held.node.asked - before <= 8, `${held.node.asked - before} questions at once`)
    }
    await held.assertTrue()
    assert.ok(held.node.asked - asked < 140, `${held.node.asked - asked} questions`)
    assert.is(held.loads(), 0)
  },
)

s('believes no logs that another endpoint alone tells of [nodes/range-alone]', async () => {
  using held = await hold(arbitrum, { nodes: 2 })
  held.pass(2_000, 4)
  const { pools } = held.mainnet
  const victim = pools.find(({ dex }) => dex.protocol === 'uniswap_v2')?.address
  const sync = toEventSelector('Sync(uint112,uint112)')
  let invented = 0
  held.node.meddle = (_, answer, of) => {
    const logs = 'result' in answer ? (answer.result as readonly RpcLog[]) : []
    const like = logs.findLast(({ topics }) => topics[0] === sync)
    if (of !== 1 || !victim || !like) return undefined
    invented += 1
    const log = {
      ...like,
      address: victim,
      logIndex: '0xfff',
      data: `0x${'1'.padStart(64, '0').repeat(2)}`,
    }
    return { result: [...logs, log] }
  }
  await held.reader.confirm()
  assert.ok(invented > 0)
  await held.assertTrue()
  assert.is(held.loads(), 0)
})

for (const [title, bend] of [
  [
    'invents',
    (syncs: readonly RpcLog[], victim: Hex) =>
      syncs.slice(-1).map((log) => ({ ...log, address: victim, logIndex: '0xfff' as const })),
  ],
  ['alters', (syncs: readonly RpcLog[]) => syncs],
] as const)
  s(
    `believes no logs that the first of two endpoints ${title} [nodes/range-invented]`,
    async () => {
      using held = await hold(arbitrum, { nodes: 2 })
      held.pass(2_000, 4)
      const { pools } = held.mainnet
      const victim = pools.find(({ dex }) => dex.protocol === 'uniswap_v2')?.address
      const sync = toEventSelector('Sync(uint112,uint112)')
      let lies = 0
      held.node.meddle = ({ from, to }, answer, of) => {
        const logs = 'result' in answer ? (answer.result as readonly RpcLog[]) : []
        if (of !== 0 || !victim || to - from < 15) return undefined
        const syncs = logs.filter(({ topics }) => topics[0] === sync)
        const data = `0x${'1'.padStart(64, '0').repeat(2)}`
        const told = bend(syncs, victim).map((log) => ({ ...log, data }))
        const places = new Set(told.map(({ logIndex, blockNumber }) => `${blockNumber}${logIndex}`))
        const others = logs.filter((log) => !places.has(`${log.blockNumber}${log.logIndex}`))
        lies += told.length
        return { result: [...others, ...told] }
      }
      await held.reader.confirm()
      assert.ok(lies > 0)
      await held.assertTrue()
      assert.is(held.loads(), 0)
    },
  )

s(
  'goes on where its node failed, and nobody quotes from what is between [nodes/outage-kept]',
  async () => {
    using held = await hold(arbitrum, { most: 10 })
    held.pass(8_000, 4)
    const before = held.reader.current()
    const last = held.mainnet.head().number - 3_000
    held.node.meddle = ({ to }) =>
      to > last ? { error: { code: -32603, message: 'internal error' } } : undefined
    await held.reader.confirm()
    assert.is(held.reader.current(), before)
    assert.is(held.events.at(-1)?.event, 'failed')
    held.node.meddle = () => undefined
    const asked = held.answered.length
    await held.reader.confirm()
    await held.assertTrue()
    assert.is(held.loads(), 0)
    assert.ok(held.answered.length - asked < 310, `${held.answered.length - asked} questions`)
    assert.is(held.countAgain(), 0)
  },
)

s('takes back what a reorganisation on the way undid [nodes/outage-reorg]', async () => {
  for (const [depth, most] of [
    [40, 100],
    [600, 100],
    // Below the end of the part before.
    [900, 10],
  ] as const) {
    using held = await hold(arbitrum, { most })
    held.pass(8_000, 4)
    let isDue = true
    // Deeper than what is left to the end, once most of it has been read.
    held.node.meddle = ({ to }) => {
      if (isDue && to > held.mainnet.head().number - 300) {
        isDue = false
        void held.mainnet.reorg(depth)
      }
      return undefined
    }
    const before = held.reader.current()
    await held.reader.confirm()
    assert.is(isDue, false)
    if (held.reader.current() !== before) await held.assertTrue()
    await held.reader.confirm()
    await held.assertTrue()
    assert.is(held.loads(), 0)
  }
})

s('of a chain that runs on meanwhile ends at its head [nodes/outage-pace]', async () => {
  using held = await hold(arbitrum, { most: 10 })
  held.pass(6_000, 4)
  // Four blocks a second, and fifteen questions.
  held.node.meddle = () => {
    if (held.node.asked % 4 === 0) held.mainnet.mine()
    return undefined
  }
  await held.reader.confirm()
  held.node.meddle = () => undefined
  await held.reader.confirm()
  await held.assertTrue()
  assert.is(held.loads(), 0)
  assert.is(held.countAgain(), 0)
})

s(
  'has no more blocks read one by one for those that came meanwhile [nodes/outage-near]',
  async () => {
    using held = await hold(base, { most: 5 })
    held.pass(240, 1)
    held.node.meddle = () => {
      if (held.node.asked % 2 === 0) held.mainnet.mine()
      return undefined
    }
    await held.reader.confirm()
    held.node.meddle = () => undefined
    await held.reader.confirm()
    await held.assertTrue()
    assert.is(held.loads(), 0)
    assert.ok(held.headers.size < 55, `${held.headers.size} headers`)
  },
)

s('is not passed where it is far cheaper to read all anew [nodes/outage-costly]', async () => {
  using held = await hold(arbitrum, { most: 10 })
  held.pass(40_000, 100)
  await held.reader.confirm()
  assert.is(held.loads(), 1)
  assert.ok(held.answered.length < 400, `${held.answered.length} questions`)
})

s('is caught up with before anything else is read [nodes/level]', async () => {
  using held = await hold(arbitrum, { most: 10 })
  const before = held.reader.current()
  if (!before) throw new Error('it is followed')
  const picked: (bigint | undefined)[] = []
  const audit = {
    ...held.deps.audit,
    pick() {
      picked.push(own.current()?.head.number)
      return []
    },
  }
  const own = createChainReader(
    { ...held.deps, audit },
    { partnersOf: () => [], stirred: () => undefined },
  )
  const kept = { head: before.head, records: [...before.pools.values()], tokens: [] }
  assert.ok(await own.restore(kept, { isInherited: false }))
  held.pass(2_400, 4)
  const confirming = own.confirm()
  await own.audit()
  assert.equal(picked, [BigInt(held.mainnet.head().number)])
  await confirming
})

s(
  'that a snapshot slept through is passed, whatever fails on the way [nodes/outage-snapshot]',
  async () => {
    using held = await hold(arbitrum, { most: 2_000 })
    const { reader, deps } = held
    const before = reader.current()
    if (!before) throw new Error('it is followed')
    held.pass(691_200, 400)
    const own = createChainReader(deps, { partnersOf: () => [], stirred: () => undefined })
    const kept = { head: before.head, records: [...before.pools.values()], tokens: [] }
    const last = held.mainnet.head().number - 300_000
    held.node.meddle = ({ to }) =>
      to > last ? { error: { code: -32603, message: 'internal error' } } : undefined
    assert.ok(await own.restore(kept, { isInherited: false }))
    assert.is(own.sinceConfirmedMs(), Number.POSITIVE_INFINITY)
    held.node.meddle = () => undefined
    await own.confirm()
    await held.assertTrue(own.current())
    assert.is(held.loads(), 0)
    assert.ok(held.countAgain() < 20_000, `${held.countAgain()} blocks twice`)
  },
)
s.run()
