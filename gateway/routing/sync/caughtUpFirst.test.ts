import type { Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { waitBefore } from '../reads/waitBefore.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { createAudit } from './audit.ts'
import type { SyncDeps } from './chainView.ts'

const s = suite('blocks that came while a node was away')

for (const [blocks, isFirst] of [
  [300, true],
  [100, false],
] as const)
  s(
    `${blocks} of them come ${isFirst ? 'before' : 'beside'} what was begun before [nodes/gap-first]`,
    async () => {
      let behind = Promise.withResolvers<void>()
      using held = await holdMainnet(arbitrum, {
        pools: 20,
        told: (calls) => calls.some(({ method }) => method === 'eth_getLogs') && behind.resolve(),
      })
      const { chainClient, deps, mainnet, reader } = held
      const isThere = () => reader.current()?.head.hash === mainnet.head().hash
      const asked: boolean[] = []
      let [confirming, nowMs]: [Promise<void> | undefined, number] = [undefined, 0]
      const now = () => {
        nowMs += 60_000
        return nowMs
      }
      const auditor: SyncDeps['auditor'] = {
        client: waitBefore(chainClient.client, async () => void asked.push(isThere())),
        async hasRoom() {
          mainnet.leap(blocks - 1)
          behind = Promise.withResolvers()
          confirming = reader.confirm()
          await behind.promise
          return true
        },
      }
      Object.assign(deps, { auditor, audit: createAudit({ sortByDepth: (all) => all, now }) })
      await reader.audit()
      await confirming
      assert.is(asked[0], isFirst)
      assert.ok(isThere())
    },
  )

for (const [isSmall, headers] of [
  [false, 100],
  [true, 32],
] as const)
  s(
    `${headers} of a hundred are read one by one behind a ${isSmall ? 'small' : 'large'} node [nodes/gap-small]`,
    async () => {
      const numbers = new Set<unknown>()
      using held = await holdMainnet(arbitrum, {
        pools: 20,
        bend(call, answer) {
          const [number] = call.method === 'eth_getBlockByNumber' ? (call.params as Hex[]) : []
          if (number?.startsWith('0x')) numbers.add(number)
          return answer
        },
      })
      Object.assign(held.deps, { isSmall: () => isSmall })
      numbers.clear()
      held.mainnet.mine(100)
      await held.reader.confirm()
      assert.is(held.reader.current()?.head.hash, held.mainnet.head().hash)
      assert.ok(
        numbers.size >= headers - 1 && numbers.size < headers + 4,
        `${numbers.size} headers`,
      )
    },
  )
s.run()
