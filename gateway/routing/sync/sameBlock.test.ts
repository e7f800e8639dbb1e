import type { RpcLog } from 'viem'
import { quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { readBlock } from '../reads/readHead.ts'
import { waitBefore } from '../reads/waitBefore.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { listWrong } from '../testing/mainnet/listWrong.ts'
import { createChainReader } from './chainReader.ts'

const s = suite('what is read anew for a block')

s(
  'is of that very block, though others are told of another in its place meanwhile [nodes/step-orphaned]',
  async () => {
    let hasHeard = false
    using held = await holdMainnet(arbitrum, {
      ...twoNodes,
      nodes: 1,
      pace: { ...quiet, blockMs: 250, swaps: [8, 8], crowdedSwaps: 8 },
      bend({ method }, answer) {
        if (method !== 'eth_getLogs' || hasHeard || !('result' in answer)) return answer
        hasHeard = true
        // Only another read tells what these say.
        return {
          result: (answer.result as readonly RpcLog[]).map((log) => ({ ...log, data: '0x' })),
        }
      },
    })
    const { mainnet, deps } = held
    let replacing: Promise<unknown> | undefined
    const client = waitBefore(deps.client, async () => {
      // As a question does that is answered at the newest block.
      if (hasHeard) replacing ??= mainnet.reorg(1).then(() => readBlock(deps))
      await replacing
    })
    const state = held.reader.current()
    if (!state) throw new Error('it holds its pools')
    const own = { ...deps, client }
    const reader = createChainReader(own, { partnersOf: () => [], stirred: () => undefined })
    const kept = { head: state.head, records: [...state.pools.values()], tokens: [] }
    assert.ok(await reader.restore(kept, { isInherited: false }))
    mainnet.mine()
    await reader.confirm()
    assert.ok(replacing !== undefined)
    assert.is(reader.current()?.head.hash, state.head.hash, 'no block has all of it')
    await reader.confirm()
    assert.equal(await listWrong({ mainnet, deps, reader }), [])
  },
)
s.run()
