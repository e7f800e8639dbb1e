import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { toReason } from './toReason.ts'

const s = suite('observe/toReason')
const failureOf = (url: string) => fetch(url).catch((error: unknown) => error)

s('tells why a fetch failed', async () => {
  const server = createServer((socket) => socket.resume().end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.is(toReason(await failureOf(url)), 'fetch failed: other side closed')
  server.close()
  await once(server, 'close')
  const { host } = new URL(url)
  assert.is(toReason(await failureOf(url)), `fetch failed: connect ECONNREFUSED ${host}`)
  assert.is(toReason(await failureOf('http://127.0.0.1:10080')), 'fetch failed: bad port')
})
s('has a code for a sentence where there is none', () => {
  const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
  assert.is(toReason(new TypeError('fetch failed', { cause })), 'fetch failed: ECONNREFUSED')
})
s('shows no URL of a cause', () => {
  const cause = new Error('no answer of https://node.example/v2/canary-key\n')
  assert.is(toReason(new TypeError('fetch failed', { cause })), 'fetch failed: no answer of [url]')
})
s('leaves what says enough as it is, but for its URLs', () => {
  const error = new Error('another lab keeps its state here', { cause: new Error('locked') })
  assert.is(toReason(error), 'another lab keeps its state here')
  assert.is(toReason('stopped at https://node.example/canary-key'), 'stopped at [url]')
})
s.run()
