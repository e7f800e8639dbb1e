import { numberToHex } from 'viem'
import { getBlock } from 'viem/actions'
import { createHandClock } from '../../../fixtures/nodes/nodeClock.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { createTinyChain } from '../../../fixtures/nodes/testing/createTinyChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../chains.ts'
import { createChainClient, isCausedBy, WrongChain } from '../client.ts'
import { createEndpoint } from './endpoint.ts'
import type { RpcAnswer, RpcCall } from './readReply.ts'

const s = suite('which chain an endpoint serves')
const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] }
const code = { method: 'eth_getCode', params: [] }
const block = (number: number, { fork = 0 } = {}): RpcAnswer => {
  const hashOf = (n: number) => numberToHex(n * 10 + fork, { size: 32 })
  return {
    result: {
      number: numberToHex(number),
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: '0x1',
    },
  }
}

type Node = {
  chainId: number
  ms: number
  head: RpcAnswer
  code: RpcAnswer | undefined
  said?: unknown
}

/** An endpoint of Base whose node, and clock, is `node`. */
function open() {
  const node: Node = { chainId: 8453, ms: 0, head: block(100), code: { result: '0x' } }
  const asked: string[] = []
  const answer = ({ method }: RpcCall) => {
    if (method === 'eth_chainId')
      return { result: node.said === undefined ? numberToHex(node.chainId) : node.said }
    return method === 'eth_getCode' ? node.code : node.head
  }
  const endpoint = createEndpoint({
    url: 'http://127.0.0.1:1',
    chainId: 8453,
    timeoutMs: 1,
    maxResponseBytes: 1,
    random: () => 1,
    now: () => node.ms,
    alterSend: () => async (calls) => {
      asked.push(...calls.map(({ method }) => method))
      return { answers: calls.map(answer), trouble: { kind: 'bad_answer' } }
    },
  })
  const timesAsked = () => asked.splice(0).filter((method) => method === 'eth_chainId').length
  return { ...endpoint, node, timesAsked, [Symbol.dispose]: endpoint.close }
}

s('is asked before anything else, and again after five minutes [nodes/chain-again]', async () => {
  using endpoint = open()
  for (const [ms, times] of [
    [0, 1],
    [200_000, 0],
    [300_001, 1],
    [300_002, 0],
  ] as const) {
    endpoint.node.ms = ms
    await endpoint.send([latest])
    assert.is(endpoint.timesAsked(), times, `after ${ms} ms`)
  }
})

s(
  'is none that is no number: nobody starts, nor ends, for that [nodes/chain-no-number]',
  async () => {
    using endpoint = open()
    for (const said of [null, '', '0x', true, [], {}, 8453, '8453']) {
      endpoint.node.said = said
      const { answers, trouble } = await endpoint.send([latest])
      assert.equal([answers, trouble.kind], [[undefined], 'bad_answer'], String(said))
      assert.is(endpoint.otherChain(), undefined)
    }
    endpoint.node.said = undefined
    assert.equal((await endpoint.send([latest])).answers, [block(100)])
  },
)

s('is asked again after each rest, but for one of too many calls [nodes/chain-again]', async () => {
  using endpoint = open()
  const { node } = endpoint
  await endpoint.send([code])
  async function restFor(answer: RpcAnswer | undefined): Promise<number> {
    node.code = answer
    await endpoint.send([code])
    assert.ok(endpoint.waitMs() > 0)
    node.ms += 1_000
    endpoint.timesAsked()
    await endpoint.send([latest])
    return endpoint.timesAsked()
  }
  assert.is(await restFor({ error: { code: -32005, message: 'rate limit exceeded' } }), 0)
  assert.is(await restFor(undefined), 1)
})

