import { mock } from 'node:test'
import { createClient, custom } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { readToldBlock } from './readHead.ts'

const s = suite('routing/reads/readHead')
let nowMs = 0
s.before(() => void mock.method(performance, 'now', () => nowMs))
s.after(() => mock.restoreAll())

for (const [answersAfterMs, most] of [
  [1_000, 4],
  [15_000, 1],
] as const)
  s(
    `asks ${most} times for what nobody has after ${answersAfterMs} ms [attack/far-head-wait]`,
    async () => {
      let times = 0
      const request = async () => {
        times += 1
        nowMs += answersAfterMs
        return null
      }
      const transport = custom({ request }, { retryCount: 0 })
      const client = createClient({ chain: toViemChain(base), transport })
      assert.is(await readToldBlock({ client }, 10n ** 9n), undefined)
      assert.is(times, most)
    },
  )
s.run()
