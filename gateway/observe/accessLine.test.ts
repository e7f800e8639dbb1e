import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import type { Access } from '../http/access.ts'
import { endpoint } from '../http/endpoint.ts'
import { httpError } from '../http/httpError.ts'
import { createService } from '../http/service.ts'
import type { RequestEvent } from '../http/serviceOptions.ts'
import { accessLine, hashKeyId } from './accessLine.ts'
import { createLog } from './log.ts'

/** The lines that requests leave, as a reader of the log finds them. */
const s = suite('observe/accessLine')
const lines: Record<string, unknown>[] = []
const log = createLog({
  level: 'info',
  secrets: [],
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})
const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
const access: Access = {
  identify: async ({ headers }) =>
    headers['x-api-key'] === 'secret' ? { keyId: 'key_1', scopes: [] } : undefined,
  limit: async () => undefined,
  charge: async () => {
    await pause()
    return { status: 'charged', headers: {}, conclude: pause as () => Promise<void> }
  },
}
const work = endpoint({
  method: 'get',
  path: '/work/:name',
  summary: 'Works',
  params: Type.Object({ name: Type.String() }),
  output: Type.Object({}),
  auth: 'key',
  cost: 16,
  handle: async ({ params }) => {
    await pause()
    if (params.name === 'none') throw httpError('notFound')
    return {}
  },
})
const observe = (event: RequestEvent) => log.info(accessLine(event), 'answered')
const service = createService({ name: 'routing', endpoints: [work], access, log, observe })
const server = await service.listen()
s.after(() => server.close())

async function ask(path: string, key = 'secret') {
  lines.length = 0
  const headers = { 'x-api-key': key, 'x-request-id': 'r-1' }
  const response = await fetch(`${server.url}${path}`, { headers })
  await response.text()
  const [line] = lines
  assert.is(lines.length, 1)
  return { ...line, text: JSON.stringify(line) } as {
    readonly text: string
    readonly units: number
    readonly ms: number
    readonly stages: Readonly<Record<string, number>>
  } & Readonly<Record<string, unknown>>
}

s(
  'say whose request it was, what came of it, what it cost and where its time went [24/access-log]',
  async () => {
    const { text, stages, ms, ...line } = await ask('/work/some?secret=1')
    const { requestId, method, route, status, key, units, code } = line
    assert.equal([requestId, method, route, status], ['r-1', 'GET', '/work/:name', 200])
    assert.equal([key, units, code], [hashKeyId('key_1'), 16, undefined])
    assert.equal(Object.keys(stages), ['admit', 'read', 'charge', 'handle', 'conclude'])
    for (const stage of ['charge', 'handle', 'conclude']) assert.ok((stages[stage] ?? 0) >= 4, text)
    const sum = Object.values(stages).reduce((total, stage) => total + stage, 0)
    assert.ok(sum <= ms + 0.1, text)
    for (const never of ['secret', 'key_1', 'some']) assert.not.match(text, never)
  },
)

s('count no units that were given back, and name no caller where there was none', async () => {
  const refused = await ask('/work/none')
  assert.equal([refused['status'], refused['code'], refused.units], [404, 'not_found', 0])
  assert.is(refused['key'], hashKeyId('key_1'))
  const stranger = await ask('/work/some', 'wrong')
  assert.equal([stranger['status'], stranger['key'], stranger.units], [401, undefined, 0])
})

s.run()
