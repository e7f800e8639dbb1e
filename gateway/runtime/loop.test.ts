import { assert, suite } from '../../fixtures/test.ts'
import { createLoop } from './loop.ts'

const s = suite('loop')
const never = 2 ** 30

/** A run that lasts until it is let go. */
function createWork() {
  const ends: (() => void)[] = []
  const run = () => new Promise<void>((resolve) => void ends.push(resolve))
  return { run, ends, endOne: () => ends.at(-1)?.() }
}

s('begins at once, has one run at a time, and waits for it at the end', async () => {
  const { run, ends, endOne } = createWork()
  const loop = createLoop({ everyMs: never, run })
  loop.start()
  const again = loop.runNow()
  assert.is(ends.length, 1)
  let isStopped = false
  const stopped = loop.stop().then(() => {
    isStopped = true
  })
  await Promise.resolve()
  assert.is(isStopped, false)
  endOne()
  await Promise.all([again, stopped])
  assert.is(ends.length, 1)
})

s('runs every so often until it is stopped', async () => {
  let runs = 0
  const third = Promise.withResolvers<void>()
  const run = async () => {
    runs += 1
    if (runs === 3) third.resolve()
  }
  const loop = createLoop({ everyMs: 1, run })
  // The loop itself keeps no process alive.
  const alive = setInterval(() => {}, never)
  loop.start()
  await third.promise
  clearInterval(alive)
  await loop.stop()
  assert.is(runs, 3)
})

s('is woken for a run that begins later than the one under way', async () => {
  const { run, ends, endOne } = createWork()
  const loop = createLoop({ everyMs: never, run })
  loop.wake()
  assert.is(ends.length, 0)
  loop.start()
  loop.wake()
  endOne()
  while (ends.length < 2) await Promise.resolve()
  const stopped = loop.stop()
  endOne()
  await stopped
  assert.is(ends.length, 2)
})

s('tells a run that failed, and goes on', async () => {
  const told: unknown[] = []
  let runs = 0
  const loop = createLoop({
    everyMs: never,
    run: async () => {
      runs += 1
      if (runs === 1) throw new Error('no')
    },
    failed: (cause) => void told.push(cause),
  })
  await loop.runNow()
  await loop.runNow()
  assert.is(runs, 2)
  assert.match(String(told), 'Error: no')
  await loop.stop()
})
s.run()
