import { mock } from 'node:test'
import { answerQuote, makeRequest, scriptSource } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { type Entry, fanOut, type Hasty } from './fanOut.ts'
import { fail, type SourceOutcome } from './provider/source.ts'
import { createTicket } from './provider/ticket.ts'
import { createUsualWaits } from './usualWaits.ts'

/** Who is waited for how long, by a clock that is set here. */
const s = suite('meta/fanOut, to the millisecond')
let nowMs = 0
s.before.each(() => {
  nowMs = 0
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(performance, 'now', () => 1_000 + nowMs)
})
s.after.each(() => {
  mock.timers.reset()
  mock.restoreAll()
})

/** Sources that answer when they are told to; of those that are hasty `silent` kept somebody waiting before. */
function open(
  names: readonly string[],
  {
    hasty = [],
    usual = {},
    deadlineMs = 9_000,
    patienceMs = 3_000,
    left = () => undefined,
    holds,
  }: {
    hasty?: readonly string[]
    /** How long the others are waited for. */
    usual?: Readonly<Record<string, number>>
    deadlineMs?: number
    patienceMs?: number
    /** Whom to tell of an answer that comes too late. */
    left?: Hasty['leave']
    holds?: (entries: readonly Entry[]) => Promise<boolean>
  } = {},
) {
  const answers = new Map(
    names.map((name) => [name, Promise.withResolvers<SourceOutcome>()] as const),
  )
  const told: (readonly [ms: number, name: string, said: string])[] = []
  const { signal } = new AbortController()
  const ended = fanOut(
    { now: () => nowMs, onFault: ({ error }) => assert.unreachable(String(error)) },
    {
      sources: names.map((name) =>
        scriptSource({ name, answer: () => answers.get(name)?.promise ?? Promise.reject(name) }),
      ),
      request: makeRequest(),
      deadlineMs,
      patienceMs,
      signal,
      holds,
      hasty: {
        has: (name) => hasty.includes(name),
        usualMs: (name) => usual[name],
        isSilent: (name) => name === 'silent',
        leave: left,
      },
      onEntry({ provider, outcome, elapsedMs }) {
        assert.is(elapsedMs, nowMs)
        const why = outcome.status === 'failure' ? (outcome.detail ?? outcome.reason) : 'quote'
        told.push([nowMs, provider, why])
      },
    },
  )
  return {
    told,
    ended,
    /** Lets time pass until then, when one may answer. */
    async at(ms: number, name = '', outcome = answerQuote({ provider: name })) {
      await new Promise(setImmediate)
      while (nowMs < ms) {
        nowMs += 1
        mock.timers.tick(1)
        await new Promise(setImmediate)
      }
      answers.get(name)?.resolve(outcome)
      await new Promise(setImmediate)
    },
  }
}

