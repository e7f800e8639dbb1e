import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../chains.ts'
import { createChainClient } from '../client.ts'
import { findRefusal } from './findRefusal.ts'
import type { Reply, RpcAnswer, RpcCall } from './readReply.ts'

const s = suite('of two endpoints that refuse, or say that they do')
const logs = (blocks: number): RpcCall => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: '0x1', toBlock: numberToHex(blocks) }],
})
const read = { method: 'eth_call', params: [{ gas: '0xf4240' }, 'latest'] }
const no = (code: number, message: string): RpcAnswer => ({ error: { code, message } })
const wide = (most: number) => no(-32602, `eth_getLogs is limited to ${most} block range`)

function connect(...nodes: ((call: RpcCall) => RpcAnswer | Reply['trouble'])[]) {
  const spent: string[] = []
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  let opened = 0
  const { client, askEach, close } = createChainClient({
    chain,
    rpcUrls: nodes.map((_, n) => `http://127.0.0.1:${n + 1}`),
    budget: {
      async spend(purpose) {
        spent.push(purpose)
        return true
      },
      roomFor: () => 1,
    },
    alterSend() {
      const answer = nodes[opened++]
      return async (calls) => {
        const said = calls.map((call) => answer?.(call) ?? { kind: 'failed' as const })
        const trouble = said.find((one) => 'kind' in one) ?? { kind: 'bad_answer' }
        return { answers: said.map((one) => ('kind' in one ? undefined : one)), trouble }
      }
    },
  })
  return {
    ask: (call: RpcCall) => client.request(call as never) as Promise<unknown>,
    askEach,
    spent,
    [Symbol.dispose]: close,
  }
}

for (const [what, call, said] of [
  ['a block too many', logs(1), wide(1)],
  ['too many logs', logs(1), no(-32005, 'query returned more than 10000 results')],
  ['a wrong request', read, no(-32600, 'Invalid Request')],
  ['a call that takes too long', read, no(-32000, 'execution aborted (timeout = 5s)')],
  ['too much gas', read, no(-32000, 'gas limit is too high')],
  ['an answer that is too long', read, no(-32008, 'Response is too big')],
  ['a body that is too long, and no more', read, { kind: 'body_too_large' }],
  ['too much time, and no more', read, { kind: 'call_timeout' }],
] as const)
  s(`one is enough where the first says ${what} [nodes/one-honest]`, async () => {
    const honest = { result: call === read ? '0x' : [] }
    using both = connect(
      () => said,
      () => honest,
    )
    for (let time = 0; time < 3; time += 1) assert.equal(await both.ask(call), honest.result)
  })

for (const [what, said, isHeard] of [
  ['it has no such method', no(-32601, 'the method does not exist'), true],
  ['it takes no overrides', no(-32602, 'too many arguments, want at most 2'), true],
  ['it does not know the block', no(-32000, 'header not found'), true],
  ['it is busy', no(-32005, 'limit exceeded'), false],
  ['it is away', { kind: 'network' }, false],
] as const)
  s(`who asks only the first hears no other: ${what} [relay/node-first]`, async () => {
    const run = { method: 'eth_simulateV1', params: [{}, '0x1'] }
    const asked: string[] = []
    using both = connect(
      () => {
        asked.push('first')
        return said
      },
      () => {
        asked.push('other')
        return { result: [] }
      },
    )
    const answers = await both.askEach([run], 'simulation', 'first')
    assert.equal([answers, asked], [[isHeard ? said : undefined], ['first']])
  })

s(
  'what the first cannot be sent soon is told as that, and not spent [relay/node-queued]',
  async () => {
    const asked: string[] = []
    using busy = connect(({ method }) => {
      asked.push(method)
      return { kind: 'rate_limited', retryAfterMs: 60_000 }
    })
    const head = { method: 'eth_blockNumber', params: [] }
    const run = { method: 'eth_simulateV1', params: [{}, '0x1'] }
    void busy.askEach([head], 'sync')
    while (asked.length === 0) await new Promise(setImmediate)
    await new Promise(setImmediate)
    const fromMs = performance.now()
    assert.is(await busy.askEach([run], 'simulation', 'first'), 'over_budget')
    assert.ok(performance.now() - fromMs < 1_000)
    assert.equal([asked, busy.spent], [['eth_blockNumber'], ['sync']])
  },
)

s('the wider range counts, whoever is asked last [nodes/widest-range]', async () => {
  const upTo = (most: number) => (call: RpcCall) => {
    const [{ toBlock }] = call.params as readonly [{ toBlock: string }]
    return Number(toBlock) > most ? wide(most) : { result: [] }
  }
  using both = connect(upTo(1_000), upTo(10))
  const error = await both.ask(logs(20_000)).catch((reason: unknown) => reason)
  assert.is(findRefusal(error)?.limit, 1_000)
  assert.equal(await both.ask(logs(1_000)), [])
})
s.run()
