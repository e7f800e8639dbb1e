import { tracingChannel } from 'node:diagnostics_channel'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import type { Access } from '../http/access.ts'
import { endpoint } from '../http/endpoint.ts'
import { httpError } from '../http/httpError.ts'
import { stream } from '../http/reply.ts'
import { createService } from '../http/service.ts'
import type { RequestEvent } from '../http/serviceOptions.ts'
import { accessLine, hashKeyId } from './accessLine.ts'
import { createLog } from './log.ts'
import { watchSteps } from './requestSteps.ts'

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
  async identify({ headers }) {
    const key = headers['x-api-key']
    if (key === 'slow') await pause()
    return key === 'secret' || key === 'poor' ? { keyId: 'key_1', scopes: [key] } : undefined
  },
  limit: async () => undefined,
  charge: async ({ caller }) => {
    await pause()
    if (caller.scopes.includes('poor'))
      return { status: 'refused', error: httpError('paymentRequired') }
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
/** A source that searches, and another one beside it, which the first does not wait for. */
const searching = tracingChannel('forkyard.search')
const asking = tracingChannel('forkyard.source')
const told = () => ({ attributes: {} })
const twofold = endpoint({
  method: 'get',
  path: '/twofold',
  summary: 'Asks two sources at once',
  output: Type.Object({}),
  auth: 'none',
  handle: async () => {
    const search = () => searching.tracePromise(pause, told())
    const failing = () => asking.tracePromise(() => Promise.reject(new Error('ill')), told())
    await Promise.all([
      asking.tracePromise(search, told()),
      asking.tracePromise(search, told()),
      failing().catch(() => undefined),
    ])
    return {}
  },
})
const more = endpoint({
  method: 'get',
  path: '/stream',
  summary: 'Goes on',
  streams: true,
  output: Type.Object({}),
  auth: 'key',
  cost: 16,
  handle: async ({ spendMore }) =>
    stream(async () => {
      await spendMore(2)
    }),
})
const observe = (event: RequestEvent) => log.info(accessLine(event), 'answered')
const service = createService({
  name: 'routing',
  endpoints: [work, more, twofold],
  access,
  log,
  observe,
})
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
    assert.equal(Object.keys(stages), ['admit', 'read', 'charge', 'handle', 'conclude', 'send'])
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

s('say in which stage a refusal took its time [24/access-refused]', async () => {
  const { stages, ms } = await ask('/work/some', 'slow')
  assert.ok((stages['admit'] ?? 0) >= 4, JSON.stringify(stages))
  assert.is(stages['handle'], 0)
  const poor = await ask('/work/some', 'poor')
  assert.is(poor['status'], 402)
  assert.ok((poor.stages['charge'] ?? 0) >= 4, JSON.stringify(poor.stages))
  assert.ok(ms >= 4)
})

s(
  'say how long searches, sources and the like were under way, each kind once [24/access-steps]',
  async () => {
    const watch = watchSteps()
    const [line, other] = await Promise.all([
      ask('/twofold'),
      searching.tracePromise(pause, told()),
    ])
    assert.is(other, undefined)
    const steps = line['steps'] as Readonly<Record<string, number>>
    assert.equal(Object.keys(steps).sort(), ['search', 'source'])
    const { search = 0, source = 0 } = steps
    assert.ok(search >= 4 && source >= search, line.text)
    // Of two at once the time counts once.
    assert.ok(source <= (line.stages['handle'] ?? 0) + 0.1, line.text)
    assert.equal((await ask('/work/some'))['steps'], {})
    watch.close()
    assert.equal((await ask('/twofold'))['steps'], {})
  },
)

s('count what a stream takes as it goes on, and how long it lasts [24/access-stream]', async () => {
  const { units, stages } = await ask('/stream')
  assert.is(units, 16 + 2)
  assert.ok((stages['send'] ?? 0) >= 4, JSON.stringify(stages))
})

s.run()
