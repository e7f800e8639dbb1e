import { assert, suite } from '../../../fixtures/test.ts'
import { createEndpoint } from './endpoint.ts'
import type { Reply } from './readReply.ts'

const s = suite('an endpoint')
const call = { method: 'eth_blockNumber', params: [] }
const lost: Reply = { answers: [undefined], trouble: { kind: 'timeout' } }

s(
  'rests no longer for many calls that fail together than for one [nodes/one-failure]',
  async () => {
    const under: ((reply: Reply) => void)[] = []
    const endpoint = createEndpoint({
      url: 'http://127.0.0.1:1',
      timeoutMs: 1,
      maxResponseBytes: 1,
      random: () => 1,
      alterSend: () => () => new Promise((resolve) => under.push(resolve)),
    })
    async function fail(calls: number): Promise<number> {
      const sent = Array.from({ length: calls }, () => endpoint.send([call]))
      for (const answer of under.splice(0)) answer(lost)
      await Promise.all(sent)
      return endpoint.waitMs()
    }
    try {
      const alone = await fail(1)
      assert.ok(alone > 0)
      const together = await fail(20)
      assert.ok(together > alone && together <= 2 * 100, `${together} ms`)
      // One after the other each counts.
      for (let left = 6; left > 0; left -= 1) await fail(1)
      assert.ok(endpoint.waitMs() > 5_000, `${endpoint.waitMs()} ms`)
    } finally {
      endpoint.close()
    }
  },
)
s.run()
