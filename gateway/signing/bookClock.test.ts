import { assert, suite } from '../../fixtures/test.ts'
import { createBookClock, steadyNow } from './bookClock.ts'

const s = suite('book clock')
const [minuteMs, dayMs] = [60_000, 24 * 3_600_000]

/** A book that others write to, a right chain, and a process whose machine is so far ahead. */
function open({ aheadMs }: { readonly aheadMs: number }) {
  const world = { nowMs: 1_900_000_000_000, storedMs: undefined as number | undefined }
  const told: string[] = []
  const clock = createBookClock({
    now: () => world.nowMs + aheadMs,
    readStored: async () => world.storedMs,
    aheadBy: (ms, who) => void told.push(`${who} ${ms / minuteMs}`),
  })
  return { world, told, clock, read: () => clock.read(async () => world.nowMs) }
}

s(
  'looks again at a book that was empty: a machine that is ahead is not believed [18/clock-empty-book]',
  async () => {
    const { world, told, read } = open({ aheadMs: dayMs })
    assert.is((await read()).nowMs, world.nowMs + dayMs)
    world.nowMs += 90 * minuteMs
    world.storedMs = world.nowMs
    world.nowMs += minuteMs
    assert.is((await read()).nowMs, world.nowMs + 2 * minuteMs)
    assert.equal(told, ['machine 1438'])
    world.nowMs += minuteMs
    assert.is((await read()).nowMs, world.nowMs + 2 * minuteMs)
  },
)

s('a machine whose clock is right takes up a book that others began, whenever', async () => {
  const { world, told, read } = open({ aheadMs: 0 })
  await read()
  world.nowMs += 90 * minuteMs
  world.storedMs = world.nowMs
  world.nowMs += 90 * minuteMs
  assert.is((await read()).nowMs, world.nowMs)
  assert.equal(told, [])
})

s('what others write after an empty look is as old as that look at least', async () => {
  const { world, told, read } = open({ aheadMs: 10 * minuteMs })
  world.nowMs += 60 * minuteMs
  await read()
  world.storedMs = world.nowMs
  assert.is((await read()).nowMs, world.nowMs + 2 * minuteMs)
  assert.equal(told, ['machine 8'])
})

s(
  'a book that is two minutes older than the start is believed, whatever the chain says',
  async () => {
    for (const [agoMs, offByMs] of [
      [2 * minuteMs, 0],
      [2 * minuteMs + 1, 2 * minuteMs + 1],
    ] as const) {
      const { world, clock } = open({ aheadMs: 0 })
      world.storedMs = world.nowMs - agoMs
      const { nowMs } = await clock.read(async () => world.nowMs - dayMs)
      assert.is(nowMs, world.nowMs - offByMs)
    }
  },
)

s('who wrote first has set the time, however long that took', async () => {
  const { world, clock, read } = open({ aheadMs: dayMs })
  const { nowMs } = await read()
  world.nowMs += 3 * 60 * minuteMs
  await read()
  clock.saw(nowMs)
  world.storedMs = nowMs
  assert.is((await read()).nowMs, world.nowMs + dayMs)
})

s('who writes to an empty book first goes by its own clock', async () => {
  const { world, told, clock, read } = open({ aheadMs: dayMs })
  const { nowMs } = await read()
  clock.saw(nowMs)
  world.storedMs = nowMs
  world.nowMs += 90 * minuteMs
  assert.is((await read()).nowMs, world.nowMs + dayMs)
  assert.equal(told, [])
})

s('what a machine is ahead by is judged when the book is first read', async () => {
  const { world, read } = open({ aheadMs: dayMs })
  world.storedMs = world.nowMs
  world.nowMs += 3 * 60 * minuteMs
  assert.is((await read()).nowMs, world.nowMs + 2 * minuteMs)
})

s('asks again where the chain was out of reach', async () => {
  const { world, clock, read } = open({ aheadMs: dayMs })
  world.storedMs = world.nowMs
  const down = async () => Promise.reject(new Error('out of reach'))
  const failed = await clock.read(down).catch((error: Error) => error.message)
  assert.is(failed, 'out of reach')
  assert.is((await read()).nowMs, world.nowMs + 2 * minuteMs)
  assert.is(clock.now(), world.nowMs + 2 * minuteMs)
})

s('who reads beside one for whom the chain is out of reach reads all the same', async () => {
  const { world, told, clock, read } = open({ aheadMs: dayMs })
  world.storedMs = world.nowMs
  const down = async () => Promise.reject(new Error('out of reach'))
  const [failed, ...others] = await Promise.allSettled([clock.read(down), read(), read()])
  assert.is(failed?.status, 'rejected')
  for (const one of others)
    assert.is(one.status === 'fulfilled' && one.value.nowMs, world.nowMs + 2 * minuteMs)
  assert.equal(told, ['machine 1438'])
})
s('a machine within two minutes of the chain is believed, a millisecond more is told', async () => {
  for (const [aheadMs, tells, offByMs] of [
    [minuteMs, [], 0],
    [2 * minuteMs, [], 0],
    [2 * minuteMs + 1, [`machine ${1 / minuteMs}`], 1],
  ] as const) {
    const { world, told, read } = open({ aheadMs })
    // Nobody has written to it for a day.
    world.storedMs = world.nowMs - dayMs
    assert.is((await read()).nowMs, world.nowMs + aheadMs - offByMs)
    assert.equal(told, tells)
  }
})
s('a book within two minutes of the machine is believed, a millisecond more is told', async () => {
  for (const [aheadMs, tells] of [
    [2 * minuteMs, []],
    [2 * minuteMs + 1, [`book ${2 + 1 / minuteMs}`]],
  ] as const) {
    const { world, told, clock, read } = open({ aheadMs: 0 })
    assert.is(clock.now(), world.nowMs)
    world.storedMs = world.nowMs + aheadMs
    await read()
    assert.equal(told, tells)
  }
})
s('goes on from what the book said, at the pace of its own clock [teeth/book-pace]', async () => {
  const { world, told, clock, read } = open({ aheadMs: -60 * minuteMs })
  const bookMs = world.nowMs
  world.storedMs = bookMs
  assert.equal((await read()).pace, { fromMs: bookMs, elapsedMs: 0 })
  assert.equal(told, ['book 60'])
  world.nowMs += minuteMs
  assert.is(clock.now(), bookMs + minuteMs)
  clock.saw(bookMs + 5 * minuteMs)
  world.nowMs += minuteMs
  assert.is(clock.now(), bookMs + 6 * minuteMs)
  assert.equal((await read()).pace, { fromMs: bookMs + 5 * minuteMs, elapsedMs: minuteMs })
})
s('counts whole milliseconds from the wall time at start', () => {
  assert.ok(Number.isInteger(steadyNow()))
  assert.ok(Math.abs(steadyNow() - Date.now()) < 60 * minuteMs)
  const [before, fromMs] = [steadyNow(), performance.now()]
  while (performance.now() < fromMs + 2);
  assert.ok(steadyNow() > before)
})
s.run()