for (const [what, head] of [
  ['another block in the place of one', block(100, { fork: 1 })],
  ['a block on another one', block(101, { fork: 1 })],
  ['a head far off', block(9_000)],
] as const)
  s(`is asked where it tells of ${what}, before that counts [nodes/chain-hash]`, async () => {
    using endpoint = open()
    await endpoint.send([latest])
    endpoint.node.head = block(100)
    await endpoint.send([latest])
    assert.is(endpoint.timesAsked(), 1)
    endpoint.node.head = head
    // A reorganisation, or a while without a question.
    assert.equal((await endpoint.send([latest])).answers, [head])
    assert.is(endpoint.timesAsked(), 1)
    endpoint.node.head = block(100)
    endpoint.node.chainId = 1
    const { answers, trouble } = await endpoint.send([latest])
    assert.equal([answers, trouble.kind], [[undefined], 'other_chain'])
    assert.is(endpoint.otherChain(), 1)
    assert.ok(endpoint.waitMs() > 0)
    endpoint.node.chainId = 8453
    endpoint.node.ms += 1_000
    assert.equal((await endpoint.send([latest])).answers, [block(100)])
    assert.is(endpoint.otherChain(), undefined)
  })

s(
  'is asked where it does not know a block, every five seconds at most [nodes/chain-hash]',
  async () => {
    using endpoint = open()
    const { node } = endpoint
    await endpoint.send([latest])
    node.code = { error: { code: -32001, message: 'block not found: hash 0x12' } }
    for (const [ms, times] of [
      [1_000, 1],
      [6_000, 0],
      [6_001, 1],
      [6_002, 0],
    ] as const) {
      node.ms = ms
      await endpoint.send([code])
      assert.is(endpoint.timesAsked(), times, `after ${ms} ms`)
    }
  },
)

s(
  'one that changes its chain is put aside until it is the right one [nodes/chain-changed]',
  async () => {
    const chain = getChain(8453)
    if (!chain) throw new Error('chain 8453 is built in')
    const upstream = createTinyChain({ head: 1_000 })
    await using first = await startNode({ profile: 'own-reth', upstream, faults: [], speed: 1_000 })
    await using second = await startNode({ profile: 'own-reth', upstream, speed: 1_000 })
    const connect = (...rpcUrls: string[]) =>
      createChainClient({ chain, rpcUrls, trust: 'shown', timeoutMs: 2_000 })
    const both = connect(first.url, second.url)
    const alone = connect(first.url)
    try {
      for (const { client } of [both, alone]) assert.is((await getBlock(client)).number, 1_000n)
      const callOff = first.inject({ kind: 'chainId', chainId: 1, methods: ['eth_chainId'] })
      // Its blocks are other ones now.
      upstream.mine()
      await upstream.reorg?.(4)
      const before = second.counters().requests
      assert.is((await getBlock(both.client)).number, 1_001n)
      assert.ok(second.counters().requests > before)
      assert.is(both.otherChain(), 1)
      const failed = await getBlock(alone.client).catch((error: unknown) => error)
      assert.ok(isCausedBy(failed, WrongChain))
      assert.ok(first.counters().faults['chainId'])
      callOff()
      assert.is((await getBlock(alone.client)).number, 1_001n)
      assert.is(alone.otherChain(), undefined)
    } finally {
      both.close()
      alone.close()
    }
  },
)

s("a client goes through the hostile one's wrong chain, once [nodes/chain-hostile]", async () => {
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  const upstream = createTinyChain({ head: 100 })
  const clock = createHandClock()
  await using node = await startNode({ profile: 'hostile', upstream, clock })
  const { client, otherChain, close } = createChainClient({
    chain,
    rpcUrls: [node.url],
    trust: 'shown',
  })
  const isMet = () => node.counters().faults['chainId'] !== undefined
  try {
    for (let block = 0; block < 40 && !isMet(); block += 1) {
      upstream.mine()
      await upstream.reorg?.(3)
      clock.advance(2_000)
      const number = Number((await getBlock(client)).number)
      assert.ok(number > upstream.head() - 30 && number <= upstream.head(), `${number}`)
    }
    assert.is(node.counters().faults['chainId'], 1)
    await getBlock(client)
    assert.is(otherChain(), undefined)
  } finally {
    close()
  }
})
s.run()
