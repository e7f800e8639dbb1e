import { getEventListeners, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { assert, suite } from '../../fixtures/test.ts'
import { createRpcEndpoint, RpcTransportError } from './rpcBatch.ts'

const s = suite('simulator/rpcBatch')
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
const bodies: string[] = []
const server = createServer(async (request, response) => {
  bodies.push(await text(request))
  answer(request, response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const rpc = createRpcEndpoint({ url: `http://us%40er:pass@127.0.0.1:${port}/path?a=1` })
s.after(async () => {
  await rpc.close()
  server.closeAllConnections()
  server.close()
})
s.before.each(() => {
  bodies.length = 0
})

const calls = [
  { method: 'eth_a', params: [1] },
  { method: 'eth_b', params: [] },
]
const say = (body: unknown, status = 200) => {
  answer = (_, response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
}
const limits = { timeoutMs: 60_000 }
const faultOf = async (asked: Promise<unknown>) => {
  const [ended] = await Promise.allSettled([asked])
  const error = ended.status === 'rejected' ? ended.reason : undefined
  return error instanceof RpcTransportError
    ? [error.fault, error.httpStatus, error.message]
    : [ended]
}

s('asks in one body, with the credentials of its URL as a header [teeth/rpc-batch]', async () => {
  const seen: unknown[] = []
  answer = ({ method, url, headers }, response) => {
    seen.push(method, url, headers.authorization, headers['content-type'])
    response.end('[{"id":1,"result":"b"},{"id":0,"result":null}]')
  }
  assert.equal(await rpc.batch(calls, limits), [
    { ok: true, result: null },
    { ok: true, result: 'b' },
  ])
  const credentials = Buffer.from('us@er:pass').toString('base64')
  assert.equal(seen, ['POST', '/path?a=1', `Basic ${credentials}`, 'application/json'])
  assert.equal(
    JSON.parse(bodies[0] ?? ''),
    calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })),
  )
})
s('asks nobody for no calls [teeth/rpc-batch]', async () => {
  assert.equal([await rpc.batch([], limits), bodies], [[], []])
})
s('reads of an error what it says, and nothing of what is none [teeth/rpc-batch]', async () => {
  say([
    { id: 0, error: { code: 3, message: 'reverted', data: '0x12' } },
    { id: 1, error: { code: '3', message: 4, data: {} }, result: 'x' },
  ])
  assert.equal(await rpc.batch(calls, limits), [
    { ok: false, code: 3, message: 'reverted', data: '0x12' },
    { ok: false, code: 0, message: '', data: undefined },
  ])
  say([
    { id: 0, error: null, result: 1 },
    { id: 1, result: 2 },
  ])
  const found = await rpc.batch(calls, limits)
  assert.equal(
    found.map(({ ok }) => ok),
    [true, true],
  )
})
s('tells what kind of fault a batch without an answer is [teeth/rpc-faults]', async () => {
  for (const body of ['not JSON', '{}', 'null', '[1,2]', '[null]', '[{"id":0}]']) {
    say(body)
    assert.equal(
      await faultOf(rpc.batch(calls, limits)),
      ['garbage', undefined, 'rpc garbage'],
      body,
    )
  }
  for (const status of [201, 404, 503]) {
    say('[]', status)
    assert.equal(await faultOf(rpc.batch(calls, limits)), [
      'http_status',
      status,
      `rpc http_status ${status}`,
    ])
  }
  answer = (request) => void request.socket.destroy()
  assert.equal(await faultOf(rpc.batch(calls, limits)), ['connection', undefined, 'rpc connection'])
})
s('takes an answer of as many bytes as it may have, and no more [teeth/rpc-faults]', async () => {
  const body = '[{"id":0,"result":1}]'
  say(body)
  const ask = (maxBytes: number) => rpc.batch(calls.slice(0, 1), { ...limits, maxBytes })
  assert.equal(await ask(body.length), [{ ok: true, result: 1 }])
  assert.equal(await faultOf(ask(body.length - 1)), ['too_large', undefined, 'rpc too_large'])
})
s('waits no longer than it is told, or than its caller does [teeth/rpc-faults]', async () => {
  answer = () => undefined
  assert.equal(await faultOf(rpc.batch(calls, { timeoutMs: 1 })), [
    'timeout',
    undefined,
    'rpc timeout',
  ])
  const gone = AbortSignal.abort()
  assert.equal(await faultOf(rpc.batch(calls, { ...limits, signal: gone })), [
    'aborted',
    undefined,
    'rpc aborted',
  ])
  const leaving = new AbortController()
  answer = () => leaving.abort()
  const left = faultOf(rpc.batch(calls, { ...limits, signal: leaving.signal }))
  assert.equal(await left, ['aborted', undefined, 'rpc aborted'])
})
s('sends no credentials where its URL has none, and nothing once it is closed', async () => {
  let sent: string | undefined = 'none yet'
  answer = ({ headers }, response) => {
    sent = headers.authorization
    response.end('[{"id":0,"result":1}]')
  }
  const plain = createRpcEndpoint({ url: `http://127.0.0.1:${port}` })
  const ask = () => plain.batch(calls.slice(0, 1), limits)
  assert.equal([await ask(), sent], [[{ ok: true, result: 1 }], undefined])
  await plain.close()
  assert.is((await faultOf(ask()))[0], 'connection')
})
s('takes an answer that is partly none for none', async () => {
  say('[{"id":0,"result":1},5]')
  assert.is((await faultOf(rpc.batch(calls.slice(0, 1), limits)))[0], 'garbage')
})
s('ends what nobody waits for any more, and listens to nobody then', async () => {
  const ended = Promise.withResolvers<void>()
  const leaving = new AbortController()
  answer = (_, response) => {
    response.once('close', ended.resolve)
    leaving.abort()
  }
  await faultOf(rpc.batch(calls, { ...limits, signal: leaving.signal }))
  await ended.promise
  const { signal } = new AbortController()
  say('[{"id":0,"result":1}]')
  await rpc.batch(calls.slice(0, 1), { ...limits, signal })
  assert.equal(getEventListeners(signal, 'abort'), [])
})
s('has 32 connections, and begins nothing that was given up before its turn', async () => {
  const own = createRpcEndpoint({ url: `http://127.0.0.1:${port}` })
  const waiting: ServerResponse[] = []
  const all = Promise.withResolvers<void>()
  let isHeld = true
  const end = (response: ServerResponse) => void response.end('[{"id":0,"result":1}]')
  answer = (_, response) => {
    if (!isHeld) return end(response)
    waiting.push(response)
    if (waiting.length === 32) all.resolve()
  }
  const ask = (signal?: AbortSignal) => own.batch(calls.slice(0, 1), { ...limits, signal })
  const first = Array.from({ length: 32 }, () => ask())
  await all.promise
  const leaving = new AbortController()
  const left = faultOf(ask(leaving.signal))
  leaving.abort()
  assert.is((await left)[0], 'aborted')
  isHeld = false
  const next = ask()
  // On the one connection that is free it would come before the next.
  for (const response of waiting.splice(0, 1)) end(response)
  await next
  assert.is(bodies.length, 33)
  for (const response of waiting) end(response)
  await Promise.all(first)
  await own.close()
})
s.run()
