import { once } from 'node:events'
import { connect } from 'node:net'
import { keccak256, toHex } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { sendWholeBody } from '../../fixtures/sendWholeBody.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startFaultProxy } from '../../simulator/testing/faultProxy.ts'
import { startTestChain } from '../../simulator/testing/testChain.ts'
import { createPages } from '../http/pages.ts'
import { openChainDoor } from './chainDoor.ts'
import { startLabChain } from './chains.ts'
import { anyPorts } from './ports.ts'

const s = suite('door of a lab chain')
const origin = await startTestChain()
// Without some way to go to the chain that is forked, reads are over before they could meet.
const far = await startFaultProxy({ target: origin.rpcUrl })
far.set({ delayMs: 5 })
const fork = await startAnvil({ args: ['--fork-url', far.url, '--no-storage-caching'] })
const named = 'https://app.example'
const pages = createPages({ origins: [named] })
const chain = await openChainDoor({ anvilUrl: fork.rpcUrl, port: 0, isFork: true, pages })
s.after(async () => {
  await chain.close()
  await fork.close()
  await far.close()
  await origin.close()
})
const rpc = createRpc(chain.rpcUrl)
const account = '0x4200000000000000000000000000000000000006'

s('many reads of unread state at a past block leave the fork alive', async () => {
  const past = await rpc('eth_blockNumber')
  for (let mined = 0; mined < 3; mined += 1) await rpc('evm_mine')
  for (let round = 0; round < 10; round += 1)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        rpc('eth_getStorageAt', account, keccak256(toHex(round * 8 + index)), past),
      ),
    )
  assert.is(BigInt(String(await rpc('eth_blockNumber'))), BigInt(String(past)) + 3n)
})
s('calls at a past block beside such reads leave it alive, too [lab/door-past-calls]', async () => {
  const past = await rpc('eth_blockNumber')
  for (let mined = 0; mined < 3; mined += 1) await rpc('evm_mine')
  // Reads the slot that is its calldata, and returns it.
  const code = '0x5f35545f5260205ff3'
  for (let round = 0; round < 10; round += 1)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const slot = keccak256(toHex(1_000 + round * 8 + index))
        const block = index < 6 ? past : 'latest'
        return index % 2 === 0
          ? rpc('eth_call', { to: account, data: slot }, block, { [account]: { code } })
          : rpc('eth_getStorageAt', account, slot, block)
      }),
    )
  assert.is(BigInt(String(await rpc('eth_blockNumber'))), BigInt(String(past)) + 3n)
})
s('whoever leaves amid his answer holds nobody up [lab/door-leavers]', async () => {
  const large = '0x4200000000000000000000000000000000000042'
  await rpc('anvil_setCode', large, `0x${'00'.repeat(24_000)}`)
  await rpc('evm_mine')
  const past = await rpc('eth_blockNumber')
  await rpc('evm_mine')
  const { hostname, port } = new URL(chain.rpcUrl)
  const body = JSON.stringify(Array(400).fill(call('eth_getCode', [large, past])))
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'data')
  socket.destroy()
  assert.is(await rpc('eth_getBalance', account, past), '0x0')
})
s('passes on batches, errors and what is no JSON as they are', async () => {
  const post = async (rpcUrl: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
    return [answer.status, await answer.text()]
  }
  const call = { jsonrpc: '2.0', id: 7, method: 'eth_getBalance', params: [account, '0x0'] }
  for (const body of ['{', '[]', '{}', JSON.stringify([call, { ...call, method: 'eth_nonsense' }])])
    assert.equal(await post(chain.rpcUrl, body), await post(fork.rpcUrl, body))
})
s('passes on websockets', async () => {
  const socket = new WebSocket(chain.rpcUrl.replace('http', 'ws'))
  const answer = new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data))))
    socket.addEventListener('error', reject)
  })
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })),
  )
  assert.is(((await answer) as { id: number }).id, 1)
  socket.close()
})
const local = 'http://localhost:5173'
async function ask(body: unknown, headers: Readonly<Record<string, string>>, method = 'POST') {
  const answer = await fetch(chain.rpcUrl, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text }
}
const call = (method: string, params: readonly unknown[] = []) => ({
  jsonrpc: '2.0',
  id: 3,
  method,
  params,
})
const balance = async () => BigInt(String(await rpc('eth_getBalance', account, 'latest')))

