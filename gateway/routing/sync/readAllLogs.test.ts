import type { Hex } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { type Pace, paces, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import type { RpcAnswer, RpcCall } from '../../chain/nodes/readReply.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** Four blocks a second, of whose logs a small node gives one answer for five units that it has a second. */
const s = suite('logs of blocks that are known')
const usual = { ...(paces[arbitrum.chainId] as Pace), crowdedSwaps: 2, crowdedLogs: 13 }
const { logs, crowdedLogs } = usual
const strangersAlone = { ...quiet, logs, crowdedLogs }
type Bend = (call: RpcCall, answer: RpcAnswer, node: number) => RpcAnswer
type Log = { readonly blockNumber: Hex; readonly blockHash: Hex }

const filterOf = ({ params }: RpcCall) =>
  (params as readonly { blockHash?: Hex; fromBlock?: Hex; toBlock?: Hex }[])[0] ?? {}
const logsOf = (answer: RpcAnswer) => ('result' in answer ? (answer.result as readonly Log[]) : [])
const isRange = (call: RpcCall) =>
  call.method === 'eth_getLogs' && filterOf(call).blockHash === undefined

/** Of a chain on which events have come already. */
async function hold(nodes = 1) {
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...usual }
  const asked: RpcCall[] = []
  const node: { bend: Bend } = { bend: (_, answer) => answer }
  const held = await holdMainnet(arbitrum, {
    pools: 300,
    nodes,
    pace,
    refreshBlocks: 1_000_000n,
    bend(call, answer, of) {
      if (call.method === 'eth_getLogs') asked.push(call)
      return node.bend(call, answer, of)
    },
  })
  const { mainnet, reader, deps } = held
  async function mine(blocks: number) {
    mainnet.mine(blocks)
    await reader.confirm()
  }
  return {
    ...held,
    node,
    pace,
    asked,
    mine,
    async learn() {
      for (let block = 0; block < 12; block += 1) await mine(1)
      asked.length = 0
    },
    async assertTrue() {
      const state = reader.current()
      assert.is(state?.head.hash, mainnet.head().hash)
      const records = [...(state?.pools.values() ?? [])]
      const blockNumber = BigInt(mainnet.head().number)
      const at = { chain: arbitrum, mainnet, dexes: deps.dexes }
      const fresh = await readMainnet(at, { records, blockNumber })
      const wrong = records.flatMap((record) => {
        const real = fresh.get(record.id)
        return real ? (compareRecords(record, real) ?? []) : [`${record.id} is not there`]
      })
      assert.equal(wrong, [])
    },
  }
}

s('are asked for together by whoever is some blocks behind [nodes/logs-together]', async () => {
  using held = await hold()
  await held.learn()
  await held.mine(40)
  await held.assertTrue()
  assert.ok(held.asked.filter(isRange).length <= 3)
  // Those that a bloom names by chance are asked for once more, and a new pool's.
  assert.ok(held.asked.length <= 12, `${held.asked.length} questions`)
})

for (const [title, bend] of [
  ['the newest are missing in', (logs: readonly Log[]) => logs.slice(0, logs.length >> 1)],
  ['none are in', () => []],
  [
    'those of another branch are in',
    (logs: readonly Log[]) => logs.map((log) => ({ ...log, blockHash: `0x${'1'.repeat(64)}` })),
  ],
] as const)
  s(
    `${title} an answer for many, and each block is asked [nodes/logs-together-short]`,
    async () => {
      using held = await hold()
      await held.learn()
      let bent = 0
      held.node.bend = (call, answer) => {
        if (!isRange(call)) return answer
        bent += 1
        return { result: bend(logsOf(answer)) }
      }
      await held.mine(20)
      assert.ok(bent > 0)
      await held.assertTrue()
    },
  )

s('are not asked for where a bloom has nothing that is followed [nodes/quiet-blocks]', async () => {
  using held = await hold()
  await held.learn()
  Object.assign(held.pace, strangersAlone)
  for (let block = 0; block < 60; block += 1) await held.mine(1)
  assert.ok(held.asked.length <= 6, `${held.asked.length} questions for 60 blocks`)
  Object.assign(held.pace, usual)
  for (let block = 0; block < 20; block += 1) await held.mine(1)
  await held.assertTrue()
})

