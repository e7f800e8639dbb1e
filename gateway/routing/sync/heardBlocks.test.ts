import { type Hex, numberToHex, type RpcLog, toEventSelector } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'
import { createHeardBlocks } from './heardBlocks.ts'

const s = suite('logs that are held against another endpoint')
const filter = { topics: [], addresses: undefined }
const hashOf = (block: number) => numberToHex(block + 1, { size: 32 })
const oneAndOne = `0x${'1'.padStart(64, '0').repeat(2)}` as const
const sync = toEventSelector('Sync(uint112,uint112)')

const blockOf = (block: number) => {
  const at = { number: BigInt(block), timestampSecs: BigInt(block) }
  return { head: { ...at, hash: hashOf(block), parentHash: hashOf(block - 1) }, logs: [] }
}

const nothing = { contested: 0, healed: 0 }

/**
 * Numbers of the first and last blocks of each look, and whose it is; a block every so often, each looked at once a
 * second. Each endpoint finds such things.
 */
function look(secs: number, blockMs: number, found: readonly (typeof nothing)[] = [nothing]) {
  let nowMs = 0
  const heard = createHeardBlocks({ now: () => nowMs })
  const looks: (readonly [bigint | undefined, bigint | undefined, number])[] = []
  const judges = found.map((finds, place) => ({ finds, place }))
  for (nowMs = 0; nowMs < secs * 1_000; nowMs += 250) {
    if (nowMs % blockMs === 0) heard.note({ filter, blocks: [blockOf(nowMs / blockMs)] })
    const picked = nowMs % 1_000 === 0 ? heard.pick(() => judges) : undefined
    if (!picked) continue
    const { part, judge } = picked
    looks.push([part.blocks[0]?.head.number, part.blocks.at(-1)?.head.number, judge.place])
    heard.done(judge, judge.finds)
  }
  return looks
}

s('are of nearly all blocks of Base, and of some of Arbitrum One [nodes/held-blocks]', () => {
  const [first, second] = look(120, 2_000)
  assert.equal(first, [0n, 14n, 0])
  assert.ok(second && second[0] !== undefined && second[0] <= 18n, `${second}`)
  const some = look(120, 250)
  assert.equal(some.slice(0, 2), [
    [0n, 14n, 0],
    [120n, 134n, 0],
  ])
  assert.is(some.length, 4)
})

s(
  'are looked for at once where some were false, and rarely where none were [nodes/held-vain]',
  () => {
    assert.ok(look(120, 250, [{ contested: 2, healed: 1 }]).length > 10)
    const vain = { contested: 2, healed: 0 }
    assert.ok(look(3_600, 250, [vain]).length < 9)
    // Who finds nothing has as many looks as if there were nobody else.
    const [alone, both] = [look(3_600, 250), look(3_600, 250, [vain, nothing])]
    const countOf = (judge: number) => both.filter(([, , place]) => place === judge).length
    assert.ok(countOf(0) > 3 && countOf(0) < 9, `${countOf(0)} of the one that is wrong`)
    assert.ok(countOf(1) >= alone.length - countOf(0), `${countOf(1)} of the other one`)
  },
)

s('are of one branch', () => {
  let nowMs = 0
  const heard = createHeardBlocks({ now: () => nowMs })
  const note = (blocks: readonly ReturnType<typeof blockOf>[]) => heard.note({ filter, blocks })
  note(Array.from({ length: 10 }, (_, block) => blockOf(block)))
  const other = blockOf(10)
  note([{ ...other, head: { ...other.head, parentHash: hashOf(99) } }])
  note(Array.from({ length: 30 }, (_, block) => blockOf(11 + block)))
  nowMs += 10_000
  const blocks = heard.pick(() => [{}])?.part.blocks.map(({ head }) => Number(head.number)) ?? []
  assert.equal([blocks[0], blocks.at(-1), blocks.length], [10, 24, 15])
})

s('are of one teller: they end where another one tells [nodes/held-one-teller]', () => {
  let nowMs = 0
  const heard = createHeardBlocks({ now: () => nowMs })
  const tellers = [{}, {}]
  for (let block = 0; block < 20; block += 1) {
    const teller = block === 1 ? undefined : tellers[block < 5 ? 0 : 1]
    heard.note({ filter, blocks: [{ ...blockOf(block), teller }] })
  }
  nowMs += 10_000
  let able: object | undefined
  const picked = heard.pick(({ teller }) => {
    able = teller
    return tellers
  })
  assert.is(picked?.part.blocks.length, 5)
  assert.is(able, tellers[0])
  // The next is of whoever tells next.
  nowMs += 30_000
  for (let block = 20; block < 40; block += 1)
    heard.note({ filter, blocks: [{ ...blockOf(block), teller: tellers[1] }] })
  nowMs += 10_000
  assert.is(heard.pick(() => tellers)?.part.blocks.length, 15)
})

