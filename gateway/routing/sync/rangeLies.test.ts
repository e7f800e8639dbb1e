import { type Hex, numberToHex, type RpcLog, toEventSelector } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { listWrong } from '../testing/mainnet/listWrong.ts'

/** Of two endpoints the first one makes up logs of a long gap, where the other one is silent. */
const s = suite('logs of a gap that are made up')
const sync = toEventSelector('Sync(uint112,uint112)')
const oneAndOne = `0x${'1'.padStart(64, '0').repeat(2)}` as const
const madeUp = numberToHex(7, { size: 32 })
type Filter = { readonly fromBlock?: Hex; readonly toBlock?: Hex }
type Lie = (logs: readonly RpcLog[], to: number, victim: Hex) => readonly RpcLog[]

async function hold() {
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 250 }
  const node = {
    lie: undefined as ((logs: readonly RpcLog[], to: number) => readonly RpcLog[]) | undefined,
    lies: 0,
    reads: 0,
    /** Whether the other one has let go of its logs. */
    hasNone: false,
  }
  const held = await holdMainnet(arbitrum, {
    ...twoNodes,
    pace,
    bend({ method, params }, answer, of) {
      if (method === 'eth_call') node.reads += 1
      if (method !== 'eth_getLogs' || !('result' in answer)) return answer
      const [{ toBlock }] = params as readonly [Filter]
      if (!toBlock) return answer
      if (of === 1) return node.hasNone ? { result: [] } : answer
      const logs = answer.result as readonly RpcLog[]
      const told = node.lie?.(logs, Number(toBlock)) ?? logs
      node.lies += told.filter((log) => !logs.includes(log)).length
      return { result: told }
    },
  })
  const { mainnet, reader, deps, chainClient } = held
  Object.assign(deps, { others: chainClient.others })
  return {
    ...held,
    node,
    /** So many blocks of which every fourth has swaps, and so many in which nothing happens. */
    pass(blocks: number, empty: number) {
      Object.assign(pace, { swaps: [2, 2], crowdedSwaps: 2 })
      for (let left = blocks; left > 0; left -= 4) mainnet.leap(3)
      Object.assign(pace, { swaps: [0, 0], crowdedSwaps: 0 })
      mainnet.leap(empty - 1)
    },
    async listWrong() {
      await reader.confirm()
      return listWrong(held)
    },
  }
}

const madeUpAt = (block: number, address: Hex): RpcLog => ({
  address,
  topics: [sync],
  data: oneAndOne,
  blockNumber: numberToHex(block),
  blockHash: madeUp,
  logIndex: '0x0',
  transactionHash: madeUp,
  transactionIndex: '0x0',
  removed: false,
})

const lies: readonly (readonly [string, number, Lie])[] = [
  [
    "above the other's last",
    600,
    (logs, to, victim) => {
      const last = logs.at(-1)
      const isBelow = last && Number(last.blockNumber) < to
      return isBelow ? [...logs, madeUpAt(to, victim)] : logs
    },
  ],
  [
    'under the hash of another block',
    600,
    (logs) => logs.map((log) => ({ ...log, blockHash: madeUp, data: oneAndOne })),
  ],
  ['where nothing has happened', 0, (logs, to, victim) => [...logs, madeUpAt(to, victim)]],
]
for (const [where, blocks, lie] of lies)
  s(`are not believed of the first endpoint ${where} [nodes/range-silent]`, async () => {
    using held = await hold()
    const victim = held.mainnet.pools.at(-1)?.address
    if (!victim) throw new Error('there are pools')
    held.node.lie = (logs, to) => lie(logs, to, victim)
    held.pass(blocks, 400)
    assert.equal(await held.listWrong(), [])
    assert.ok(held.node.lies > 0)
  })

s(
  'have no pool read anew for an endpoint that has let go of its logs [nodes/range-let-go]',
  async () => {
    using held = await hold()
    held.node.hasNone = true
    held.pass(600, 400)
    held.node.reads = 0
    await held.reader.confirm()
    const silent = held.node.reads
    using whole = await hold()
    whole.pass(600, 400)
    whole.node.reads = 0
    await whole.reader.confirm()
    assert.is(silent, whole.node.reads)
    assert.equal(await held.listWrong(), [])
  },
)
s.run()
