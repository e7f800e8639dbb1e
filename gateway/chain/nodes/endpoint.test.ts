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
const noBackend = { code: -32011, message: 'no backend is currently healthy to serve traffic' }
const logsOf = (blocks: number) => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}` }],
})
for (const [what, sent, isUp, kind, logBlocks] of [
  ['a wide range, and tells its head', [logsOf(30_000)], true, -32602, 15_000],
  ['a wide range, and does not tell its head', [logsOf(30_000)], false, -32011, undefined],
  ['a short range', [logsOf(2_000)], true, -32011, undefined],
  ['a wide range beside another call', [logsOf(30_000), call], true, -32011, undefined],
] as const)
  s(`hears "no backend" of a node that says it to ${what} [nodes/no-backend]`, async () => {
    const endpoint = createEndpoint({
      url: 'http://127.0.0.1:1',
      timeoutMs: 1,
      maxResponseBytes: 1,
      alterSend: () => async (calls) => ({
        trouble: { kind: 'bad_answer' },
        answers: calls.map(({ method }) =>
          method === 'eth_getLogs' || !isUp ? { error: noBackend } : { result: '0x10' },
        ),
      }),
    })
    try {
      const [answer] = (await endpoint.send(sent)).answers
      assert.is(answer && 'error' in answer && answer.error.code, kind)
      assert.is(endpoint.limits.read().logBlocks, logBlocks)
    } finally {
      endpoint.close()
    }
  })
s.run()
