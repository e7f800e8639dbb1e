import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../../fixtures/test.ts'
import { openRpcGate } from './rpcGate.ts'

const gate = suite('RPC gate of the lab')
const key = 'https://base.example/v2/secret-key'
/** A node that answers each call with its method, and quotes its upstream when asked to fail. */
const node = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const calls = JSON.parse(text) as readonly { id: number; method: string }[]
  if (calls.some(({ method }) => method === 'eth_gasPrice')) return void response.end('<html>')
  const answers = calls.map(({ id, method }) =>
    method === 'eth_getBalance'
      ? { id, error: { code: 1, message: `cannot reach (${key})` } }
      : { id, result: method },
  )
  response.end(JSON.stringify(answers))
})
await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
const upstreamUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
const open = (token?: string) => openRpcGate({ upstreamUrl, host: '127.0.0.1', port: 0, token })
const [open1, admin] = await Promise.all([open(), open('the-token')])
gate.after(async () => {
  await Promise.all([open1.close(), admin.close()])
  node.close()
})

async function send(port: number, body: unknown, { path = '', authorization = '' } = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
    method: 'POST',
    headers: authorization ? { authorization } : {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, answer: text ? JSON.parse(text) : undefined }
}
const call = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method, params: [] })

gate('passes reads and raw transactions', async () => {
  for (const method of ['eth_call', 'eth_sendRawTransaction', 'eth_getLogs', 'net_version'])
    assert.is((await send(open1.port, call(method))).answer.result, method)
})

gate('refuses whatever changes, signs, or looks inside', async () => {
  const refused = [
    'anvil_setBalance',
    'anvil_reset',
    'anvil_setRpcUrl',
    'anvil_dumpState',
    'evm_mine',
    'evm_snapshot',
    'evm_revert',
    'hardhat_reset',
    'hardhat_setCode',
    'tenderly_setBalance',
    'debug_traceTransaction',
    'debug_traceCall',
    'trace_call',
    'txpool_content',
    'admin_peers',
    'eth_sendTransaction',
    'eth_sendUnsignedTransaction',
    'eth_sign',
    'eth_signTransaction',
    'personal_sign',
    'wallet_getCapabilities',
    'erigon_getLogs',
    'EVM_MINE',
    '',
    'constructor',
    '__proto__',
    'eth_call ',
    'eth_Call',
  ]
  for (const method of refused) {
    const { answer } = await send(open1.port, call(method))
    assert.is(answer.error?.message, 'the method is not served here', method)
  }
  assert.is((await send(open1.port, { id: 1, method: ['evm_mine'] })).answer.error?.code, -32601)
})

gate('judges each call of a batch by itself', async () => {
  const { answer } = await send(open1.port, [call('evm_mine', 1), call('eth_chainId', 2)])
  assert.equal(
    answer.map(({ id, result, error }: Record<string, unknown>) => [id, result, Boolean(error)]),
    [
      [2, 'eth_chainId', false],
      [1, undefined, true],
    ],
  )
})

gate('takes every method from the holder of the token, and nothing from others', async () => {
  for (const way of [{ path: 'the-token' }, { authorization: 'Bearer the-token' }])
    assert.is((await send(admin.port, call('evm_mine'), way)).answer.result, 'evm_mine')
  for (const way of [{}, { path: 'the-toke' }, { path: 'the-token/' }, { authorization: 'x' }])
    assert.is((await send(admin.port, call('eth_chainId'), way)).status, 401)
})

gate('shows no URL that the node quotes', async () => {
  const { text } = await send(open1.port, call('eth_getBalance'))
  assert.match(text, '[url]')
  assert.not.match(text, 'secret-key')
})

gate('says that the chain does not answer where it answers no JSON', async () => {
  for (const body of [call('eth_gasPrice'), [call('eth_gasPrice'), call('eth_chainId', 2)]])
    assert.is((await send(open1.port, body)).answer.error?.message, 'the chain does not answer')
})

gate('answers what is no call with an error', async () => {
  for (const body of ['{', '[]', '7', 'null', '[1]', ''])
    assert.ok((await send(open1.port, body)).answer.error, body)
})
gate('lets pages of this machine read, and foreign ones nothing', async () => {
  const ask = async (port: number, origin: string, type = 'application/json') => {
    const body = JSON.stringify(call('eth_call'))
    const headers = { origin, 'content-type': type, authorization: 'Bearer the-token' }
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
    return [answer.status, answer.headers.get('access-control-allow-origin')]
  }
  const local = 'http://localhost:5173'
  assert.equal(await ask(open1.port, local), [200, local])
  assert.equal(await ask(open1.port, local, 'text/plain'), [415, local])
  assert.equal(await ask(open1.port, 'http://foreign.test'), [403, null])
  assert.equal(await ask(admin.port, local), [403, null])
})
gate.run()