s(
  'a page of this machine, a named one and a wallet read what is public [lab/pages-read]',
  async () => {
    const wallet = 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'
    for (const origin of [local, 'http://127.0.0.1:1', 'http://[::1]:2', named, wallet]) {
      const { text, headers } = await ask([call('eth_chainId')], { origin })
      assert.match(text, /"result":"0x/)
      assert.is(headers.get('access-control-allow-origin'), origin)
      const preflight = await ask(
        undefined,
        {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-private-network': 'true',
        },
        'OPTIONS',
      )
      assert.is(preflight.status, 204)
      assert.is(preflight.headers.get('access-control-allow-private-network'), 'true')
      assert.is(preflight.headers.get('access-control-allow-headers'), 'content-type')
    }
  },
)
s('no page changes the chain past its rules, alone or in a batch [lab/pages-closed]', async () => {
  const before = await balance()
  const set = call('anvil_setBalance', [account, '0x7'])
  const closed = [
    set,
    call('hardhat_setBalance', [account, '0x7']),
    call('tenderly_setBalance', [account, '0x7']),
    call('evm_mine'),
    call('debug_setHead', ['0x0']),
    call('eth_sendTransaction', [{ from: account, to: account }]),
    call('eth_sign', [account, '0x']),
  ]
  for (const body of [...closed, [call('eth_chainId'), set]])
    assert.match((await ask(body, { origin: local })).text, /may not call/)
  assert.is(await balance(), before)
})
s(
  'nothing that a foreign page sends is run, and it may read nothing [lab/pages-foreign]',
  async () => {
    const before = await balance()
    const set = call('anvil_setBalance', [account, '0x7'])
    const strangers = ['http://foreign.test', 'http://127.0.0.1.foreign.test', 'null', 'file://']
    for (const origin of strangers)
      for (const [body, type] of [
        [set, 'text/plain'],
        [set, 'application/json'],
        [call('eth_chainId'), 'application/json'],
      ] as const) {
        const answer = await ask(body, { origin, 'content-type': type })
        assert.is(answer.status, 403)
        assert.is(answer.headers.get('access-control-allow-origin'), null)
      }
    const plain = await ask(call('eth_chainId'), { origin: local, 'content-type': 'text/plain' })
    assert.is(plain.status, 415)
    assert.is(await balance(), before)
  },
)
s(
  'answers a stranger before it has his body, and buffers nobody without end [lab/door-bodies]',
  async () => {
    for (const bytes of [0, 2 ** 20, 2 ** 26 + 2 ** 24]) {
      const foreign = { bytes, head: 'Origin: http://foreign.test\r\n' }
      assert.match(await sendWholeBody(chain.rpcUrl, foreign), /^HTTP\/1.1 403 /)
    }
    const large = { bytes: 2 ** 26 + 2 ** 24 }
    assert.match(await sendWholeBody(chain.rpcUrl, large), /^HTTP\/1.1 413 /)
  },
)
s('gives the chain what was judged, not what a page wrote [lab/door-judged]', async () => {
  const post = async (body: string) => {
    const headers = { origin: local, 'content-type': 'application/json' }
    const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body })
    return answer.text()
  }
  const twice = '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":[],"method":"eth_chainId"}'
  assert.match(await post(twice), '"result":"0x')
  assert.match(await post('{'), 'this is no JSON')
})
s(
  "is the only way to a lab's chain: its anvil is not where a page would look [lab/hidden-anvil]",
  async () => {
    const env = { ...anyPorts }
    const lab = await startLabChain({ chainId: 8453, env, step: () => undefined })
    const { hostname, port } = new URL(lab.anvilUrl)
    const socket = connect(Number(port), '127.0.0.1')
    const found = await new Promise((resolve) => {
      socket.once('connect', () => resolve('an anvil that takes every method'))
      socket.once('error', () => resolve('nothing'))
    })
    socket.destroy()
    await lab.close()
    assert.is(found, process.platform === 'linux' ? 'nothing' : 'an anvil that takes every method')
    assert.match(hostname, /^127\./)
  },
)
s('takes no websocket from a page [lab/pages-websocket]', async () => {
  const { hostname, port } = new URL(chain.rpcUrl)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${local}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  let answer = ''
  for await (const chunk of socket) answer += chunk
  assert.match(answer, /^HTTP\/1.1 403 /)
})
s.run()
