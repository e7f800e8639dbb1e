import { mock } from 'node:test'
import { numberToHex, type RpcLog } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { listWrong } from '../testing/mainnet/listWrong.ts'

/** Two endpoints, one of which makes of a block's logs, and adds, what it likes. */
const s = suite('logs of a block that one endpoint tells of')
const oneAndOne = `0x${'1'.padStart(64, '0').repeat(2)}` as const
type Bend = (logs: readonly RpcLog[], node: number) => readonly unknown[]

async function hold() {
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 250 }
  const node: { bend: Bend; lies: number; like?: RpcLog } = { bend: (logs) => logs, lies: 0 }
  const held = await holdMainnet(arbitrum, {
    ...twoNodes,
    pace,
    bend({ method }, answer, of) {
      if (method !== 'eth_getLogs' || !('result' in answer)) return answer
      const logs = answer.result as readonly RpcLog[]
      if (logs[0]) node.like = logs[0]
      return { result: node.bend(logs, of) }
    },
  })
  const { mainnet, reader, deps, chainClient } = held
  Object.assign(deps, { others: chainClient.others })
  Object.assign(pace, { swaps: [2, 2], crowdedSwaps: 2 })
  return {
    ...held,
    node,
    pace,
    /** Of the pools of which nothing is told. */
    invent(logs: readonly RpcLog[]) {
      const heard = new Set<string>(logs.map(({ address }) => address))
      const others = mainnet.pools.filter(({ address }) => !heard.has(address.toLowerCase()))
      node.lies += 1
      return others.map(({ address }, index) => ({
        ...node.like,
        address,
        blockHash: mainnet.head().hash,
        blockNumber: numberToHex(mainnet.head().number),
        data: oneAndOne,
        logIndex: `0x${(1_000 + index).toString(16)}`,
      }))
    },
    async mine() {
      mainnet.mine()
      await reader.confirm()
    },
    listWrong: () => listWrong(held),
  }
}

s(
  'are not believed of another: what the bloom lacks, and what it may have [nodes/bloom-liar]',
  async () => {
    using held = await hold()
    held.node.bend = (logs, of) => {
      if (of === 0) return []
      return [...logs.map((log) => ({ ...log, data: oneAndOne })), ...held.invent(logs)]
    }
    for (let block = 0; block < 5; block += 1) {
      await held.mine()
      assert.equal(await held.listWrong(), [])
    }
    assert.ok(held.node.lies > 0)
    // Two swaps a block: what was invented beside them is no log of it.
    for (const event of held.events) assert.ok(event.event !== 'logs_missed' || event.late <= 2)
  },
)

s(
  'are not believed of the first, where neither the bloom nor another has them [nodes/bloom-invented]',
  async () => {
    using held = await hold()
    held.node.bend = (logs, of) => (of === 0 ? [...logs, ...held.invent(logs)] : logs)
    for (let block = 0; block < 5; block += 1) {
      await held.mine()
      assert.equal(await held.listWrong(), [])
    }
    assert.ok(held.node.lies > 0)
  },
)

s('are not believed of the first in a block that has none at all [nodes/bloom-empty]', async () => {
  using held = await hold()
  for (let block = 0; block < 3; block += 1) await held.mine()
  Object.assign(held.pace, { swaps: [0, 0], crowdedSwaps: 0 })
  held.node.bend = (logs, of) => (of === 0 ? [...logs, ...held.invent(logs)] : logs)
  for (let block = 0; block < 3; block += 1) {
    await held.mine()
    assert.equal(await held.listWrong(), [])
  }
  assert.ok(held.node.lies > 0)
})
s(
  'come without those of another that hangs, for which no block waits long [nodes/block-hangs]',
  async () => {
    using held = await hold()
    let waiting = 0
    const request = () => {
      waiting += 1
      setImmediate(() => mock.timers.tick(2_000))
      return new Promise(() => undefined)
    }
    const witness = { client: { ...held.chainClient.client, request }, prefer: () => undefined }
    Object.assign(held.deps, { others: () => [witness] })
    let asked = 0
    held.node.bend = (logs) => {
      asked += 1
      return asked % 2 === 1 ? [] : logs
    }
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      for (let block = 1; block <= 3; block += 1) {
        await held.mine()
        assert.equal([asked, waiting], [2 * block, block])
        assert.equal(await held.listWrong(), [])
      }
    } finally {
      mock.timers.reset()
    }
  },
)

s(
  'are not believed of another that is asked first by the time that it tells [nodes/bloom-liar-first]',
  async () => {
    for (const silences of [0, 1]) {
      using held = await hold()
      const { others, tellerOf } = held.chainClient
      Object.assign(held.deps, { tellerOf })
      let told = 0
      held.node.bend = (logs, of) => {
        if (of === 0) {
          for (const other of others?.() ?? []) other.prefer()
          return []
        }
        told += 1
        return told > silences ? logs.map((log) => ({ ...log, data: oneAndOne })) : []
      }
      await held.mine()
      assert.ok(told > silences)
      assert.equal(await held.listWrong(), [])
    }
  },
)
s.run()
