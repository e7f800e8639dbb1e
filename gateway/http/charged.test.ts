import { Type } from 'typebox'
import { createInject } from '../../fixtures/inject.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Access, Charge, RateLimitState } from './access.ts'
import { endpoint } from './endpoint.ts'
import { HttpError, httpError } from './httpError.ts'
import { json, reply } from './reply.ts'
import { createService } from './service.ts'
import type { RequestEvent } from './serviceOptions.ts'
import { createTrail } from './trail.ts'

/** What a request with a key meets on its way, and what is kept of it. */
const s = suite('a charged request')
const caller = { keyId: 'k', scopes: ['quote'] }
const log = { debug() {}, info() {}, warn() {}, error() {} }
const outage = new Error('out of reach')
type Asked = Parameters<Parameters<typeof endpoint>[0]['handle']>[0]
type Options = {
  readonly limits?: readonly RateLimitState[]
  readonly charge?: Partial<Charge>
  readonly cost?: number
  readonly isFree?: boolean
  readonly answer?: (asked: Asked) => unknown
}
const state = (given: Partial<RateLimitState> = {}): RateLimitState => ({
  allowed: true,
  limit: 10,
  remaining: 6,
  resetSecs: 3,
  retryAfterSecs: 0,
  ...given,
})

function open({ limits = [], charge, isFree, answer = () => ({ ok: true }), cost }: Options) {
  const steps: unknown[] = []
  const events: RequestEvent[] = []
  const left = [...limits]
  const access: Access = {
    identify: async ({ headers, ip }) => {
      steps.push(['identify', ip])
      return headers['x-api-key'] === 'good' ? caller : undefined
    },
    limit: async ({ weight, caller: by }) => {
      steps.push(['limit', by?.keyId, weight])
      return left.shift()
    },
    enter: async ({ asked, isStream }) => {
      steps.push(['enter', asked, isStream])
      return () => void steps.push('leave')
    },
    charge: async ({ headers: _, ...request }) => {
      steps.push(['charge', request])
      const conclude = async ({ status, body }: { status: number; body: string }) =>
        void steps.push(['conclude', status, body])
      return { status: 'charged', headers: { 'x-charged': '1' }, conclude, ...charge } as Charge
    },
  }
  const work = endpoint({
    method: 'post',
    path: '/work',
    summary: 'Work',
    input: Type.Object({ times: Type.Integer() }),
    output: Type.Object({ ok: Type.Boolean() }),
    auth: 'key',
    cost: cost ?? (isFree ? 0 : ({ body }) => body.times),
    handle: async (asked) => {
      steps.push('handle')
      return answer(asked as unknown as Asked) as { ok: boolean }
    },
  })
  const { app } = createService({
    name: 'test',
    endpoints: [work],
    access,
    log,
    checkOutput: true,
    isOutage: (error) => error === outage,
    observe: (event) => void events.push(event),
  })
  const inject = createInject(app)
  const ask = (times = 1, key = 'good') =>
    inject({
      method: 'POST',
      path: '/work?a=b',
      headers: { 'x-api-key': key, 'x-request-id': 'r' },
      body: `{"times": ${times}}`,
    })
  return { ask, steps, events }
}
const named = (steps: readonly unknown[]) =>
  steps.map((step) => (Array.isArray(step) ? step[0] : step))

