import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { assert, suite } from '../../fixtures/test.ts'
import { waitUntilLeft } from '../testing/waitUntilLeft.ts'
import { waitUntilUp } from './waitUntilUp.ts'

const s = suite('simulator/containers/waitUntilUp')
const asked: string[] = []
let failures = 0
const server = createServer(async (request, response) => {
  asked.push(await text(request))
  response.statusCode = asked.length <= failures ? 503 : 200
  response.end('[{"id":0,"result":null}]')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
s.after(() => {
  server.closeAllConnections()
  server.close()
})
s.before.each(() => {
  asked.length = 0
})
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`

s('asks again until it is answered, and has it say nothing more [teeth/up]', async () => {
  failures = 2
  await waitUntilUp(url, { timeoutMs: 60_000 })
  assert.is(asked.length, 3)
  assert.match(asked[0] ?? '', '"method":"anvil_setLoggingEnabled","params":[false]')
  await waitUntilLeft(server)
})
s('waits no longer than it is told [teeth/up]', async () => {
  failures = 1_000
  const why = (timeoutMs: number) =>
    waitUntilUp(url, { timeoutMs }).then(String, (error: Error) => error.message)
  assert.equal([await why(0), asked.length], ['not in time', 0])
  assert.is(await why(300), 'not in time')
  // A fiftieth of a second lies between two.
  assert.ok(asked.length > 0 && asked.length <= 16, `${asked.length}`)
})
s.run()
