import { mock } from 'node:test'
import { assert, suite } from '../../../fixtures/test.ts'
import type { Endpoint } from './endpoint.ts'
import { createFailover } from './failover.ts'
import { createLimits } from './limits.ts'
import type { RpcAnswer, RpcCall } from './readReply.ts'

const s = suite('calls that wait for endpoints')
const idle: Endpoint = {
  url: 'http://127.0.0.1:1',
  limits: createLimits({ now: () => 0 }),
  waitMs: () => 0,
  isBusy: () => true,
  send: async (calls) => ({ answers: calls.map(() => undefined), trouble: { kind: 'network' } }),
  otherChain: () => undefined,
  close: () => undefined,
}
const said: RpcAnswer = { result: '0x1' }
const waiting = { isFirst: true, patienceMs: 1_000, blockPatienceMs: 0 }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A clock that is set here, for waits, too. */
function holdClock() {
  let nowMs = 1_000_000
  const reading = mock.method(performance, 'now', () => nowMs).mock
  mock.timers.enable({ apis: ['setTimeout'] })
  return {
    async pass(ms: number) {
      await turn()
      nowMs += ms
      mock.timers.tick(ms)
      await turn()
    },
    [Symbol.dispose]() {
      mock.timers.reset()
      reading.restore()
    },
  }
}
/** One that may be asked in so many milliseconds and answers so, and what it was asked. */
function createLater(
  inMs: number,
  {
    answer = () => said,
    ...more
  }: Partial<Pick<Endpoint, 'isBusy' | 'otherChain' | 'send'>> & {
    readonly answer?: () => RpcAnswer | undefined
  } = {},
) {
  const fromMs = performance.now() + inMs
  const asked: string[] = []
  const later: Endpoint = {
    ...idle,
    waitMs: () => fromMs - performance.now(),
    async send(calls) {
      asked.push(...calls.map(({ method }) => method))
      return { answers: calls.map(answer), trouble: { kind: 'network' } }
    },
    ...more,
  }
  return { endpoint: later, asked }
}
const connect = (...nodes: readonly { readonly endpoint: Endpoint }[]) =>
  createFailover({ endpoints: nodes.map(({ endpoint }) => endpoint), blockTimeMs: 2_000 })
const call: RpcCall = { method: 'eth_call', params: [] }

s('waits a quarter of a second for the first, and no longer [teeth/failover-short]', async () => {
  using clock = holdClock()
  const [soon, ready] = [createLater(250), createLater(0)]
  const failover = connect(soon, ready)
  assert.equal(failover.inOrder(), [soon.endpoint, ready.endpoint])
  const answered = failover.call(call, waiting)
  await clock.pass(249)
  assert.equal([soon.asked.length, ready.asked.length], [0, 0])
  await clock.pass(1)
  assert.is((await answered).status, 'answered')
  assert.equal([soon.asked.length, ready.asked.length], [1, 0])
  const [late, other] = [createLater(251), createLater(0)]
  const next = connect(late, other)
  assert.equal(next.inOrder(), [other.endpoint, late.endpoint])
  await next.call(call, waiting)
  assert.equal([late.asked.length, other.asked.length], [0, 1])
})

s('asks whoever may be asked first where all rest [teeth/failover-soonest]', async () => {
  using clock = holdClock()
  for (const [firstMs, secondMs, asked] of [
    [1_000, 700, [0, 1]],
    [700, 1_000, [1, 0]],
  ] as const) {
    const [first, second] = [createLater(firstMs), createLater(secondMs)]
    const answered = connect(first, second).call(call, waiting)
    await clock.pass(699)
    assert.equal([first.asked.length, second.asked.length], [0, 0])
    await clock.pass(1)
    assert.is((await answered).status, 'answered')
    assert.equal([first.asked.length, second.asked.length], asked)
  }
})

s(
  'has nobody wait for longer than it can, nor than two seconds for one that is down [teeth/failover-patience]',
  async () => {
    using clock = holdClock()
    for (const [isBusy, patienceMs, mostMs] of [
      [true, 90_000, 90_000],
      [false, 90_000, 2_000],
      [false, 1_000, 1_000],
    ] as const)
      for (const [inMs, isWaiting] of [
        [mostMs, true],
        [mostMs + 1, false],
      ] as const) {
        const node = createLater(inMs, { isBusy: () => isBusy })
        const outcome = connect(node).call(call, { ...waiting, patienceMs })
        await turn()
        assert.is(node.asked.length, 0)
        if (isWaiting) await clock.pass(mostMs)
        const { status } = await outcome
        assert.is(status, isWaiting ? 'answered' : 'unreachable')
        if (!isWaiting)
          assert.equal(await outcome, { status, reasons: ['rate_limited'], isUnsent: true })
      }
  },
)

