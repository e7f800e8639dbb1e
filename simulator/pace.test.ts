import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import { createPace } from './pace.ts'

const s = suite('pace')
// A pace by itself holds no process back from ending.
const alive = setInterval(() => undefined, 1_000)
s.after(() => clearInterval(alive))
s.after.each(() => {
  mock.timers.reset()
  mock.restoreAll()
})

s('lets a burst through at once and makes wait for what goes beyond it', async () => {
  const pace = createPace({ burst: 100, perSecond: 1_000 })
  const startedAt = performance.now()
  const timers = mock.method(globalThis, 'setTimeout').mock
  await pace(100)
  assert.is(timers.callCount(), 0)
  await pace(150)
  // From before the burst: what passes between the two is paid back. Timers count in whole milliseconds.
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs >= 148, `${tookMs} ms for 150 units at 1000 a second`)
})
s('makes later ones wait behind earlier ones', async () => {
  const pace = createPace({ burst: 1, perSecond: 100 })
  const order: number[] = []
  await Promise.all([1, 2, 3].map((unit) => pace(1).then(() => order.push(unit))))
  assert.equal(order, [1, 2, 3])
})
s(
  'lets a burst through at once however young its process is, and no more after a pause',
  async () => {
    let nowMs = 10
    mock.method(performance, 'now', () => nowMs)
    mock.timers.enable({ apis: ['setTimeout'] })
    const pace = createPace({ burst: 10_000, perSecond: 1_000 })
    let through = 0
    const ask = (units: number) =>
      void pace(units).then(() => {
        through += 1
      })
    const throughAfter = async (ms: number) => {
      nowMs += ms
      mock.timers.tick(ms)
      await new Promise(setImmediate)
      return through
    }
    ask(10_000)
    assert.is(await throughAfter(0), 1)
    ask(5_000)
    assert.equal([await throughAfter(4_999), await throughAfter(1)], [1, 2])
    await throughAfter(60_000)
    for (const units of [10_000, 1]) ask(units)
    assert.equal([await throughAfter(0), await throughAfter(1)], [3, 4])
  },
)
s.run()
