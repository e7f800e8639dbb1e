import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import timers from 'node:timers/promises'
import { assert, suite } from '../../fixtures/test.ts'
import { addressOf, word } from '../testing/answers.ts'
import { waitUntilLeft } from '../testing/waitUntilLeft.ts'
import { recordChain } from './recordChain.ts'
import { replayChain } from './replayChain.ts'

/** Of a node that answers what a row of a test says, and of a pack that was made of it. */
const s = suite('simulator/pack/recordChain')
const closings: (() => void | Promise<void>)[] = []
s.after.each(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
  mock.restoreAll()
  syncBuiltinESMExports()
})
const account = addressOf('a')
const hash = word(0xabn)
type Answer = { readonly result?: unknown; readonly error?: object }
type Given = {
  readonly answer?: (method: string, params: readonly unknown[]) => Answer | undefined
  readonly secret?: string
  readonly chainId?: number
}
async function startNode({ answer = () => undefined, secret = 'v2', chainId = 8453 }: Given = {}) {
  const asked: (readonly string[])[] = []
  const statuses: number[] = []
  let blockHash = hash
  const server = createServer(async (request, response) => {
    const batch = JSON.parse(await text(request)) as {
      id: number
      method: string
      params: readonly unknown[]
    }[]
    asked.push(batch.map(({ method }) => method))
    response.statusCode = statuses.shift() ?? 200
    const block = { number: '0x11', hash: blockHash, timestamp: '0x3e8' }
    const usual = (method: string): Answer => {
      if (method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` }
      return { result: method === 'eth_getBlockByNumber' ? block : '0x6001' }
    }
    const answers = batch.map(({ id, method, params }) => ({
      id,
      ...(answer(method, params) ?? usual(method)),
    }))
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
    url: `http://127.0.0.1:${port}/${secret}`,
    asked,
    isLeft: () => waitUntilLeft(server),
    fail: (...next: readonly number[]) => void statuses.push(...next),
    reorganise() {
      blockHash = word(0xacn)
    },
  }
}
async function record(given?: Given) {
  const node = await startNode(given)
  const recorder = await recordChain({ chainId: 8453, upstreamUrl: node.url, isFrozen: true })
  closings.push(recorder.close)
  node.asked.length = 0
  return { node, recorder, ask: askerOf(recorder.url) }
}
const askerOf =
  (url: string) =>
  async (method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
    const answer = await fetch(url, { method: 'POST', body })
    const { result, error } = (await answer.json()) as Answer
    return error ?? result
  }
const methodsOf = async ({ recorder }: Awaited<ReturnType<typeof record>>) =>
  [...(await recorder.toPackedChain()).answers.values()].map(({ call }) => call.method)

s('asks each read once, as of the head that it stands at [teeth/recorded]', async () => {
  const { node, recorder, ask } = await record()
  assert.is(recorder.timestampSecs, 1_000n)
  assert.equal([await ask('eth_blockNumber'), await ask('eth_chainId')], ['0x11', '0x2105'])
  assert.equal(node.asked, [])
  const both = [
    ask('eth_call', { to: account }, 'latest'),
    ask('eth_call', { to: account }, '0x11'),
  ]
  assert.equal(await Promise.all(both), ['0x6001', '0x6001'])
  assert.is(await ask('eth_call', { to: account }), '0x6001')
  assert.equal(node.asked, [['eth_call']])
  const { answers, ...rest } = await recorder.toPackedChain()
  assert.equal(rest, {
    chainId: 8453,
    blockNumber: 17n,
    blockHash: hash,
    timestampSecs: 1_000n,
    isFrozen: true,
  })
  const call = { method: 'eth_call', params: [{ to: account }, '0x11'] }
  assert.equal([...answers.values()], [{ call, outcome: { ok: true, result: '0x6001' } }])
  assert.equal(recorder.progress(), { reads: 1, bytes: '"0x6001"'.length })
  await ask('eth_gasPrice')
  assert.equal(recorder.progress(), { reads: 2, bytes: 2 * '"0x6001"'.length })
})
s('asks for what the next run may ask beside it, and keeps that too [teeth/recorded]', async () => {
  const recorded = await record()
  await recorded.ask('eth_getCode', account, 'latest')
  await recorded.ask('eth_getBalance', account, 'latest')
  assert.equal(recorded.node.asked, [['eth_getCode', 'eth_getBalance', 'eth_getTransactionCount']])
  assert.is((await methodsOf(recorded)).length, 3)
})
s(
  'keeps what is an answer, and nothing that may be another one tomorrow [teeth/recorded-kept]',
  async () => {
    for (const [method, answer, isKept] of [
      ['eth_call', { error: { code: 3, message: 'execution reverted', data: '0x12' } }, true],
      ['eth_call', { error: { code: -32601, message: 'no such method' } }, true],
      ['eth_call', { error: { code: -32000, message: 'busy' } }, false],
      ['eth_call', { result: null }, true],
      ['eth_getTransactionByHash', { result: null }, false],
      ['eth_getTransactionReceipt', { result: null }, false],
      ['eth_getTransactionByHash', { result: { hash: '0x1' } }, true],
    ] as const) {
      const recorded = await record({ answer: (of) => (of === method ? answer : undefined) })
      for (let n = 0; n < 2; n += 1) await recorded.ask(method, {}, '0x11')
      const what = `${method} ${JSON.stringify(answer)}`
      assert.is((await methodsOf(recorded)).length, isKept ? 1 : 0, what)
      assert.is(
        recorded.node.asked.flat().filter((of) => of === method).length,
        isKept ? 1 : 2,
        what,
      )
    }
  },
)
s(
  'keeps no word of where it was asked, and no data that is none [teeth/recorded-secrets]',
  async () => {
    const secret = 'k3y-of-nobody'
    const told = async (message: string, data?: unknown) => {
      const { ask } = await record({
        secret,
        answer: (method) =>
          method === 'eth_call' ? { error: { code: 3, message, data } } : undefined,
      })
      return ask('eth_call', {}, '0x11')
    }
    const refusal = { code: 3, message: 'the chain refused it' }
    assert.equal(await told(`of ${secret}`), refusal)
    const named = async (part: string) => {
      const message = `of ${part}`
      const answer = (method: string) =>
        method === 'eth_call' ? { error: { code: 3, message } } : undefined
      return (await record({ secret: part, answer })).ask('eth_call', {}, '0x11')
    }
    assert.equal(await named('a-secret'), refusal)
    assert.equal(await named('letters'), { code: 3, message: 'of letters' })
    assert.equal(await told('at 127.0.0.1:80'), { code: 3, message: 'at 127.0.0.1:80' })
    assert.equal(await told('v2', '0xAb'), { code: 3, message: 'v2', data: '0xAb' })
    for (const data of ['0xabc', 'text', '0xzz'])
      assert.equal(await told('so', data), { code: 3, message: 'so' })
    const long = (await told('x'.repeat(1_001))) as { readonly message: string }
    assert.is(long.message.length, 1_000)
    let host = ''
    const { node, ask } = await record({
      answer: (method) =>
        method === 'eth_call' ? { error: { code: 3, message: `at ${host}` } } : undefined,
    })
    host = new URL(node.url).host
    assert.equal(await ask('eth_call', {}, '0x11'), refusal)
  },
)
s(
  'asks again where it was not answered, and says so in the end [teeth/recorded-trouble]',
  async () => {
    const pauses: unknown[] = []
    mock.method(timers, 'setTimeout', async (ms: number) => void pauses.push(ms))
    syncBuiltinESMExports()
    const { node, ask, recorder } = await record()
    node.fail(503)
    assert.is(await ask('eth_call', {}, '0x11'), '0x6001')
    assert.equal([node.asked.length, pauses.splice(0)], [2, [250]])
    node.asked.length = 0
    node.fail(503, 503, 503, 503, 503)
    const none = { code: -32603, message: 'the chain does not answer' }
    assert.equal(await ask('eth_call', { to: account }, '0x11'), none)
    assert.equal([node.asked.length, pauses], [5, [250, 500, 1_000, 2_000]])
    assert.is(await ask('eth_call', { to: account }, '0x11'), '0x6001')
    await recorder.close()
    await node.isLeft()
  },
)
s(
  'makes no pack of a chain that is another one, or has moved its block [teeth/recorded-trouble]',
  async () => {
    const other = await startNode({ chainId: 1 })
    const started = (chainId: number, upstreamUrl: string) =>
      recordChain({ chainId, upstreamUrl }).then(String, (error: Error) => error.message)
    assert.is(
      await started(8453, other.url),
      'the RPC endpoint given for chain 8453 serves chain 1',
    )
    await other.isLeft()
    assert.is(
      await started(8453, 'http://127.0.0.1:9'),
      'the RPC endpoint of chain 8453 does not answer',
    )
    const { node, recorder } = await record()
    node.reorganise()
    const packed = recorder.toPackedChain().then(String, (error: Error) => error.message)
    assert.is(await packed, 'chain 8453 has reorganised meanwhile; record again')
  },
)
s('is replayed from what was kept, and from nothing else [teeth/replayed]', async () => {
  const { recorder, ask } = await record()
  await ask('eth_call', { to: account }, 'latest')
  const chain = await recorder.toPackedChain()
  const missing: string[] = []
  const used: string[] = []
  const replayed = await replayChain(
    { onMissing: (read) => void missing.push(read), onUsed: (key) => void used.push(key) },
    chain,
  )
  closings.push(replayed.close)
  const again = askerOf(replayed.url)
  assert.is(await again('eth_call', { to: account }, '0x11'), '0x6001')
  assert.equal(used, [`eth_call [{"to":"${account}"},"0x11"]`])
  assert.is(await again('eth_blockNumber'), '0x11')
  for (const method of [
    'eth_getTransactionReceipt',
    'eth_getTransactionByHash',
    'eth_getBlockByHash',
  ])
    assert.is(await again(method, word(1n)), null)
  assert.equal(missing, [])
  const read = 'eth_gasPrice [] of chain 8453 at block 17'
  for (let n = 0; n < 2; n += 1)
    assert.equal(await again('eth_gasPrice'), { code: -32001, message: `not in the pack: ${read}` })
  assert.equal([missing, used.length], [[read], 1])
})
s('answers requests only, in batches too, and no page [teeth/replayed]', async () => {
  const { recorder } = await record()
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(recorder.url, { method: 'POST', body, headers })
    return [answer.status, await answer.text()] as const
  }
  const of = (fields: object) => JSON.stringify({ jsonrpc: '2.0', ...fields })
  const none = of({ id: null, error: { code: -32600, message: 'this is no request' } })
  for (const body of ['null', '7', '{"method":7}']) assert.equal(await post(body), [200, none])
  assert.equal(await post('[{"id":1,"method":"eth_blockNumber"},{"id":2}]'), [
    200,
    `[${of({ id: 1, result: '0x11' })},${of({ id: 2, error: { code: -32600, message: 'this is no request' } })}]`,
  ])
  assert.equal(await post('{'), [400, ''])
  assert.equal(await post(none, { origin: 'http://page.example' }), [403, ''])
})
s.run()