/** Two endpoints, one of which tells of reserves what it likes. */
async function hold() {
  let nowMs = 0
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 250 }
  const node = {
    liar: 0,
    /** Questions for logs, by who is asked. */
    asked: [0, 0],
    reads: 0,
    bloom: undefined as Hex | undefined,
    like: undefined as RpcLog | undefined,
    /** Of blocks without any. */
    victim: undefined as Hex | undefined,
  }
  const held = await holdMainnet(arbitrum, {
    ...twoNodes,
    pace,
    bend({ method }, answer, of) {
      if (method === 'eth_call') node.reads += 1
      if (!('result' in answer)) return answer
      if (method === 'eth_getBlockByNumber' && node.bloom && answer.result)
        return { result: { ...answer.result, logsBloom: node.bloom } }
      if (method !== 'eth_getLogs') return answer
      node.asked[of] = (node.asked[of] ?? 0) + 1
      const logs = answer.result as readonly RpcLog[]
      node.like ??= logs.find(({ topics }) => topics[0] === sync)
      return of === node.liar ? { result: lie(logs) } : answer
    },
  })
  const { mainnet, reader, deps, chainClient } = held

  function lie(logs: readonly RpcLog[]): readonly RpcLog[] {
    const { like, victim } = node
    if (logs.length === 0 && like && victim) {
      const { number, hash } = mainnet.head()
      const at = { blockNumber: numberToHex(number), blockHash: hash }
      return [{ ...like, ...at, address: victim, data: oneAndOne }]
    }
    return logs.map((log) => (log.topics[0] === sync ? { ...log, data: oneAndOne } : log))
  }

  const { others, tellerOf } = chainClient
  const auditor = { ...deps.auditor, others }
  const heardBlocks = createHeardBlocks({ now: () => nowMs })
  const found: Parameters<typeof heardBlocks.done>[1][] = []
  const done: typeof heardBlocks.done = (judge, what) => {
    found.push(what)
    heardBlocks.done(judge, what)
  }
  Object.assign(deps, { others, tellerOf, auditor, heardBlocks: { ...heardBlocks, done } })
  const swap = (count: number) =>
    Object.assign(pace, { swaps: [count, count], crowdedSwaps: count })
  swap(2)
  return {
    ...held,
    node,
    found,
    swap,
    /** Whose turn it is to be asked first. */
    first: () =>
      chainClient.witnesses?.findIndex((own) => others?.().every(({ client }) => client !== own)),
    async mine(blocks: number) {
      for (let block = 0; block < blocks; block += 1) {
        mainnet.mine()
        nowMs += 250
        await reader.confirm()
      }
    },
    /** Once it is time for it. */
    async look() {
      nowMs += 5_000
      Object.assign(node, { asked: [0, 0], reads: 0 })
      await reader.holdAgainst()
      nowMs += 30_000
    },
    async countWrong() {
      const state = reader.current()
      assert.is(state?.head.hash, mainnet.head().hash)
      const records = [...(state?.pools.values() ?? [])]
      const at = { records, blockNumber: BigInt(mainnet.head().number) }
      const fresh = await readMainnet({ chain: arbitrum, mainnet, dexes: deps.dexes }, at)
      return records.filter((record) => {
        const real = fresh.get(record.id)
        return !real || compareRecords(record, real) !== undefined
      }).length
    },
  }
}

s(
  'are put right where the first endpoint tells what no bloom rules out [nodes/held-against]',
  async () => {
    using held = await hold()
    await held.mine(15)
    const wrong = await held.countWrong()
    assert.ok(wrong > 0)
    assert.is(held.first(), 0)
    await held.look()
    assert.is(await held.countWrong(), 0)
    assert.equal(
      held.found.map(({ healed }) => healed),
      [wrong],
    )
    // The other one is asked from now on.
    assert.is(held.first(), 1)
    held.node.asked = [0, 0]
    await held.mine(20)
    assert.is(await held.countWrong(), 0)
    const [liar, other = 0] = held.node.asked
    assert.is(liar, 0)
    assert.ok(other > 0)
  },
)

s(
  'are held against one that has not told of them, whoever is asked first by then [nodes/held-teller]',
  async () => {
    using held = await hold()
    await held.mine(15)
    assert.ok((await held.countWrong()) > 0)
    for (const other of held.chainClient.others?.() ?? []) other.prefer()
    assert.is(held.first(), 1)
    await held.look()
    assert.equal(held.node.asked, [0, 1])
    assert.is(await held.countWrong(), 0)
  },
)

s('stay where the other endpoint is the one that lies [nodes/held-against]', async () => {
  using held = await hold()
  held.node.liar = 1
  await held.mine(15)
  const before = held.reader.current()
  await held.look()
  const [{ contested, healed } = nothing, ...more] = held.found
  assert.ok(contested > 0)
  assert.equal([healed, more], [0, []])
  // What it contests is read, and is what it was.
  assert.equal(held.node.asked, [0, 1])
  assert.ok(held.node.reads > 0)
  assert.is(held.reader.current(), before)
  assert.is(held.first(), 0)
  // For as long as the next look would be due it is not asked again.
  await held.mine(15)
  await held.look()
  assert.equal(held.node.asked, [0, 0])
})

s('are asked of those alone that have not told of them [nodes/held-other]', async () => {
  using held = await hold()
  held.node.liar = -1
  for (const [first, asked] of [
    [0, [0, 1]],
    [1, [1, 0]],
  ] as const) {
    for (let round = 0; round < 3; round += 1) {
      assert.is(held.first(), first)
      await held.mine(15)
      await held.look()
      assert.equal(held.node.asked, asked)
    }
    for (const other of held.chainClient.others?.() ?? []) other.prefer()
  }
  assert.equal(
    held.found,
    Array.from({ length: 6 }, () => nothing),
  )
})

s(
  'are put right where the other endpoint has the blocks and tells of none in the last [nodes/held-silent]',
  async () => {
    using held = await hold()
    held.node.liar = -1
    // Of blocks as full as those of Base, which rule out nothing.
    held.node.bloom = `0x${'ff'.repeat(256)}`
    await held.mine(13)
    assert.is(await held.countWrong(), 0)
    held.swap(0)
    held.node.liar = 0
    held.node.victim = held.mainnet.pools.at(-1)?.address
    await held.mine(2)
    assert.is(await held.countWrong(), 1)
    await held.look()
    assert.is(await held.countWrong(), 0)
    assert.is(held.first(), 1)
  },
)
s.run()
