import { type Hex, numberToHex, type RpcLog } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import type { RpcCall } from '../../chain/nodes/readReply.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'
import { catchUp } from './catchUp.ts'

/** A stranger fills a block with more events of pools, or of what looks like them, than a node gives at once. */
const s = suite('blocks that are stuffed with logs')
type Filter = { readonly address?: readonly Hex[]; readonly topics: readonly (readonly Hex[])[] }
type Node = {
  refuses: (filter: Filter) => boolean
  add: (logs: readonly RpcLog[]) => readonly RpcLog[]
  asked: number
  bloom?: Hex
}
const refusals = [
  { code: -32005, message: 'query returned more than 10000 results' },
  { code: -32008, message: 'Response is too big' },
]
const [tooMany] = refusals

async function hold(error = tooMany, pools = 60) {
  const node: Node = { refuses: () => false, add: (logs) => logs, asked: 0 }
  const held = await holdMainnet(base, {
    pools,
    refreshBlocks: 1_000_000n,
    bend(call: RpcCall, answer) {
      if (
        node.bloom &&
        call.method === 'eth_getBlockByNumber' &&
        'result' in answer &&
        answer.result
      )
        return { result: { ...answer.result, logsBloom: node.bloom } }
      if (call.method !== 'eth_getLogs' || !error) return answer
      node.asked += 1
      const [filter] = call.params as readonly [Filter]
      if (node.refuses(filter)) return { error }
      return 'result' in answer ? { result: node.add(answer.result as readonly RpcLog[]) } : answer
    },
  })
  const { mainnet, reader } = held
  const records = () => [...(reader.current()?.pools.values() ?? [])]
  /** So many pools that are alone at their addresses. */
  function listAlone(count: number): readonly Hex[] {
    const named = new Map<Hex, number>()
    for (const { address } of records()) named.set(address, (named.get(address) ?? 0) + 1)
    const alone = [...named].filter(([, times]) => times === 1).slice(0, count)
    assert.is(alone.length, count)
    return alone.map(([address]) => address)
  }
  return {
    ...held,
    node,
    records,
    /** They have more logs than are given of anybody. */
    stuff(count: number) {
      const stuffed = listAlone(count)
      node.refuses = ({ address = [] }) => stuffed.some((own) => address.includes(own))
    },
    async mine(blocks: number) {
      for (let left = blocks; left > 0; left -= 1) mainnet.mine()
      await reader.confirm()
    },
    async assertTrue() {
      const state = reader.current()
      assert.is(state?.head.hash, mainnet.head().hash)
      const at = { records: records(), blockNumber: state?.head.number ?? 0n }
      const real = await readMainnet({ chain: base, mainnet, dexes: getDexes(base.chainId) }, at)
      const isWrong = (record: PoolRecord) => {
        const fresh = real.get(record.id)
        return fresh ? (compareRecords(record, fresh) ?? []) : [record.id]
      }
      assert.equal(records().flatMap(isWrong), [])
    },
  }
}

for (const error of refusals)
  for (const blocks of [1, 20, 200])
    s(
      `${blocks} behind, those who count are asked for by themselves: ${error.message} [17/stuffed-block]`,
      async () => {
        using held = await hold(error)
        held.node.refuses = ({ address = [] }) => address.length > 20 || address.length === 0
        await held.mine(blocks)
        await held.assertTrue()
      },
    )

for (const [blocks, pools] of [
  [1, 2],
  [200, 2],
  [200, 12],
] as const)
  s(
    `${blocks} behind, ${pools} pools that have too many themselves are read anew [17/stuffed-pool]`,
    async () => {
      using held = await hold()
      held.stuff(pools)
      await held.mine(blocks)
      await held.assertTrue()
    },
  )

s('and so is each of eight pools that have too many [17/stuffed-pools]', async () => {
  using held = await hold()
  held.stuff(8)
  await held.mine(1)
  await held.assertTrue()
})

s(
  'those pools are read anew however many others a bloom names beside them [17/stuffed-bloom]',
  async () => {
    using held = await hold(tooMany, 300)
    for (let block = 0; block < 20; block += 1) await held.mine(1)
    held.node.bloom = `0x${'ff'.repeat(256)}`
    held.stuff(30)
    await held.mine(1)
    await held.assertTrue()
  },
)

for (const blocks of [1, 200])
  s(
    `${blocks} behind, of a contract of many pools those that are followed are asked for by name [17/stuffed-manager]`,
    async () => {
      using held = await hold()
      const managed = held.records().filter(({ protocol }) => protocol === 'uniswap_v4')
      assert.ok(managed.length > 3, `${managed.length} pools`)
      const manager = managed[0]?.address
      held.node.refuses = ({ address = [], topics: [, names] }) =>
        address.some((own) => own === manager) && (names?.length ?? 99) > 2
      await held.mine(blocks)
      await held.assertTrue()
    },
  )

s(
  'nothing is remembered of the pools in them that nobody follows [17/stuffed-memory]',
  async () => {
    using held = await hold()
    const state = held.reader.current()
    const manager = held.records().find(({ protocol }) => protocol === 'uniswap_v4')?.address
    if (!state || !manager) throw new Error('it is followed')
    let added = 0
    held.node.add = (logs) => {
      const like = logs.find(({ address }) => address === manager.toLowerCase())
      if (!like) return logs
      const others = Array.from({ length: 1_000 }, (_, at) => ({
        ...like,
        topics: [
          like.topics[0],
          numberToHex(at + 1, { size: 32 }),
          like.topics[2],
        ] as RpcLog['topics'],
        logIndex: numberToHex(10_000 + at),
      }))
      added += others.length
      return [...logs, ...others]
    }
    for (let block = 0; block < 20; block += 1) held.mainnet.mine()
    const caught = await catchUp(held.deps, { state, passed: [] })
    if (caught.status !== 'advanced') throw new Error('there are blocks')
    assert.ok(added > 0)
    const changed = caught.passed.flatMap((block) => block.changed)
    assert.ok(changed.length > 0)
    assert.equal(
      changed.filter((id) => !state.pools.has(id)),
      [],
    )
  },
)

s(
  'of a node that refuses whatever it is asked some questions are had and no more [17/stuffed-all]',
  async () => {
    using held = await hold()
    held.node.refuses = () => true
    const before = held.reader.current()
    await held.mine(1)
    assert.is(held.reader.current(), before)
    assert.ok(held.node.asked < 40, `${held.node.asked} questions`)
    held.node.refuses = () => false
    await held.mine(1)
    await held.assertTrue()
  },
)

s.run()
