import type { RpcLog } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** Of two endpoints the first leaves logs out, and the other makes of them, and adds, what it likes. */
const s = suite('logs of a block that another endpoint tells of')
const oneAndOne = `0x${'1'.padStart(64, '0').repeat(2)}` as const

s('are not believed: what the bloom lacks, and what it may have [nodes/bloom-liar]', async () => {
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 250 }
  let [isLying, lies] = [false, 0]
  using held = await holdMainnet(arbitrum, {
    pools: 20,
    pace,
    shares: [['uniswap_v2', 1]],
    blocksBefore: 2,
    nodes: 2,
    bend({ method }, answer, node) {
      if (method !== 'eth_getLogs' || !isLying || !('result' in answer)) return answer
      if (node === 0) return { result: [] }
      const logs = answer.result as readonly RpcLog[]
      const heard = new Set(logs.map(({ address }) => address))
      const others = mainnet.pools.filter(
        ({ address }) => !heard.has(address.toLowerCase() as never),
      )
      lies += 1
      const invented = others.map(({ address }, index) => ({
        ...logs[0],
        address,
        data: oneAndOne,
        logIndex: `0x${(1_000 + index).toString(16)}`,
      }))
      return { result: [...logs.map((log) => ({ ...log, data: oneAndOne })), ...invented] }
    },
  })
  const { mainnet, reader, deps, chainClient } = held
  Object.assign(deps, { witnesses: chainClient.witnesses })
  Object.assign(pace, { swaps: [2, 2], crowdedSwaps: 2 })
  isLying = true
  for (let block = 0; block < 5; block += 1) {
    mainnet.mine()
    await reader.confirm()
    const state = reader.current()
    assert.is(state?.head.hash, mainnet.head().hash)
    const records = [...(state?.pools.values() ?? [])]
    assert.is(records.length, 20)
    const at = { records, blockNumber: BigInt(mainnet.head().number) }
    const fresh = await readMainnet({ chain: arbitrum, mainnet, dexes: deps.dexes }, at)
    const wrong = records.flatMap((record) => {
      const real = fresh.get(record.id)
      return real ? (compareRecords(record, real) ?? []) : [record.id]
    })
    assert.equal(wrong, [])
  }
  assert.ok(lies > 0)
  // Two swaps a block: what was invented beside them is no log of it.
  for (const event of held.events) assert.ok(event.event !== 'logs_missed' || event.late <= 2)
})
s.run()
