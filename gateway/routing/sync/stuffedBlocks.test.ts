import type { Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import type { RpcCall } from '../../chain/nodes/readReply.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** A stranger fills a block with more events of pools, or of what looks like them, than a node gives at once. */
const s = suite('blocks that are stuffed with logs')
type Filter = { readonly address?: readonly Hex[]; readonly topics: readonly (readonly Hex[])[] }
type Node = { refuses: (filter: Filter) => boolean; asked: number }
const refusals = [
  { code: -32005, message: 'query returned more than 10000 results' },
  { code: -32008, message: 'Response is too big' },
]
const [tooMany] = refusals

async function hold(error = tooMany) {
  const node: Node = { refuses: () => false, asked: 0 }
  const held = await holdMainnet(base, {
    pools: 60,
    refreshBlocks: 1_000_000n,
    bend(call: RpcCall, answer) {
      if (call.method !== 'eth_getLogs' || !error) return answer
      node.asked += 1
      const [filter] = call.params as readonly [Filter]
      return node.refuses(filter) ? { error } : answer
    },
  })
  const { mainnet, reader } = held
  const records = () => [...(reader.current()?.pools.values() ?? [])]
  return {
    ...held,
    node,
    records,
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

for (const blocks of [1, 200])
  s(
    `${blocks} behind, a pool that has too many itself is read anew [17/stuffed-pool]`,
    async () => {
      using held = await hold()
      const named = new Map<string, number>()
      for (const { address } of held.records()) named.set(address, (named.get(address) ?? 0) + 1)
      const alone = held.records().filter(({ address }) => named.get(address) === 1)
      const stuffed = alone.slice(0, 2).map(({ address }) => address)
      held.node.refuses = ({ address = [] }) => stuffed.some((own) => address.includes(own))
      await held.mine(blocks)
      await held.assertTrue()
    },
  )

s('and so is each of eight pools that have too many [17/stuffed-pools]', async () => {
  using held = await hold()
  const named = held.records().map(({ address }) => address)
  const alone = named.filter((address) => named.indexOf(address) === named.lastIndexOf(address))
  const stuffed = alone.slice(0, 8)
  assert.is(stuffed.length, 8)
  held.node.refuses = ({ address = [] }) => stuffed.some((own) => address.includes(own))
  await held.mine(1)
  await held.assertTrue()
})

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
