import { getEventListeners } from 'node:events'
import { mock } from 'node:test'
import { LRUCache } from 'lru-cache'
import { answerQuote, makeRequest, scriptSource } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { fanOut } from './fanOut.ts'
import { holdTurns } from './testing/holdTurns.ts'
import { createTurns } from './turns.ts'

const s = suite('meta/turns')

s('begins at once while nobody else does, and then when the loop had time', async () => {
  const { ask, begun, rest } = holdTurns()
  await ask('a')
  const next = ask('b')
  await Promise.resolve()
  assert.equal(begun, ['a'])
  await rest()
  await next
  assert.equal(begun, ['a', 'b'])
})

s('has a crowd wait behind itself [strangers/meta-turns]', async () => {
  const { ask, begun, rest } = holdTurns()
  const crowd = Array.from({ length: 50 }, (_, n) => ask(`crowd ${n % 4}`))
  for (let n = 0; n < 8; n += 1) await rest()
  const honest = ask('honest')
  await rest()
  await honest
  assert.is(begun.indexOf('honest'), 9)
  for (let n = 0; n < 50; n += 1) await rest()
  await Promise.all(crowd)
  // Whose last turn was longer ago comes first, though he asks later.
  const last = [ask('running'), ask('crowd 0'), ask('honest')]
  await rest()
  await rest()
  await Promise.all(last)
  assert.equal(begun.slice(-2), ['honest', 'crowd 0'])
})

s(
  'has whoever asks all the time wait for one turn of each who comes, not for as many as it had [strangers/meta-newcomers]',
  async () => {
    const { ask, begun, rest } = holdTurns()
    for (let n = 0; n < 10; n += 1) {
      await ask('steady')
      await rest()
    }
    begun.length = 0
    const crowd = Array.from({ length: 40 }, (_, n) => ask(`new ${n % 4}`))
    const steady = [ask('steady'), ask('steady')]
    for (let n = 0; n < 50; n += 1) await rest()
    await Promise.all([...crowd, ...steady])
    const places = begun.flatMap((caller, place) => (caller === 'steady' ? [place] : []))
    // In the next round, too: their last turns were before its own.
    assert.equal(places, [4, 9])
  },
)

s(
  'has a crowd that has just come wait behind who asks once a second [strangers/meta-regular]',
  async () => {
    const { ask, begun, rest } = holdTurns()
    for (let n = 0; n < 20; n += 1) {
      await ask('regular')
      await rest(1_000)
    }
    begun.length = 0
    const crowd = Array.from({ length: 40 }, (_, n) => ask(`new ${n % 4}`))
    // Once each had one turn they are behind, however few they had of late.
    for (let n = 0; n < 5; n += 1) await rest(50)
    const regular = ask('regular')
    for (let n = 0; n < 50; n += 1) await rest(50)
    await Promise.all([...crowd, regular])
    assert.is(begun.indexOf('regular'), 6)
  },
)

s(
  'has whoever asks once a second overtaken by none who comes a second later, where more ask than there are turns for [strangers/meta-overtaken]',
  async () => {
    const { ask, begun, rest } = holdTurns()
    const crowd = Array.from({ length: 140 }, (_, n) => `once a minute ${n}`)
    for (const caller of crowd) {
      await ask(caller)
      await rest()
    }
    await rest(60_000)
    await ask('regular')
    await rest(1_000)
    begun.length = 0
    const [before, after] = [crowd.slice(0, 10), crowd.slice(10)]
    const asked = before.map((caller) => ask(caller))
    asked.push(ask('regular'))
    // Another one comes with each turn: the line never ends.
    for (const caller of after) {
      asked.push(ask(caller))
      await rest(50)
    }
    const place = begun.indexOf('regular')
    assert.ok(place >= 0 && place <= before.length + 1_000 / 50, `${place}`)
    for (let n = 0; n < before.length + 1; n += 1) await rest(50)
    await Promise.all(asked)
  },
)

s(
  'has whoever asks once a second go on while ever more others come [strangers/meta-ever-more]',
  async () => {
    const { ask, begun, rest } = holdTurns()
    const hadBy = () => begun.filter((caller) => caller === 'regular').length
    void ask('regular')
    let asked = 1
    for (let turn = 0; turn < 400; turn += 1) {
      void ask(`new ${turn}`)
      // Each second, if it had the one before.
      if (turn % 20 === 0 && hadBy() === asked) {
        void ask('regular')
        asked += 1
      }
      await rest(50)
    }
    const turns = hadBy()
    assert.ok(turns >= 10, `${turns} turns in 20 s`)
  },
)