s(
  'is identified, limited, weighed, let in and charged before it is handled [teeth/charged]',
  async () => {
    const { ask, steps, events } = open({ limits: [state(), state({ remaining: 2 })] })
    const { status, headers, text } = await ask(4)
    assert.equal([status, text], [200, '{"ok":true}'])
    const request = {
      caller,
      cost: 4,
      questions: 4,
      method: 'POST',
      path: '/work',
      search: '?a=b',
      rawBody: '{"times": 4}',
      ip: '',
      requestId: 'r',
    }
    assert.equal(steps, [
      ['identify', ''],
      ['limit', 'k', 1],
      ['limit', 'k', 3],
      ['enter', 'POST /work', false],
      ['charge', request],
      'handle',
      ['conclude', 200, '{"ok":true}'],
      'leave',
    ])
    const limit = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])
    assert.equal([...limit, headers['x-charged']], ['10', '2', '3', '1'])
    const [event] = events
    assert.equal([event?.status, event?.code, event?.requestId], [200, undefined, 'r'])
    const { keyId, units, lastAt: _, stage: __, ...stages } = event?.trail ?? createTrail(0)
    assert.equal([keyId, units], ['k', 4])
    for (const [stage, ms] of Object.entries(stages)) assert.ok(ms > 0, stage)
  },
)
s('is weighed again where it costs one more than it was let in for [teeth/charged]', async () => {
  const { ask, steps } = open({ limits: [state(), state()] })
  await ask(2)
  assert.equal(steps.slice(1, 3), [
    ['limit', 'k', 1],
    ['limit', 'k', 1],
  ])
})
s('asks questions by what each of them costs [teeth/charged]', async () => {
  const { ask, steps } = open({ cost: 3 })
  await ask()
  const charge = steps.find((step) => Array.isArray(step) && step[0] === 'charge') as unknown[]
  const { cost, questions } = charge[1] as { cost: number; questions: number }
  assert.equal([cost, questions], [3, 1])
})
s('weighs no more than the whole burst [teeth/charged]', async () => {
  const { ask, steps } = open({ limits: [state({ limit: 3 }), state()] })
  await ask(9)
  assert.equal(steps[2], ['limit', 'k', 2])
  const { ask: askFull, steps: full } = open({ limits: [state({ limit: 1 })] })
  await askFull(9)
  assert.equal(named(full), ['identify', 'limit', 'enter', 'charge', 'handle', 'conclude', 'leave'])
})
s('sets what headers a limit has of its own, and refuses by its time [teeth/charged]', async () => {
  const { ask, steps } = open({
    limits: [state({ allowed: false, retryAfterSecs: 7, headers: { ratelimit: 'x' } })],
  })
  const { status, headers } = await ask()
  assert.equal([status, headers['ratelimit'], headers['retry-after']], [429, 'x', '7'])
  assert.equal(named(steps), ['identify', 'limit'])
})
s(
  'goes no further with another key, and is not charged where it costs nothing [teeth/charged]',
  async () => {
    const { ask, steps } = open({})
    assert.is((await ask(1, 'bad')).status, 401)
    assert.equal(named(steps), ['identify'])
    const free = open({ isFree: true })
    assert.is((await free.ask(9)).status, 200)
    assert.equal(named(free.steps), ['identify', 'limit', 'handle'])
    assert.is((free.events[0] as RequestEvent).trail.units, 0)
  },
)
s('answers what was answered before without asking again [teeth/charged]', async () => {
  const before = reply({ status: 201, body: 'before', headers: { 'x-a': 'b' } })
  const { ask, steps } = open({ charge: { status: 'replayed', reply: before } })
  const { status, text, headers } = await ask()
  assert.equal(
    [status, text, headers['x-a'], headers['x-charged']],
    [201, 'before', 'b', undefined],
  )
  assert.equal(named(steps).slice(-2), ['charge', 'leave'])
})
s('leaves again where it is refused [teeth/charged]', async () => {
  const { ask, steps } = open({
    charge: { status: 'refused', error: httpError('paymentRequired') },
  })
  assert.is((await ask()).status, 402)
  assert.equal(named(steps).slice(-2), ['charge', 'leave'])
})
for (const [what, thrown, concluded, retry] of [
  ['a refusal', new HttpError(404, 'no_route', 'no route'), 404, undefined],
  ['a mistake', new Error('a'), 500, undefined],
  ['an outage', outage, 500, '1'],
  ['its own time', httpError('unavailable', 'a', { headers: { 'retry-after': '9' } }), 503, '9'],
] as const)
  s(`concludes ${what} with its status, and says when to come again [teeth/charged]`, async () => {
    const { ask, steps, events } = open({
      answer: () => {
        throw thrown
      },
    })
    const { status, headers } = await ask()
    assert.is(status, what === 'an outage' ? 503 : concluded)
    assert.is(headers['retry-after'], retry)
    assert.equal(steps.slice(-2), [['conclude', concluded, ''], 'leave'])
    const { concludeMs, sendMs } = events[0]?.trail ?? createTrail(0)
    assert.ok(concludeMs > 0 && sendMs > 0)
  })
for (const [what, answer, text, type, kept] of [
  ['JSON', { ok: false }, '{"ok":false}', 'application/json; charset=utf-8', '{"ok":false}'],
  ['text', reply({ body: 'a' }), 'a', 'text/plain; charset=utf-8', 'a'],
  ['bytes', reply({ body: Buffer.from('b') }), 'b', 'application/octet-stream', ''],
  ['nothing', reply({ status: 204, body: null }), '', undefined, ''],
] as const)
  s(`answers ${what}, and keeps its text for who asks again [teeth/charged]`, async () => {
    const { ask, steps } = open({ answer: () => answer })
    const answered = await ask()
    assert.equal([answered.text, answered.headers['content-type']], [text, type])
    assert.equal(steps.at(-2), ['conclude', answered.status, kept])
  })
s(
  'answers nothing that breaks its schema, and keeps no charge for it [teeth/charged]',
  async () => {
    for (const answer of [{ ok: 1 }, json('{"ok":1}')]) {
      const { ask, steps } = open({ answer: () => answer })
      assert.is((await ask()).status, 500)
      assert.equal(steps.at(-2), ['conclude', 500, ''])
    }
  },
)
s('tells the handler who pays, whose request it is and what it said [teeth/charged]', async () => {
  for (const isPaying of [true, false, undefined]) {
    let told: unknown
    const answer = ({ body, rawBody, isPaying: pays, caller: by, requestId }: Asked) => {
      told = [body, rawBody, pays, by, requestId]
      return { ok: true }
    }
    const { ask } = open({ charge: { isPaying }, answer })
    await ask()
    assert.equal(told, [{ times: 1 }, '{"times": 1}', isPaying === true, caller, 'r'])
  }
})
s('weighs it once where no limit applies [teeth/charged-unlimited]', async () => {
  const { ask, steps } = open({})
  await ask(9)
  assert.equal(named(steps), [
    'identify',
    'limit',
    'enter',
    'charge',
    'handle',
    'conclude',
    'leave',
  ])
})
s('concludes whether a refusal is of the question [teeth/charged-question]', async () => {
  for (const [thrown, expected] of [
    [new Error('a'), false],
    [httpError('noRoute'), true],
    [httpError('unavailable'), false],
    [httpError('chainUnreachable', 'a', { isOfQuestion: true }), true],
    [undefined, undefined],
  ] as const) {
    const told: unknown[] = []
    const { ask } = open({
      charge: { conclude: async ({ isOfQuestion }) => void told.push(isOfQuestion) },
      answer: () => {
        if (thrown) throw thrown
        return { ok: true }
      },
    })
    await ask()
    assert.equal(told, [expected])
  }
})
s('was under way for no longer than whoever asked has waited [teeth/charged-time]', async () => {
  const { ask, events } = open({})
  const before = performance.now()
  await ask()
  const tookMs = performance.now() - before
  const ms = events[0]?.durationMs ?? Number.NaN
  assert.ok(ms > 0 && ms <= tookMs, `${ms} of ${tookMs} ms`)
})
s.run()
