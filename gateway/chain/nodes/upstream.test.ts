import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../../fixtures/test.ts'
import { createUpstream } from './upstream.ts'

const s = suite('answers of an endpoint')
const mebi = 1024 * 1024

type Body = { readonly method: string }
type Reply = (body: Body | readonly Body[], res: ServerResponse) => void

/** Answers every call with so many characters. */
const answerWith =
  (characters: number): Reply =>
  (body, res) => {
    const answers = [body].flat().map((_, id) => ({ id, result: 'a'.repeat(characters) }))
    res.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  }

async function startNode(reply: Reply) {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    reply(JSON.parse(Buffer.concat(chunks).toString()), res)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const upstream = createUpstream({
    url: `http://127.0.0.1:${port}`,
    maxResponseBytes: 64 * mebi,
  })
  return {
    async kindOf(...methods: string[]) {
      const calls = methods.map((method) => ({ method, params: [] }))
      const { answers, trouble } = await upstream.send(calls, { timeoutMs: 20_000 })
      return answers.includes(undefined) ? trouble.kind : 'answered'
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await upstream.close()
    },
  }
}

s('about logs are read up to a length that holds up nobody [17/stuffed-answer]', async () => {
  await using long = await startNode(answerWith(9 * mebi))
  assert.is(await long.kindOf('eth_getLogs'), 'answer_too_large')
  assert.is(await long.kindOf('eth_call'), 'answered')
  await using usual = await startNode(answerWith(1.5 * mebi))
  const many = Array.from({ length: 8 }, () => 'eth_getLogs')
  assert.is(await usual.kindOf('eth_getLogs', ...many.slice(1)), 'answered')
})
s.run()
