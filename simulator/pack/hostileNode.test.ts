import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { assert, suite } from '../../fixtures/test.ts'
import { readPack, writePack } from './packFile.ts'
import { recordChain } from './recordChain.ts'

/** A node that answers what it likes. */
const s = suite('recording a hostile node')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const key = 'key-of-an-account-4711'
const block = { number: '0x10', hash: `0x${'12'.repeat(32)}`, timestamp: '0x6b045161' }
let answer: (method: string) => object = () => ({ result: '0x' })
const node = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const calls = JSON.parse(text) as { id: number; method: string }[]
  const known: Record<string, object> = {
    eth_chainId: { result: '0x2105' },
    eth_getBlockByNumber: { result: { ...block, parentHash: block.hash } },
  }
  const answers = calls.map(({ id, method }) => ({ id, ...(known[method] ?? answer(method)) }))
  response.end(JSON.stringify(answers))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => node.once('listening', resolve))
const { port } = node.address() as AddressInfo
const recorder = await recordChain({
  chainId: 8453,
  upstreamUrl: `http://127.0.0.1:${port}/v2/${key}`,
})
s.after(async () => {
  await recorder.close()
  node.closeAllConnections()
  node.close()
  rmSync(dir, { recursive: true })
})
const post = (headers: Readonly<Record<string, string>> = {}, data = '0x') =>
  fetch(recorder.url, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to: `0x${'ab'.repeat(20)}`, data }, 'latest'],
    }),
  })

s('keeps no key of the endpoint, whatever a message says [pack/node-secrets]', async () => {
  answer = () => ({ error: { code: 3, message: `no credit left for ${key}` } })
  assert.not.match(await (await post({}, '0x01')).text(), key)
  const path = join(dir, 'a.pack')
  await writePack(path, [await recorder.toPackedChain()])
  assert.not.match(gunzipSync(readFileSync(path)).toString(), key)
})
s('makes a pack that can be read, whatever a node says of a revert [pack/node-odd]', async () => {
  answer = () => ({ error: { code: 3, message: 'reverted', data: 'Reverted 0x08c379a0' } })
  await post({}, '0x02')
  const path = join(dir, 'b.pack')
  await writePack(path, [await recorder.toPackedChain()])
  const [chain] = await readPack(path)
  const kept = [...(chain?.answers.values() ?? [])].map(({ outcome }) => outcome)
  assert.ok(kept.some((outcome) => !outcome.ok && outcome.message === 'reverted'))
})
s('asks nothing for a web page [pack/pages]', async () => {
  let asked = 0
  answer = () => {
    asked += 1
    return { result: '0x' }
  }
  for (const origin of ['http://foreign.test', 'null', 'http://localhost:5173'])
    assert.is((await post({ origin, 'content-type': 'text/plain' }, '0x03')).status, 403)
  assert.is(asked, 0)
})
s.run()
