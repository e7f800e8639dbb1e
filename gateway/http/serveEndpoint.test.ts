import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { json, readJson, reply, stream } from './reply.ts'
import { createService } from './service.ts'

const s = suite('http/serveEndpoint')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const echo = endpoint({
  method: 'post',
  path: '/echo',
  summary: 'Echo',
  input: Type.Object({ text: Type.String() }),
  output: Type.Object({ length: Type.Integer(), isLeft: Type.Boolean() }),
  auth: 'none',
  handle: async ({ body, signal }) => ({ length: body.text.length, isLeft: signal.aborted }),
})
const plainParts = {
  method: 'post',
  path: '/plain',
  summary: 'Answers without a look at the signal',
  input: Type.Object({ text: Type.String() }),
  output: Type.Object({ length: Type.Integer() }),
  auth: 'none',
  handle: async ({ body }: { readonly body: { readonly text: string } }) => ({
    length: body.text.length,
  }),
} as const
const plain = endpoint(plainParts)
const streamed = endpoint({
  ...plainParts,
  path: '/stream',
  streams: true,
  handle: async () => stream(async (sink) => sink.done('done', {})),
})
const endpoints = [echo, plain, streamed]
const server = await createService({ name: 'echo', endpoints, log }).listen()
const agent = new Agent({ keepAlive: true })
s.after(async () => {
  agent.destroy()
  await server.close()
})

s('reads again what is answered as text that is JSON already, and nothing else', () => {
  assert.equal(readJson(json('{"a":1}')), { a: 1 })
  assert.is(readJson(reply({ body: '{"a":1}' })), undefined)
  assert.is(readJson(reply({ body: { a: 1 } })), undefined)
})

function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const asked = request(server.url + path, { agent, method: 'POST', headers }, (answer) =>
      text(answer).then(resolve, reject),
    )
    asked.on('error', reject)
    asked.end(JSON.stringify({ text: 'some text' }))
  })
}

s(
  'ends a stream that was read to its end, and answers anything else again [teeth/stream-again]',
  async () => {
    const read = async (path: string, id: string) => {
      const headers = { 'content-type': 'application/json', 'last-event-id': id }
      const body = JSON.stringify({ text: 'a' })
      const answer = await fetch(server.url + path, { method: 'POST', headers, body })
      return [answer.status, await answer.text()] as const
    }
    assert.equal(await read('/stream', 'r:done'), [204, ''])
    const [status, text] = await read('/stream', 'r:2')
    assert.is(status, 200)
    assert.match(text, 'event: done')
    assert.equal(await read('/plain', 'r:done'), [200, '{"length":1}'])
  },
)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (how: { type: 'minor' }) => void

s('hands a signal to whoever looks at it', async () => {
  assert.equal(JSON.parse(await ask('/echo')), { length: 9, isLeft: false })
})

s('leaves nothing of an answered request for a full collection', async () => {
  const perRound = 50
  const kept: number[] = []
  for (let round = 0; round < 31; round += 1) {
    collect({ type: 'minor' })
    const before = process.memoryUsage().heapUsed
    for (let count = 0; count < perRound; count += 1) await ask('/plain')
    collect({ type: 'minor' })
    kept.push((process.memoryUsage().heapUsed - before) / perRound)
  }
  // The median: a full collection may come into one round, and code is compiled in another.
  const bytes = kept.toSorted((a, b) => a - b)[15] ?? Number.NaN
  assert.ok(bytes < 2_000, `${bytes} bytes of each request, of ${kept}`)
})

s.run()
