import { mock } from 'node:test'
import { assert, suite } from '../../../fixtures/test.ts'
import { createHedge } from './hedge.ts'
import type { Reply, RpcCall } from './readReply.ts'

const s = suite('a request that is sent once more')
const read: RpcCall = { method: 'eth_getBlockByNumber', params: ['0x1', false] }
const good = (result: string): Reply => ({
  answers: [{ result }],
  trouble: { kind: 'bad_answer' },
})
const lost: Reply = { answers: [undefined], trouble: { kind: 'timeout' } }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A node that answers when it is told to. */
function open() {
  let nowMs = 0
  const under: ((reply: Reply) => void)[] = []
  const ask = createHedge(
    { send: () => new Promise((resolve) => under.push(resolve)) },
    () => nowMs,
  )
  mock.timers.enable({ apis: ['setTimeout'] })
  return {
    ask,
    under,
    async pass(ms: number) {
      await turn()
      nowMs += ms
      mock.timers.tick(ms)
      await turn()
    },
    [Symbol.dispose]: () => mock.timers.reset(),
  }
}

s('is answered by whoever is first, where it is late [nodes/hedge]', async () => {
  using node = open()
  const asked = node.ask([read])
  await node.pass(999)
  assert.is(node.under.length, 1)
  await node.pass(1)
  assert.is(node.under.length, 2)
  node.under[1]?.(good('second'))
  assert.equal(await asked, good('second'))
  node.under[0]?.(good('first'))
})

s('has failed where both have [nodes/hedge]', async () => {
  using node = open()
  const [first, second] = [node.ask([read]), node.ask([read])]
  await node.pass(1_000)
  assert.is(node.under.length, 4)
  node.under[2]?.(lost)
  node.under[0]?.(good('slow'))
  assert.equal(await first, good('slow'))
  for (const place of [1, 3]) node.under[place]?.(lost)
  assert.equal(await second, lost)
})

s(
  'waits for the first where the second is refused, or knows of nothing [nodes/hedge-refused]',
  async () => {
    const refused: Reply['answers'] = [{ error: { code: -32005, message: 'too many requests' } }]
    for (const answers of [refused, [{ result: null }], [{ result: '0x1' }, ...refused]]) {
      using node = open()
      const asked = node.ask(answers.map(() => read))
      await node.pass(1_000)
      node.under[1]?.({ ...lost, answers })
      await turn()
      node.under[0]?.(good('slow'))
      assert.equal(await asked, good('slow'))
    }
    using node = open()
    const asked = node.ask([read])
    await node.pass(1_000)
    node.under[1]?.({ ...lost, answers: refused })
    node.under[0]?.(lost)
    assert.equal((await asked).answers, refused, 'which is better than nothing')
  },
)

s('is one that reads, and one of a few [nodes/hedge-few]', async () => {
  using node = open()
  for (const method of ['eth_sendRawTransaction', 'eth_simulateV1'])
    void node.ask([{ method, params: [] }, read])
  await node.pass(5_000)
  assert.is(node.under.length, 2)
  for (let count = 0; count < 6; count += 1) void node.ask([read])
  await node.pass(1_000)
  assert.is(node.under.length, 2 + 6 + 4)
})

s('waits longer where answers are slow as a rule [nodes/hedge-slow]', async () => {
  using node = open()
  for (let count = 0; count < 40; count += 1) {
    const asked = node.ask([read])
    await node.pass(900)
    node.under.at(-1)?.(good('0x1'))
    await asked
  }
  void node.ask([read])
  await node.pass(2_500)
  assert.is(node.under.length, 41)
  await node.pass(200)
  assert.is(node.under.length, 42)
})
s.run()