s(
  'has what comes first wait for as long as others of it are answered [teeth/failover-progress]',
  async () => {
    using clock = holdClock()
    for (const [isFirst, count, reaches] of [
      [true, 2, true],
      [false, 2, false],
      // Nothing was answered meanwhile.
      [true, 1, false],
    ] as const) {
      let fromMs = performance.now() + 800
      let sent = 0
      const busy: Endpoint = {
        ...idle,
        waitMs: () => fromMs - performance.now(),
        async send(calls) {
          sent += 1
          if (sent === 1) fromMs = performance.now() + 900
          const error = { code: -32005, message: 'limit exceeded' }
          const answers = calls.map(() => said)
          const last = sent === 1 ? { error } : said
          return { answers: [...answers.slice(1), last], trouble: { kind: 'network' } }
        },
      }
      const failover = connect({ endpoint: busy })
      const asked = Array.from({ length: count }, () =>
        failover.call(call, { ...waiting, isFirst }),
      )
      await clock.pass(800)
      await clock.pass(900)
      const outcome = await asked.at(-1)
      const refused = { status: 'unreachable', reasons: ['rate_limited', 'rate_limited'] }
      if (reaches) assert.is(outcome?.status, 'answered')
      else assert.equal(outcome, refused)
    }
  },
)

s('looks at its endpoints once for all calls of a turn [teeth/failover-once]', async () => {
  using clock = holdClock()
  const node = createLater(600)
  const waits = mock.method(node.endpoint, 'waitMs').mock
  const failover = connect(node)
  const calls = Array.from({ length: 10 }, () => failover.call(call, waiting))
  await turn()
  assert.is(waits.callCount(), 1)
  await clock.pass(600)
  for (const { status } of await Promise.all(calls)) assert.is(status, 'answered')
})

s(
  'asks those that have not told for a while where they stand, if they may be asked [teeth/failover-silent]',
  async () => {
    using clock = holdClock()
    const told = { number: '0x64', timestamp: '0x1' }
    const first = createLater(0)
    const ready = createLater(15_001, { answer: () => ({ result: told }) })
    const resting = createLater(15_002)
    const gone = createLater(0, { answer: () => undefined })
    const failover = connect(first, ready, resting, gone)
    const alone = connect(first)
    await failover.call(call, waiting)
    assert.equal(ready.asked, [])
    await clock.pass(15_001)
    first.asked.length = 0
    await alone.call(call, waiting)
    assert.equal(first.asked, ['eth_call'])
    await failover.call(call, waiting)
    await turn()
    assert.equal(ready.asked, ['eth_getBlockByNumber'])
    assert.equal(resting.asked, [])
    assert.is(failover.standsStill(90), 'gateway')
  },
)

s('prefers one for ten minutes, and meanwhile no other [teeth/failover-preferred]', async () => {
  using clock = holdClock()
  const [first, second, third] = [createLater(0), createLater(0), createLater(0)]
  const failover = connect(first, second, third)
  const nameOf = (endpoint: Endpoint | undefined) =>
    [first, second, third].findIndex((node) => node.endpoint === endpoint)
  const leads = () => nameOf(failover.inOrder()[0])
  assert.is(leads(), 0)
  failover.prefer(second.endpoint)
  await clock.pass(599_999)
  failover.prefer(third.endpoint)
  assert.is(leads(), 1)
  await clock.pass(1)
  assert.is(leads(), 0)
  failover.prefer(third.endpoint)
  assert.equal(failover.inOrder().map(nameOf), [2, 0, 1])
})

s('names another chain that one serves, and whether all do [teeth/failover-astray]', () => {
  const of = (...ids: readonly (number | undefined)[]) => {
    const failover = connect(...ids.map((id) => createLater(0, { otherChain: () => id })))
    return [failover.otherChain(), failover.isAstray()]
  }
  assert.equal(of(undefined, undefined), [undefined, false])
  assert.equal(of(undefined, 5), [5, false])
  assert.equal(of(3, 5), [3, true])
})

s('ends with nobody asked any more and no timer left [teeth/failover-closed]', async () => {
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = countTimers()
  const resting = createLater(60_000)
  const patient = { ...waiting, patienceMs: 90_000 }
  const waits = connect(resting)
  const held = waits.call(call, patient)
  await turn()
  const later = waits.call(call, patient)
  await turn()
  assert.is(countTimers(), before + 1)
  waits.close()
  assert.is(countTimers(), before)
  const closed = { status: 'unreachable', reasons: ['closed'], isUnsent: true }
  assert.equal(await Promise.all([held, later]), [closed, closed])

  const answer = Promise.withResolvers<void>()
  let sent = 0
  const busy = createLater(0, {
    async send() {
      sent += 1
      await answer.promise
      return { answers: [undefined], trouble: { kind: 'network' } }
    },
  })
  const failover = connect(busy)
  const underWay = failover.call(call, waiting)
  await turn()
  failover.close()
  answer.resolve()
  assert.equal(await underWay, { status: 'unreachable', reasons: ['network', 'closed'] })
  assert.is(sent, 1)
})
s.run()