for (const [title, made] of [
  ['of nothing', bloomOf([])],
  ['of something else', bloomOf([{ address: `0x${'2'.repeat(40)}`, topics: [] }])],
] as const)
  s(`are asked for where all blooms are ${title} [nodes/made-blooms]`, async () => {
    using held = await hold()
    held.node.bend = ({ method }, answer) =>
      method === 'eth_getBlockByNumber' && 'result' in answer && answer.result
        ? { result: { ...answer.result, logsBloom: made } }
        : answer
    await held.learn()
    await held.mine(1)
    await held.mine(10)
    await held.assertTrue()
  })

s('are asked for by a hash where a bloom has nothing at all [nodes/made-blooms]', async () => {
  using held = await hold()
  await held.learn()
  held.node.bend = ({ method }, answer) =>
    method === 'eth_getBlockByNumber' && 'result' in answer && answer.result
      ? { result: { ...answer.result, logsBloom: bloomOf([]) } }
      : answer
  for (let block = 0; block < 10; block += 1) await held.mine(1)
  await held.mine(10)
  await held.assertTrue()
})

for (const [title, places] of [
  ['the first', [0]],
  ['some in the middle', [3, 4]],
  ['most', [0, 1, 2, 4, 5, 6, 8, 9]],
] as const)
  s(
    `are asked for by a hash where ${title} of many have no bloom [nodes/some-blooms]`,
    async () => {
      using held = await hold()
      await held.learn()
      Object.assign(held.pace, { swaps: [1, 2] })
      const first = Number(held.mainnet.head().number) + 1
      const isBare = (number: Hex) => places.some((place) => first + place === Number(number))
      held.node.bend = (call, answer) => {
        if (isRange(call))
          return { result: logsOf(answer).filter(({ blockNumber }) => !isBare(blockNumber)) }
        if (call.method !== 'eth_getBlockByNumber' || !('result' in answer) || !answer.result)
          return answer
        const block = answer.result as { readonly number: Hex }
        return { result: { ...block, ...(isBare(block.number) && { logsBloom: undefined }) } }
      }
      await held.mine(10)
      await held.assertTrue()
    },
  )

s(
  'of new pools are asked for by a hash: no pool is missed for them [nodes/logs-together-new]',
  async () => {
    using held = await hold()
    await held.learn()
    const { reader, mainnet, node, pace, deps } = held
    Object.assign(deps, { tokens: { ...deps.tokens, hasAll: () => true } })
    node.bend = (call, answer) => (isRange(call) ? { result: [] } : answer)
    Object.assign(pace, { creationShare: 1 })
    const before = [reader.current()?.pools.size ?? 0, mainnet.pools.length] as const
    await held.mine(10)
    const after = [reader.current()?.pools.size ?? 0, mainnet.pools.length] as const
    assert.ok(after[1] - before[1] > 5)
    assert.is(after[0] - before[0], after[1] - before[1])
  },
)

s(
  'are each of the endpoint that has told of them, where several have of many [nodes/logs-together-tellers]',
  async () => {
    using held = await hold(2)
    await held.learn()
    const { others, tellerOf } = held.chainClient
    const named: Parameters<typeof held.deps.heardBlocks.note>[0]['blocks'][number][] = []
    const note: typeof held.deps.heardBlocks.note = ({ blocks }) => void named.push(...blocks)
    Object.assign(held.deps, { others, tellerOf, heardBlocks: { ...held.deps.heardBlocks, note } })
    const told: (readonly [from: number, to: number])[][] = [[], []]
    let first: Hex | undefined
    held.node.bend = (call, answer, of) => {
      if (!isRange(call)) return answer
      const { fromBlock, toBlock } = filterOf(call)
      first ??= fromBlock
      // The first endpoint has an answer to the first of the questions.
      if (of === 0 && fromBlock !== first)
        return { error: { code: -32603, message: 'internal error' } }
      told[of]?.push([Number(fromBlock), Number(toBlock)])
      return answer
    }
    await held.mine(40)
    await held.assertTrue()
    const byHash = new Set(held.asked.map((call) => filterOf(call).blockHash))
    const together = named.filter(({ head }) => !byHash.has(head.hash))
    const tellers = told.map((ranges) => {
      const own = together.filter(({ head }) =>
        ranges.some(([from, to]) => from <= head.number && head.number <= to),
      )
      return [...new Set(own.flatMap(({ teller }) => teller ?? []))]
    })
    const counts = tellers.map(({ length }) => length)
    assert.equal(counts, [1, 1])
    assert.is.not(tellers[0]?.[0], tellers[1]?.[0])
  },
)
s.run()
