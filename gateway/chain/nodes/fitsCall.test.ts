import { type Hex, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../chains.ts'
import { createChainClient } from '../client.ts'
import type { Upstream } from './upstream.ts'

/** Of two nodes the first one answers what its call cannot have; the second one is honest. */
const s = suite('an answer that does not fit its call')
const hashOf = (number: number): Hex => numberToHex(number, { size: 32 })
const address = numberToHex(1, { size: 20 })
const log = (block: number, index = 0, more: object = {}) => ({
  address,
  topics: [hashOf(7)],
  data: '0x',
  blockNumber: numberToHex(block),
  blockHash: hashOf(block),
  logIndex: numberToHex(index),
  ...more,
})
const block = (number: number, more: object = {}) => ({
  number: numberToHex(number),
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  timestamp: '0x1',
  ...more,
})
const range = { fromBlock: '0x5', toBlock: '0x9', address: [address.toUpperCase()] }
const oneBlock = { blockHash: hashOf(5) }

/** What the nodes are asked for, what is true of it, and what no node can say. */
const questions: readonly (readonly [string, readonly unknown[], unknown, readonly unknown[]])[] = [
  ['eth_blockNumber', [], '0x5', ['0x', 5, 'five', true, [], {}]],
  ['eth_call', [{ to: address }, 'latest'], '0x', [7, {}, [], 'none', '0xno', '']],
  ['eth_getBalance', [address, 'latest'], '0x0', ['0x', {}, '12']],
  [
    'eth_getBlockByNumber',
    ['0x5', false],
    block(5),
    [block(6), {}, [], '0x5', block(5, { timestamp: 'now' }), block(5, { hash: null })],
  ],
  ['eth_getBlockByNumber', ['latest', false], block(5), [{}, block(5, { number: null })]],
  ['eth_getBlockByHash', [hashOf(5), false], block(5), [block(6), {}, 'x']],
  [
    'eth_getLogs',
    [range],
    [log(5), log(9, 1), log(5, 1)],
    [
      {},
      'none',
      [log(4)],
      [log(10)],
      [log(5), log(6), log(5)],
      [log(5), log(6), log(5, 1, { blockHash: hashOf(6) })],
      [log(5, 0, { address: numberToHex(2, { size: 20 }) })],
      [log(5, 0, { logIndex: null })],
      [log(5, 0, { topics: null })],
      [log(5, 0, { data: 'x' })],
      [null],
    ],
  ],
  [
    'eth_getLogs',
    [{ topics: [null, [hashOf(0xa).toUpperCase(), hashOf(0xb)], [], [null]], ...range }],
    [
      log(5, 0, { topics: [hashOf(7), hashOf(0xa)] }),
      log(6, 0, { topics: [hashOf(7), hashOf(0xb)] }),
    ],
    [[log(5)], [log(5, 0, { topics: [hashOf(0xa), hashOf(7)] })], [log(5, 0, { topics: [] })]],
  ],
  [
    'eth_getTransactionReceipt',
    [hashOf(5)],
    { transactionHash: hashOf(5) },
    [{ transactionHash: hashOf(6) }, {}, [], hashOf(5)],
  ],
  [
    'eth_getTransactionByHash',
    [hashOf(5)],
    { hash: hashOf(5) },
    [{ hash: hashOf(6) }, {}, [], hashOf(5)],
  ],
  ['eth_getLogs', [oneBlock], [log(5)], [[log(6)], [log(5, 0, { blockHash: hashOf(6) })]]],
]

function connect(result: () => unknown, nodes: number) {
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  const asked: number[] = []
  let opened = 0
  const alterSend = (): Upstream['send'] => {
    const own = opened++
    return async (calls) => {
      asked.push(own)
      return {
        answers: calls.map(() => ({ result: own === 0 ? result() : honest.result })),
        trouble: { kind: 'bad_answer' },
      }
    }
  }
  const honest = { result: undefined as unknown }
  const rpcUrls = Array.from({ length: nodes }, (_, n) => `http://127.0.0.1:${n + 1}`)
  const client = createChainClient({ chain, rpcUrls, alterSend })
  return { ...client, asked, honest, [Symbol.dispose]: client.close }
}

for (const [method, params, good, bad] of questions)
  s(
    `${method} ${JSON.stringify(params).slice(0, 40)} is asked of another [nodes/unfit]`,
    async () => {
      for (const result of [good, ...bad]) {
        using node = connect(() => result, 2)
        node.honest.result = good
        const answer = await node.client.request({ method, params } as never)
        assert.equal(answer, good)
        assert.equal(node.asked, result === good ? [0] : [0, 1], JSON.stringify(result))
      }
    },
  )

s('of an only node is none at all, and the next one counts [nodes/unfit]', async () => {
  let result: unknown = [log(5), log(5)]
  using node = connect(() => result, 1)
  const ask = () => node.client.request({ method: 'eth_getLogs', params: [range] } as never)
  const failed = await ask().catch((error: unknown) => error)
  assert.instance(failed, Error)
  assert.is(node.asked.length, 4)
  result = [log(5)]
  assert.equal(await ask(), result)
})
s.run()
