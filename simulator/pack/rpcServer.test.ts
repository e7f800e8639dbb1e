import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { told } from '../testing/answers.ts'
import { startRpcServer } from './rpcServer.ts'

const s = suite('simulator/pack/rpcServer')

async function start(answer: (call: RpcCall) => RpcOutcome | Promise<RpcOutcome>) {
  const asked: RpcCall[] = []
  const { url, close } = await startRpcServer({
    async answer(call) {
      asked.push(call)
      return answer(call)
    },
  })
  const post = (body: string) => fetch(url, { method: 'POST', body })
  const ask = async (fields: object) => (await post(JSON.stringify(fields))).json()
  return { url, asked, close, post, ask }
}

s('hands on what is asked, and answers with what is said of it', async () => {
  const { asked, ask, close } = await start(({ method }) => {
    if (method === 'none') return told(undefined)
    return { ok: false, code: 3, message: method, data: method === 'data' ? '0x1' : undefined }
  })
  assert.equal(await ask({ id: 1, method: 'none', params: [2] }), {
    jsonrpc: '2.0',
    id: 1,
    result: null,
  })
  const error = { code: 3, message: 'data', data: '0x1' }
  assert.equal(await ask({ method: 'data' }), { jsonrpc: '2.0', id: null, error })
  const bare = { code: 3, message: 'bare' }
  assert.equal(await ask({ id: 2, method: 'bare', params: {} }), {
    jsonrpc: '2.0',
    id: 2,
    error: bare,
  })
  assert.equal(asked, [
    { method: 'none', params: [2] },
    { method: 'data', params: [] },
    { method: 'bare', params: [] },
  ])
  await close()
})
s('reads sixteen megabytes at once, and keeps who asks for a minute', async () => {
  const { post, close } = await start(() => told(null))
  const most = 16 * 1024 * 1024
  const whole = await post('[]'.padEnd(most))
  assert.equal(
    [whole.status, await whole.text(), whole.headers.get('keep-alive')],
    [200, '[]', 'timeout=60'],
  )
  const larger = await post('[]'.padEnd(most + 1)).then(
    ({ status }) => status,
    () => 400,
  )
  assert.is(larger, 400)
  await close()
})
s('closes over what is not answered yet, and is gone then', async () => {
  const begun = Promise.withResolvers<void>()
  const { url, post, close } = await start(() => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  const cut = post('{"method":"slow"}').then(String, () => 'cut')
  await begun.promise
  await close()
  assert.is(await cut, 'cut')
  assert.is(await fetch(url).then(String, () => 'closed'), 'closed')
})
s.run()