s(
  'has the addresses and keys of one site wait behind each other [strangers/meta-sites]',
  async () => {
    const { ask, begun, rest } = holdTurns()
    const { signal } = new AbortController()
    // Whoever had a turn a moment ago, and somebody new at each request.
    await ask('honest')
    const crowd = Array.from({ length: 20 }, (_, n) => ask(`address ${n}`, signal, 'site'))
    const honest = ask('honest')
    for (let n = 0; n < 3; n += 1) await rest()
    await honest
    assert.equal(begun, ['honest', 'address 0', 'honest', 'address 1'])
    // Of one site, whoever had none of it or none for longest; and who comes from a new one is the same caller.
    const inside = ask('address 0', signal, 'site')
    const moved = ask('honest', signal, 'another site')
    const fresh = ask('fresh', signal, 'site')
    for (let n = 0; n < 40; n += 1) await rest()
    await Promise.all([...crowd, inside, moved, fresh])
    assert.equal(begun.slice(-3), ['address 19', 'fresh', 'address 0'])
  },
)

s(
  'has of one site who had none for longest, and of those who came first, while the clock runs [attack/turns-clock]',
  async () => {
    let nowMs = 0
    const takeTurn = createTurns({
      now() {
        nowMs += 1
        return nowMs
      },
      whenRested: async () => undefined,
    })
    const begun: string[] = []
    const { signal } = new AbortController()
    const ask = (caller: string) =>
      takeTurn({ caller, site: 'site', chainId: 1, signal }).then(() => void begun.push(caller))
    const asked = ['known', 'first', 'second', 'third', 'known', 'fourth', 'known']
    await Promise.all(asked.map(ask))
    assert.equal(begun, ['known', 'first', 'second', 'third', 'fourth', 'known', 'known'])
  },
)

s('has nobody wait who has left', async () => {
  const { ask, begun, rest } = holdTurns()
  await ask('a')
  const left = new AbortController()
  const leaving = ask('b', left.signal)
  const staying = ask('c')
  left.abort()
  await leaving
  await rest()
  await staying
  assert.equal(begun, ['a', 'b', 'c'])
  await ask('d', left.signal)
})

s('answers for whoever waits too long for a turn [strangers/meta-late]', async () => {
  const { ask, takeTurn } = holdTurns()
  await ask('a')
  const source = scriptSource({ name: 'asked', answer: answerQuote() })
  const entries = await fanOut(
    { now: Date.now, onFault: ({ error }) => assert.unreachable(String(error)), takeTurn },
    {
      sources: [source],
      request: makeRequest(),
      deadlineMs: 20,
      patienceMs: 10,
      signal: new AbortController().signal,
    },
  )
  assert.equal(
    entries.map(({ outcome }) => outcome.status === 'failure' && outcome.reason),
    ['timeout'],
  )
  assert.equal(source.requests, [])
})

s(
  'waits for slow sources as long after a turn as without one [strangers/meta-patience]',
  async () => {
    const turn = Promise.withResolvers<void>()
    const fast = scriptSource({ name: 'fast', answer: answerQuote() })
    const slow = scriptSource({ name: 'slow', answer: answerQuote(), delayMs: 30 })
    const asking = fanOut(
      {
        now: Date.now,
        onFault: ({ error }) => assert.unreachable(String(error)),
        takeTurn: () => turn.promise,
      },
      {
        sources: [fast, slow],
        request: makeRequest(),
        deadlineMs: 10_000,
        patienceMs: 300,
        signal: new AbortController().signal,
      },
    )
    // Longer than patience is.
    setTimeout(turn.resolve, 400)
    assert.equal(
      (await asking).map(({ outcome }) => outcome.status),
      ['quote', 'quote'],
    )
  },
)

