import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import type { RpcOutcome } from './rpc/rpcBatch.ts'
import { refused, told } from './testing/answers.ts'
import { calls, chainId, faultOf, freeTimers, holdTimers, openBefore } from './testing/upstreams.ts'
import { createUpstream, type SpendUpstream, toTag } from './upstream.ts'

/** Before nodes that answer over HTTP, and before a client that does by itself. */
const s = suite('simulator/upstream')
const closings: (() => void | Promise<void>)[] = []
s.after.each(async () => {
  freeTimers()
  for (const close of closings.splice(0)) await close()
})

/** A node that says whose chain it is and its name to all else, with the status that is set. */
async function startNode(name: string, statesChain: unknown = '0x2105') {
  const asked: string[] = []
  const statuses: number[] = []
  const server = createServer(async (request, response) => {
    const batch = JSON.parse(await text(request)) as { id: number; method: string }[]
    asked.push(batch.map(({ method }) => method).join(' '))
    response.statusCode = statuses.shift() ?? 200
    const answers = batch.map(({ id, method }) =>
      method === 'eth_chainId' ? { id, result: statesChain } : { id, result: name },
    )
    response.end(JSON.stringify(answers))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closings.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    /** Of the next answers. */
    fail: (...next: readonly number[]) => void statuses.push(...next),
  }
}
function open(urls: readonly string[], spend?: SpendUpstream) {
  const upstream = createUpstream({ chainId, urls, spend })
  closings.push(upstream.close)
  return upstream
}

s(
  'asks the first as long as it answers, then the next, and stays there [teeth/upstream]',
  async () => {
    const [first, second] = [await startNode('first'), await startNode('second')]
    const upstream = open([first.url, second.url])
    assert.equal(await upstream.send(calls), [told('first')])
    first.fail(500)
    assert.equal(await upstream.send(calls), [told('second')])
    assert.equal(await upstream.send(calls), [told('second')])
    const [read] = calls.map(({ method }) => method)
    assert.equal(first.asked, [read, read])
    // Whose chain it is is asked once, before anything else.
    assert.equal(second.asked, ['eth_chainId', read, read])
    second.fail(500)
    assert.equal(await upstream.send(calls), [told('first')])
    first.fail(500)
    assert.equal(await upstream.send(calls), [told('second')])
    assert.equal(
      [first.asked, second.asked].map((all) => all.filter((what) => what === 'eth_chainId').length),
      [1, 1],
    )
  },
)
s('asks no other node for the one that is asked first [relay/node-first-url]', async () => {
  const [first, second] = [await startNode('first'), await startNode('second')]
  const upstream = open([first.url, second.url])
  first.fail(500)
  assert.is(await faultOf(upstream.sendToFirst(calls)), 'http_status')
  assert.equal(second.asked, [])
  assert.equal(await upstream.send(calls), [told('first')])
  assert.equal(await upstream.sendToFirst(calls), [told('first')])
})
s(
  'asks nothing of a node of another chain, or of none that it states [teeth/upstream]',
  async () => {
    const first = await startNode('first')
    const others = [await startNode('other', '0x1'), await startNode('none', null)]
    const last = await startNode('last')
    const upstream = open([first.url, ...others.map(({ url }) => url), last.url])
    first.fail(500)
    assert.equal(await upstream.send(calls), [told('last')])
    assert.equal(
      others.map(({ asked }) => asked),
      [['eth_chainId'], ['eth_chainId']],
    )
    const alone = open([first.url, ...others.map(({ url }) => url)])
    first.fail(404)
    assert.is(await faultOf(alone.send(calls)), 'http_status')
  },
)
s('asks a busy node once more, and no other [teeth/upstream-busy]', async () => {
  const ask = async (...statuses: readonly number[]) => {
    const node = await startNode('node')
    node.fail(...statuses)
    return [await faultOf(open([node.url]).send(calls)), node.asked.length]
  }
  const rows = [429, 502, 503].map(async (status) => {
    const startedAt = performance.now()
    assert.equal(await ask(status), ['answered', 2], `${status}`)
    assert.ok(performance.now() - startedAt >= 115, 'after a pause')
    assert.equal(await ask(status, status), ['http_status', 2], `${status}`)
  })
  const others = [400, 500, 501, 504].map(async (status) => {
    assert.equal(await ask(status), ['http_status', 1], `${status}`)
  })
  await Promise.all([...rows, ...others])
})
s('is out of reach where it has nobody to ask [teeth/upstream]', async () => {
  assert.is(await faultOf(open([]).send(calls)), 'connection')
})
s(
  'spends what it asks, for what it is asked, and asks nothing without [teeth/upstream-spend]',
  async () => {
    const node = await startNode('node')
    const spent: unknown[] = []
    let isLeft = true
    const upstream = open([node.url], async (purpose, count) => {
      spent.push([purpose, count])
      return isLeft
    })
    await upstream.send([...calls, ...calls])
    await upstream.send(calls, 'warmUp')
    await upstream.sendApart(calls)
    await faultOf(upstream.readBlock({ blockNumber: 1n }))
    assert.equal(spent, [
      ['simulation', 2],
      ['warmUp', 1],
      ['simulation', 1],
      ['sync', 1],
    ])
    const before = node.asked.length
    isLeft = false
    assert.is(await faultOf(upstream.send(calls)), 'over_budget')
    assert.is(await faultOf(upstream.sendApart(calls)), 'over_budget')
    assert.equal([node.asked.length, upstream.isAnswering()], [before, true])
  },
)
s('asks nobody where there is nothing to ask [teeth/upstream-spend]', async () => {
  let asked = 0
  const { upstream } = openBefore(async () => {
    asked += 1
    return []
  })
  assert.equal([await upstream.send([]), await upstream.sendApart([]), asked], [[], [], 0])
})
s(
  'lets the chain alone for a while after two failures, not after one [teeth/upstream-rest]',
  async () => {
    let isDown = true
    let asked = 0
    const { upstream, pass } = openBefore(async (of) => {
      asked += 1
      return of.map(() => (isDown ? undefined : told('0x1')))
    })
    const ask = () => faultOf(upstream.send(calls))
    assert.ok(upstream.isAnswering())
    assert.is(await ask(), 'connection')
    assert.equal([asked, upstream.isAnswering()], [1, false])
    await ask()
    assert.is(asked, 2)
    pass(749)
    assert.equal(
      [await ask(), await faultOf(upstream.sendApart(calls)), asked],
      ['connection', 'connection', 2],
    )
    // Where the head is may be asked at any time; one more failure, and it is let alone anew.
    assert.is(await faultOf(upstream.send(calls, 'sync')), 'connection')
    pass(749)
    await ask()
    assert.is(asked, 3)
    pass(1)
    isDown = false
    assert.is(await ask(), 'answered')
    assert.ok(upstream.isAnswering())
    // What was before counts no more.
    isDown = true
    await ask()
    isDown = false
    assert.is(await ask(), 'answered')
  },
)
s('is there again as soon as it tells where its head is [teeth/upstream-rest]', async () => {
  let isDown = true
  const { upstream } = openBefore(async (of) => of.map(() => (isDown ? undefined : told('0x1'))))
  for (let n = 0; n < 2; n += 1) await faultOf(upstream.send(calls))
  isDown = false
  await upstream.readChainId()
  assert.is(await faultOf(upstream.send(calls)), 'answered')
})
s(
  'tells of blocks what the chain says, and of none that it has not [teeth/upstream-blocks]',
  async () => {
    let answer: RpcOutcome = told(null)
    const asked: unknown[] = []
    const { upstream } = openBefore(async (of, purpose) => {
      asked.push(purpose, ...of)
      return [answer]
    })
    const headOf = (given: RpcOutcome) => {
      answer = given
      return upstream.readHead().catch((error: Error) => error.message)
    }
    const block = { number: '0x11', hash: '0xab', timestamp: '0x3e8' }
    const read = { blockNumber: 17n, blockHash: '0xab', timestampSecs: 1_000n }
    assert.equal(await headOf(told(block)), read)
    assert.equal(asked, ['sync', { method: 'eth_getBlockByNumber', params: ['latest', false] }])
    for (const none of [null, 'latest', undefined])
      assert.is(await headOf(told(none)), 'the chain has no head')
    for (const field of ['number', 'hash', 'timestamp'])
      assert.is(await headOf(told({ ...block, [field]: 17 })), 'the block is garbled')
    assert.is(await headOf(refused('busy')), 'the chain does not answer')
    asked.length = 0
    answer = told(block)
    assert.equal(await upstream.readBlock({ blockNumber: 17n }), read)
    answer = told(null)
    assert.is(await upstream.readBlock({ blockNumber: 17n }), undefined)
    assert.equal(asked[1], { method: 'eth_getBlockByNumber', params: ['0x11', false] })
    assert.is(toTag(0n), '0x0')
  },
)
s('tells which chain it is of, where the node states it [teeth/upstream-blocks]', async () => {
  let answer: RpcOutcome = told('0x2105')
  const { upstream } = openBefore(async () => [answer])
  assert.is(await upstream.readChainId(), 8453)
  for (const given of [told(8453), told(null), refused('0x2105')]) {
    answer = given
    const asked = upstream.readChainId().catch((error: Error) => error.message)
    assert.is(await asked, 'the chain states no id')
  }
})
s('says of a call that nobody answered that, and of the others what they were', async () => {
  const { upstream } = openBefore(async () => [told('0x1'), undefined])
  assert.equal(await upstream.send([...calls, ...calls]), [
    told('0x1'),
    refused('the chain does not answer'),
  ])
})
s('waits no longer for a client of its own than a fork does for it', async () => {
  holdTimers()
  const { upstream } = openBefore(() => new Promise(() => undefined))
  let fault = 'none yet'
  const asked = faultOf(upstream.send(calls)).then((kind) => {
    fault = kind
  })
  const faultAfter = async (ms: number) => {
    mock.timers.tick(ms)
    for (let n = 0; n < 5; n += 1) await new Promise(setImmediate)
    return fault
  }
  assert.equal([await faultAfter(1_499), await faultAfter(1)], ['none yet', 'timeout'])
  await asked
})
s('asks nobody any more once it is closed', async () => {
  const node = await startNode('node')
  const upstream = open([node.url])
  assert.is(await faultOf(upstream.send(calls)), 'answered')
  await upstream.close()
  assert.is(await faultOf(upstream.send(calls)), 'connection')
  assert.is(node.asked.length, 1)
})
s.run()