s(
  'grants half of the time more that the others took, or a thirtieth of the patience [meta/fan-out-times]',
  async () => {
    const hasty = ['slow', 'silent']
    const quick = open(['fast', ...hasty], { hasty })
    await quick.at(40, 'fast')
    await quick.at(200)
    assert.equal(quick.told, [
      [40, 'fast', 'quote'],
      [60, 'silent', 'slower than the 60 ms that it is waited for'],
      [100, 'slow', 'slower than the 100 ms that it is waited for'],
    ])
    await quick.ended
    nowMs = 0
    const later = open(['fast', ...hasty], { hasty })
    await later.at(400, 'fast')
    await later.at(700)
    assert.equal(
      later.told.map(([ms, name]) => [ms, name]),
      [
        [400, 'fast'],
        [600, 'silent'],
        [600, 'slow'],
      ],
    )
  },
)
s(
  'counts that from the last of the others, once one of all has a quote [meta/fan-out-times]',
  async () => {
    const { at, told } = open(['first', 'second', 'slow', 'slower'], { hasty: ['slow', 'slower'] })
    await at(10, 'first')
    await at(500, 'second', fail('no_route'))
    await at(600, 'slow')
    await at(1_000)
    assert.equal(told, [
      [10, 'first', 'quote'],
      [500, 'second', 'no_route'],
      [600, 'slow', 'quote'],
      [750, 'slower', 'slower than the 750 ms that it is waited for'],
    ])
    nowMs = 0
    const without = open(['first', 'slow', 'slower'], { hasty: ['slow', 'slower'] })
    await without.at(100, 'first', fail('no_route'))
    await without.at(800, 'slow')
    await without.at(1_300)
    assert.equal(
      without.told.map(([ms, name]) => [ms, name]),
      [
        [100, 'first'],
        [800, 'slow'],
        [1_200, 'slower'],
      ],
    )
  },
)
s('hears of who was left behind for as long as its call took [meta/fan-out-times]', async () => {
  const heard: Entry[] = []
  const { at, ended } = open(['fast', 'slow'], {
    hasty: ['slow'],
    left: () => (entry) => void heard.push(entry),
  })
  await at(40, 'fast')
  await at(5_000, 'slow')
  await ended
  assert.equal(
    heard.map(({ provider, elapsedMs, outcome }) => [provider, elapsedMs, outcome.status]),
    [['slow', 5_000, 'quote']],
  )
})
s(
  'ends at the end of its patience with a quote, and of its time without one [meta/fan-out-times]',
  async () => {
    const patient = open(['fast', 'slow'])
    await patient.at(10, 'fast')
    await patient.at(3_001)
    assert.equal(patient.told.at(-1), [
      3_000,
      'slow',
      'slower than the 3000 ms that other quotes waited',
    ])
    nowMs = 0
    const late = open(['fast', 'slow'])
    await late.at(3_500, 'fast', fail('no_route'))
    await late.at(9_001)
    assert.equal(late.told, [
      [3_500, 'fast', 'no_route'],
      [9_000, 'slow', 'no answer within 9000 ms'],
    ])
  },
)
s(
  'waits as long as is usual of each, once our own search or two others have a quote [strangers/meta-usual]',
  async () => {
    const heard: Entry[] = []
    const usual = { slow: 200, slower: 400 }
    const left = (name: string) => (entry: Entry) => void heard.push({ ...entry, provider: name })
    const own = open(['routing', 'slow', 'slower', 'new'], { usual, left })
    await own.at(40, 'routing', answerQuote({ provider: 'routing', isReference: true }))
    await own.at(300, 'slow')
    await own.at(500, 'slower', fail('no_route'))
    await own.at(3_001)
    // A turn of the loop later: what has come is read first.
    assert.equal(own.told, [
      [40, 'routing', 'quote'],
      [201, 'slow', 'slower than the 200 ms that it is waited for'],
      [401, 'slower', 'slower than the 400 ms that it is waited for'],
      [3_000, 'new', 'slower than the 3000 ms that other quotes waited'],
    ])
    assert.equal(
      heard.map(({ provider, elapsedMs, outcome }) => [provider, elapsedMs, outcome.status]),
      [
        ['slow', 300, 'quote'],
        ['slower', 500, 'failure'],
      ],
    )
    assert.equal(
      (await own.ended).map(({ isLeftBehind }) => isLeftBehind),
      [undefined, true, true, undefined],
    )
    nowMs = 0
    const others = open(['one', 'unlisted', 'other', 'slow'], { usual })
    await others.at(10, 'one')
    await others.at(20, 'unlisted', answerQuote({ provider: 'unlisted', mustBeProved: true }))
    await others.at(900, 'other')
    await others.at(901)
    assert.equal(
      others.told.map(([ms, name]) => [ms, name]),
      [
        [10, 'one'],
        [20, 'unlisted'],
        [900, 'other'],
        [900, 'slow'],
      ],
    )
  },
)
s(
  'cuts nobody short before what is in hand is known to hold, which is asked once [17/usual-holds]',
  async () => {
    const cuts = [
      [300, 'slow'],
      [401, 'slower'],
    ]
    for (const [doesHold, expected] of [
      [true, cuts],
      [false, []],
    ] as const) {
      nowMs = 0
      const asked: (readonly string[])[] = []
      const { promise: held, resolve: tell } = Promise.withResolvers<boolean>()
      const { at, told, ended } = open(['routing', 'slow', 'slower'], {
        usual: { slow: 200, slower: 400 },
        holds(entries) {
          asked.push(entries.map(({ provider }) => provider))
          return held
        },
      })
      await at(40, 'routing', answerQuote({ provider: 'routing', isReference: true }))
      await at(199)
      assert.equal(asked, [])
      await at(300)
      tell(doesHold)
      await at(300)
      await at(1_000)
      assert.equal(asked, [['routing']])
      assert.equal(
        told.slice(1).map(([ms, name]) => [ms, name]),
        expected,
      )
      await at(3_001)
      await ended
    }
  },
)
s(
  'reads first what came while the loop was busy, and counts no time in a line [strangers/meta-usual-loop]',
  async () => {
    const { at, told } = open(['routing', 'slow'], { usual: { slow: 200 } })
    await at(40, 'routing', answerQuote({ provider: 'routing', isReference: true }))
    // Both are due when the loop turns again.
    nowMs = 900
    mock.timers.tick(860)
    await at(900, 'slow')
    assert.equal(told.at(-1), [900, 'slow', 'quote'])
    nowMs = 0
    const ticket = createTicket({ caller: 'me' })
    const hasEnded = ticket.stand({ came: () => undefined, went: () => undefined })
    const waits = createUsualWaits()
    waits.noteEnough()
    let isOver = false
    void waits.over({ usualMs: 200, ticket: () => ticket, isOpen: () => true }).then(() => {
      isOver = true
    })
    for (const [untilMs, expected] of [
      [900, false],
      [1_099, false],
      [1_100, true],
    ] as const) {
      while (nowMs < untilMs) {
        nowMs += 1
        mock.timers.tick(1)
        await new Promise(setImmediate)
      }
      await new Promise(setImmediate)
      assert.is(isOver, expected, `${untilMs} ms`)
      if (untilMs === 900) hasEnded(true)
    }
  },
)
s(
  'looks every 20 ms whether it still stands in a line whose own time is over [teeth/usual-line]',
  async () => {
    for (const [turnAtMs, expectedMs] of [
      [201, 220],
      [216, 221],
    ] as const) {
      nowMs = 0
      const ticket = createTicket({ caller: 'me' })
      const waits = createUsualWaits()
      waits.noteEnough()
      let overAtMs: number | undefined
      void waits.over({ usualMs: 200, ticket: () => ticket, isOpen: () => true }).then(() => {
        overAtMs = nowMs
      })
      let hasEnded: ((hasEnded: boolean) => void) | undefined
      while (nowMs < 230) {
        // Five milliseconds before its time is over.
        if (nowMs === 195) hasEnded = ticket.stand({ came: () => undefined, went: () => undefined })
        if (nowMs === turnAtMs) hasEnded?.(true)
        nowMs += 1
        mock.timers.tick(1)
        for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate)
      }
      assert.is(overAtMs, expectedMs)
    }
  },
)
s(
  'ends no wait for whoever has answered, and asks nothing then [teeth/usual-answered]',
  async () => {
    let [asked, isOver] = [0, false]
    const waits = createUsualWaits({
      async holds() {
        asked += 1
        return true
      },
    })
    waits.noteEnough()
    const answered = { usualMs: 0, ticket: () => undefined, isOpen: () => false }
    void waits.over(answered).then(() => {
      isOver = true
    })
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
    assert.equal([asked, isOver], [0, false])
  },
)
s('counts no time of a source that stands in a line [teeth/usual-ticket]', async () => {
  const ticket = createTicket({ caller: 'me' })
  const hasEnded = ticket.stand({ came: () => undefined, went: () => undefined })
  const own = answerQuote({ provider: 'routing', isReference: true })
  const cutAtMs = Promise.withResolvers<number>()
  void fanOut(
    { now: () => nowMs, onFault: ({ error }) => assert.unreachable(String(error)) },
    {
      sources: [
        scriptSource({ name: 'routing', answer: own }),
        {
          name: 'slow',
          quote(_, { onTicket }) {
            onTicket?.(ticket)
            return new Promise(() => undefined)
          },
        },
      ],
      request: makeRequest(),
      deadlineMs: 9_000,
      patienceMs: 5_000,
      signal: new AbortController().signal,
      hasty: {
        has: () => false,
        usualMs: (name) => (name === 'slow' ? 200 : undefined),
        isSilent: () => false,
        leave: () => undefined,
      },
    },
  ).then(() => cutAtMs.resolve(nowMs))
  while (nowMs < 1_500) {
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate)
    if (nowMs === 900) hasEnded(true)
    nowMs += 1
    mock.timers.tick(1)
  }
  assert.is(await cutAtMs.promise, 1_100)
})
s.run()
