import type { Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import type { RpcCall } from '../../chain/nodes/readReply.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** The first of two nodes answers questions for logs with some more. */
const s = suite('logs that were not asked for')
type Log = { readonly blockNumber: Hex; readonly logIndex: Hex }

const isRange = ({ params }: RpcCall) => 'fromBlock' in (params as readonly [object])[0]
for (const [what, blocks, more] of [
  ['twice each, of a block', 6, (logs: readonly Log[]) => [...logs, ...logs]],
  ['twice each, of a range', 160, (logs: readonly Log[]) => [...logs, ...logs]],
  ['of another block', 6, (logs: readonly Log[], before: readonly Log[]) => [...logs, ...before]],
  [
    'of a range before',
    160,
    (logs: readonly Log[], before: readonly Log[]) => [...logs, ...before],
  ],
] as const)
  s(`${what} are in no pool [nodes/unfit-logs]`, async () => {
    let before: readonly Log[] = []
    let bent = 0
    using held = await holdMainnet(base, {
      pools: 40,
      nodes: 2,
      bend(call, answer, node) {
        if (call.method !== 'eth_getLogs' || node > 0 || !('result' in answer)) return answer
        const logs = answer.result as readonly Log[]
        const result = isRange(call) === blocks > 128 ? more(logs, before) : logs
        bent += result.length > logs.length ? 1 : 0
        before = logs
        return { result }
      },
    })
    const { mainnet, reader } = held
    for (let left = blocks; left > 0; left -= 1) {
      mainnet.mine()
      if (blocks < 128) await reader.confirm()
    }
    await reader.confirm()
    const state = reader.current()
    assert.is(state?.head.hash, mainnet.head().hash)
    assert.ok(bent > 0)
    const at = {
      records: [...(state?.pools.values() ?? [])],
      blockNumber: state?.head.number ?? 0n,
    }
    const real = await readMainnet({ chain: base, mainnet, dexes: getDexes(8453) }, at)
    assert.equal(
      [...real].flatMap(
        ([id, record]) => compareRecords(state?.pools.get(id) ?? record, record) ?? [],
      ),
      [],
    )
  })
s.run()
