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
  async function ask(methods: readonly string[], timeoutMs: number) {
    const calls = methods.map((method) => ({ method, params: [] }))
    const { answers, trouble } = await upstream.send(calls, { timeoutMs })
    return answers.includes(undefined) ? trouble.kind : 'answered'
  }
  return {
    kindOf: (...methods: string[]) => ask(methods, 20_000),
    /** Of one that is waited for no longer. */
    kindWithin: (timeoutMs: number, method: string) => ask([method], timeoutMs),
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

/** A node that answers no code until it is let, all of whose connections wait for that. */
async function startRunning() {
  const { promise: areAllTaken, resolve } = Promise.withResolvers<void>()
  const running: (() => void)[] = []
  let isLet = false
  const node = await startNode((body, res) => {
    const answer = () => answerWith(1)(body, res)
    if (isLet || [body].flat().every(({ method }) => method !== 'eth_call')) return answer()
    running.push(answer)
    if (running.length === 8) resolve()
  })
  for (let call = 0; call < 8; call += 1) void node.kindOf('eth_call')
  await areAllTaken
  return {
    ...node,
    end() {
      isLet = true
      for (const answer of running) answer()
    },
  }
}

s(
  'to what is read come while code runs over all its connections [17/read-connections]',
  async () => {
    await using node = await startRunning()
    void node.kindOf('eth_call')
    assert.is(await node.kindOf('eth_getStorageAt'), 'answered')
  },
)

s('for want of a connection are none of its own [nodes/connections]', async () => {
  await using node = await startRunning()
  const next = node.kindOf('eth_call')
  assert.is(await node.kindWithin(20, 'eth_call'), 'unsent')
  node.end()
  assert.is(await next, 'answered')
  assert.is(await node.kindOf('eth_call'), 'answered')
})
s.run()
