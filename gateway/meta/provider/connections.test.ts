import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { createConnections } from './connections.ts'

const s = suite('meta/provider/createConnections')
const sockets: Socket[] = []
let asked = 0
const server = createServer((req, res) => {
  asked++
  if (req.url === '/answer') res.end('hello')
  if (req.url === '/begin') res.write('he')
})
server.on('connection', (socket) => sockets.push(socket))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const connections = createConnections({ origin, lookup: undefined })
s.after(async () => {
  await connections.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
s.before.each(() => {
  asked = 0
})

const never = new AbortController().signal
const ask = (path: string, signal = never) =>
  connections.use(signal, async (client) => {
    const { body } = await client.request({ path, method: 'GET' })
    return body.text()
  })
const isOpen = ({ closed }: Socket) => !closed

s('keeps a connection for the next request, and opens one for each at the same time', async () => {
  assert.is(await ask('/answer'), 'hello')
  assert.is(await ask('/answer'), 'hello')
  assert.is(sockets.length, 1)
  await Promise.all([ask('/answer'), ask('/answer')])
  assert.is(sockets.length, 2)
  assert.is(asked, 4)
})

for (const [when, path] of [
  ['before an answer', '/silent'],
  ['within a body', '/begin'],
] as const)
  s(
    `closes the connection of a request given up ${when}, and connects no other [meta/given-up]`,
    async () => {
      const leaving = [new AbortController(), new AbortController()]
      const settled = Promise.allSettled(leaving.map(({ signal }) => ask(path, signal)))
      await waitFor('all have asked', () => asked === leaving.length)
      const opened = sockets.length
      for (const each of leaving) each.abort()
      for (const { status } of await settled) assert.is(status, 'rejected')
      await waitFor('none is open', () => sockets.filter(isOpen).length === 0)
      // A further request takes a connection of its own; those given up took none behind it.
      assert.is(await ask('/answer'), 'hello')
      assert.is(sockets.length - opened, 1)
      assert.is(asked, leaving.length + 1)
    },
  )

s('asks nobody for a request that was given up before', async () => {
  const left = AbortSignal.abort(new Error('left'))
  assert.instance(await ask('/answer', left).catch((error: unknown) => error), Error)
  assert.is(asked, 0)
})
s.run()