s(
  'has many who ask once in a while wait for no rest of a busy loop [meta/turns-of-many]',
  async () => {
    const patience: number[] = []
    const takeTurn = createTurns({
      now: () => 0,
      whenRested: async (ofNext) => void patience.push(ofNext()),
    })
    const { signal } = new AbortController()
    const ask = (caller: string) => takeTurn({ caller, chainId: 1, signal })
    await Promise.all(Array.from({ length: 100 }, (_, n) => ask(`stream ${n}`)))
    // Behind the first and the last of them nobody was in line.
    assert.equal(patience.slice(1, 99), new Array(98).fill(0))
    patience.length = 0
    await Promise.all(Array.from({ length: 53 }, () => ask('crowd')))
    const growing = Array.from({ length: 52 }, (_, n) => Math.min(50, n + 2) / 50)
    assert.equal(patience.slice(1), growing)
    // As for one who asks by many addresses.
    patience.length = 0
    const names = Array.from({ length: 53 }, (_, n) => `address ${n}`)
    await Promise.all(names.map((caller) => takeTurn({ caller, site: 'site', chainId: 1, signal })))
    assert.equal(patience.slice(1), growing)
  },
)

s(
  'knows who is next without asking how many turns all others had [attack/turns-look]',
  async () => {
    const reads = mock.method(LRUCache.prototype, 'get').mock
    const { signal } = new AbortController()
    const resting = Promise.withResolvers<() => number>()
    let hasAll = false
    const takeTurn = createTurns({
      now: () => 0,
      whenRested(patience) {
        if (!hasAll) return Promise.resolve()
        resting.resolve(patience)
        return new Promise(() => undefined)
      },
    })
    const everybody = () =>
      Array.from({ length: 200 }, (_, n) => takeTurn({ caller: `${n}`, chainId: 1, signal }))
    await Promise.all(everybody())
    hasAll = true
    void everybody()
    const look = await resting.promise
    look()
    reads.resetCalls()
    for (let looks = 0; looks < 10; looks += 1) assert.is(look(), 1 / 50)
    assert.is(reads.callCount(), 20)
    reads.restore()
  },
)

s('keeps no listener of whoever had a turn', async () => {
  const { ask, rest } = holdTurns()
  const { signal } = new AbortController()
  const asked = [ask('a', signal), ask('b', signal)]
  assert.is(getEventListeners(signal, 'abort').length, 1)
  await rest()
  await Promise.all(asked)
  assert.is(getEventListeners(signal, 'abort').length, 0)
})

s('looks at the loop itself', async () => {
  const takeTurn = createTurns()
  const { signal } = new AbortController()
  /** How long it is held after 40 ms of work, and what else was done meanwhile. */
  async function measure() {
    const endMs = performance.now() + 40
    while (performance.now() < endMs);
    let others = 0
    setImmediate(() => {
      others += 1
    })
    const before = performance.now()
    await takeTurn({ caller: 'b', chainId: 1, signal })
    return { tookMs: performance.now() - before, others }
  }
  // Who asked a lot of late is held for all that there is to wait.
  for (let n = 0; n < 56; n += 1) await takeTurn({ caller: 'b', chainId: 1, signal })
  let measured = await measure()
  // Where the machine had more to do, all of that was over by then.
  for (let n = 0; n < 10 && measured.tookMs < 10; n += 1) measured = await measure()
  // A quarter of the time it has to rest.
  assert.ok(measured.tookMs >= 10, `${measured.tookMs} ms`)
  assert.is(measured.others, 1, 'it rests by doing what else there is')
})
s(
  'holds nobody who asks once in a while, however busy the loop is [meta/turns-of-many]',
  async () => {
    const takeTurn = createTurns()
    const { signal } = new AbortController()
    let isBusy = true
    const untilMs = performance.now() + 5_000
    function work() {
      const endMs = performance.now() + 2
      while (performance.now() < endMs);
      if (performance.now() > untilMs) isBusy = false
      if (isBusy) setImmediate(work)
    }
    work()
    for (let n = 0; n < 5; n += 1) await takeTurn({ caller: `stream ${n}`, chainId: 1, signal })
    assert.ok(isBusy)
    isBusy = false
  },
)
s('holds nobody once the loop has rested', async () => {
  const takeTurn = createTurns()
  const { signal } = new AbortController()
  const tookMs: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const before = performance.now()
    await takeTurn({ caller: 'busiest', chainId: 1, signal })
    tookMs.push(performance.now() - before)
  }
  // On a machine that has more to do some take longer.
  assert.ok(Math.min(...tookMs.slice(12)) < 50, `${tookMs}`)
})
s.run()
