import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../chains.ts'
import { createChainClient } from '../client.ts'
import { classifyRefusal } from './classifyRefusal.ts'
import { createEndpoint } from './endpoint.ts'
import { createLimits } from './limits.ts'
import type { Reply, RpcCall, Trouble } from './readReply.ts'

const s = suite('refusals that are not true')
const head: RpcCall = { method: 'eth_blockNumber', params: [] }
const load = { calls: 64, bytes: 1_240_000, gas: 26_000_000 }
const longMs = 60_000
const manyCalls = 40
/** Of a question whose answer never gets shorter by waiting for it. */
const manyRequests = 40

/** A client of a node that says no to every batch of more than so many calls, for a while. */
function open(refuse: (calls: readonly RpcCall[]) => Reply | undefined) {
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  const counted = { requests: 0 }
  const client = createChainClient({
    chain,
    rpcUrls: ['http://127.0.0.1:1'],
    alterSend: () => async (calls) => {
      counted.requests += 1
      const refused = counted.requests > 200 ? undefined : refuse(calls)
      const answers = calls.map(() => ({ result: '0x1' }))
      return refused ?? { answers, trouble: { kind: 'bad_answer' } }
    },
  })
  return { ...client, counted, [Symbol.dispose]: client.close }
}

const whole = (kind: Trouble['kind']) => (calls: readonly RpcCall[]) => ({
  answers: calls.map(() => undefined),
  trouble: { kind },
})
const each = (code: number, message: string) => (calls: readonly RpcCall[]) => ({
  answers: calls.map(() => ({ error: { code, message } })),
  trouble: { kind: 'bad_answer' } as const,
})
for (const [what, refuse] of [
  ['whose answers are too long', each(-32008, 'Response is too big')],
  ['whose answer is too long', whole('answer_too_large')],
  ['whose body is too long', whole('body_too_large')],
] as const)
  s(`a batch ${what} is cut down to single calls [nodes/endless-refusal]`, async () => {
    using node = open((calls) => (calls.length > 1 ? refuse(calls) : undefined))
    const asked = Array.from({ length: manyCalls }, () => node.client.request(head as never))
    assert.equal(
      await Promise.all(asked),
      asked.map(() => '0x1'),
    )
    const { requests } = node.counted
    assert.ok(requests <= manyCalls + manyRequests, `${requests} requests`)
  })

const ofThree = [31, 'Batch of more than 3 requests are not allowed on free tier'] as const
for (const [how, refuse] of [
  ['each of its calls', each(...ofThree)],
  [
    'all of them',
    (calls: readonly RpcCall[]): Reply => ({
      answers: calls.map(() => undefined),
      trouble: { kind: 'batch_too_large', limit: 3 },
    }),
  ],
] as const)
  s(
    `a batch that is named as large enough, to ${how}, is many calls [nodes/batch-rate]`,
    async () => {
      const sizes: number[] = []
      using node = open((calls) => {
        sizes.push(calls.length)
        return calls.length > 3 || sizes.length % 3 > 0 ? refuse(calls) : undefined
      })
      const asked = Array.from({ length: 12 }, () => node.client.request(head as never))
      assert.equal(
        await Promise.all(asked),
        asked.map(() => '0x1'),
      )
      assert.equal(
        node.limits().map(({ batchCalls }) => batchCalls),
        [3],
      )
    },
  )

for (const retryAfterMs of [0, 1])
  s(
    `a pause of ${retryAfterMs} ms is none: whoever names it is left alone longer and longer [nodes/no-pause]`,
    async () => {
      const clock = { ms: 0 }
      const endpoint = createEndpoint({
        url: 'http://127.0.0.1:1',
        timeoutMs: 1,
        maxResponseBytes: 1,
        random: () => 1,
        now: () => clock.ms,
        alterSend: () => async () => ({
          answers: [undefined],
          trouble: { kind: 'rate_limited', retryAfterMs },
        }),
      })
      const waits: number[] = []
      for (let time = 0; time < 10; time += 1) {
        await endpoint.send([head])
        waits.push(endpoint.waitMs())
        clock.ms += endpoint.waitMs() + 1
      }
      endpoint.close()
      assert.is(waits[0], 100)
      assert.is(waits.at(-1), 10_000)
    },
  )

s('hours that words name are a minute, as those of a header are [nodes/long-pause]', () => {
  const message = 'rate limit exceeded, try again in 9999 s'
  assert.equal(classifyRefusal({ message }), { kind: 'rate_limited', retryAfterMs: longMs })
})

s('a door that is shut for minutes tells of no rate either [nodes/shut-door]', () => {
  const clock = { ms: 0 }
  const limits = createLimits({ now: () => clock.ms })
  limits.took(10)
  const shut = (times: number) => {
    for (let time = 0; time < times; time += 1) {
      clock.ms += longMs
      limits.refused({ kind: 'rate_limited', retryAfterMs: longMs }, { ...load, calls: 1 })
    }
  }
  shut(1)
  assert.is(limits.read().callsPerSecond, 10)
  shut(20)
  assert.is(limits.read().callsPerSecond, 10)
  // It was open in between.
  limits.took(10)
  shut(1)
  assert.is(limits.read().callsPerSecond, 5)
})
s.run()
