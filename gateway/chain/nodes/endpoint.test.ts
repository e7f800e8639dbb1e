import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createEndpoint } from './endpoint.ts'
import type { Reply } from './readReply.ts'
import type { Upstream } from './upstream.ts'

const s = suite('an endpoint')
const call = { method: 'eth_blockNumber', params: [] }
const lost: Reply = { answers: [undefined], trouble: { kind: 'timeout' } }

/** An endpoint whose node is `send`. */
function open(send: Upstream['send']) {
  const endpoint = createEndpoint({
    url: 'http://127.0.0.1:1',
    timeoutMs: 1,
    maxResponseBytes: 1,
    random: () => 1,
    alterSend: () => send,
  })
  return { ...endpoint, [Symbol.dispose]: endpoint.close }
}

s(
  'rests no longer for many calls that fail together than for one [nodes/one-failure]',
  async () => {
    const under: ((reply: Reply) => void)[] = []
    using endpoint = open(() => new Promise((resolve) => under.push(resolve)))
    async function fail(calls: number): Promise<number> {
      const sent = Array.from({ length: calls }, () => endpoint.send([call]))
      for (const answer of under.splice(0)) answer(lost)
      await Promise.all(sent)
      return endpoint.waitMs()
    }
    const alone = await fail(1)
    assert.ok(alone > 0)
    const together = await fail(20)
    assert.ok(together > alone && together <= 2 * 100, `${together} ms`)
    // One after the other each counts.
    for (let left = 6; left > 0; left -= 1) await fail(1)
    assert.ok(endpoint.waitMs() > 5_000, `${endpoint.waitMs()} ms`)
  },
)
const wrongForm = { code: -32602, message: 'invalid argument 1: cannot unmarshal object' }
const revert = { code: 3, message: 'execution reverted' }
const pinned = {
  method: 'eth_call',
  params: [{ data: '0x' }, '0x1'],
  blockHash: numberToHex(1, { size: 32 }),
}

s(
  'asks one that takes no hash of a block by its number, and remembers it [nodes/block-hash-learned]',
  async () => {
    const sent: string[] = []
    using endpoint = open(async (calls) => {
      sent.push(calls.map(({ blockHash }) => (blockHash ? 'hash' : 'number')).join())
      const answers = calls.map(({ blockHash }) =>
        blockHash ? { error: wrongForm } : { result: '0x' },
      )
      return { answers, trouble: { kind: 'failed' } }
    })
    for (let count = 0; count < 3; count += 1)
      assert.equal((await endpoint.send([call, pinned])).answers, [
        { result: '0x' },
        { result: '0x' },
      ])
    assert.equal(sent, ['number,hash', 'number', 'number,hash', 'number', 'number,number'])
    assert.is(endpoint.limits.read().namesByNumber, 1)
  },
)

for (const [what, byHash, byNumber, requests] of [
  ['fails twice', wrongForm, wrongForm, 2],
  ['failed once in words of nobody', { code: -32000, message: 'oops' }, undefined, 2],
  ['says what the contract said', revert, undefined, 1],
] as const)
  s(`goes on naming hashes to one that ${what} [nodes/block-hash-learned]`, async () => {
    let [sent, isWell] = [0, false]
    using endpoint = open(async ([one]) => {
      sent += 1
      const error = one?.blockHash ? byHash : byNumber
      const answer = isWell || !error ? { result: '0x' } : { error }
      return { answers: [answer], trouble: { kind: 'failed' } }
    })
    for (let round = 0; round < 3; round += 1) {
      isWell = false
      sent = 0
      await endpoint.send([pinned])
      assert.is(sent, requests)
      isWell = true
      await endpoint.send([pinned])
    }
    assert.is(endpoint.limits.read().namesByNumber, undefined)
  })

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
    using endpoint = open(async (calls) => ({
      trouble: { kind: 'bad_answer' },
      answers: calls.map(({ method }) =>
        method === 'eth_getLogs' || !isUp ? { error: noBackend } : { result: '0x10' },
      ),
    }))
    const [answer] = (await endpoint.send(sent)).answers
    assert.is(answer && 'error' in answer && answer.error.code, kind)
    assert.is(endpoint.limits.read().logBlocks, logBlocks)
  })
s.run()
