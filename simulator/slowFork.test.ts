import { mock } from 'node:test'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Fork } from './fork.ts'
import { createSlowFork } from './slowFork.ts'

const s = suite('slow fork')
// Its timers keep no process alive.
const alive = setInterval(() => undefined, 60_000)
s.after(() => clearInterval(alive))

/** A fork that answers every ping; killed, it is gone when `leave` is called. */
function createFork(url: string) {
  const exit = Promise.withResolvers<void>()
  const killed = Promise.withResolvers<void>()
  const fork: Fork = {
    rpc: { batch: async () => [{ ok: true, result: '0x1' }], close: async () => undefined },
    url,
    exited: exit.promise,
    isAlive: () => true,
    kill() {
      killed.resolve()
      return exit.promise
    },
  }
  return { fork, killed: killed.promise, leave: exit.resolve }
}

s('gives another to whoever asks while one is being ended', async () => {
  const [first, second] = [createFork('first'), createFork('second')]
  const waiting = [first.fork, second.fork]
  const start = async () => waiting.shift() ?? Promise.reject(new Error('no more forks'))
  const slow = createSlowFork({ start, idleMs: 100 })
  assert.is((await slow.get()).url, 'first')
  await first.killed
  assert.is((await slow.get()).url, 'second')
  first.leave()
  await first.fork.exited
  assert.is((await slow.get()).url, 'second')
  second.leave()
  await slow.close()
})

/** Each that was started, by a clock that is set here. */
function open(start = async (made: ReturnType<typeof createStandInFork>) => made.fork) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const made: ReturnType<typeof createStandInFork>[] = []
  let pings = 0
  let isUp = true
  const slow = createSlowFork({
    start() {
      const one = createStandInFork({
        async batch() {
          pings += 1
          if (!isUp) throw new Error('it does not answer')
          return []
        },
      })
      made.push(one)
      return start(one)
    },
  })
  return {
    slow,
    made,
    pings: () => pings,
    wedge() {
      isUp = false
    },
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 100) {
        mock.timers.tick(Math.min(100, left))
        await new Promise(setImmediate)
      }
    },
  }
}
s.after.each(() => mock.timers.reset())

s('ends once nobody has asked for it for five seconds [teeth/forks-slow]', async () => {
  const { slow, made, pass } = open()
  const fork = await slow.get()
  await pass(3_000)
  assert.is(await slow.get(), fork)
  await pass(4_999)
  assert.not.ok(made[0]?.isKilled())
  await pass(1)
  assert.ok(made[0]?.isKilled())
})
s(
  'gives another where one could not be started, has died or is wedged [teeth/forks-slow]',
  async () => {
    let failures = 1
    const { slow, made, pass, pings, wedge } = open(async ({ fork }) => {
      if (failures > 0) {
        failures -= 1
        throw new Error('no memory')
      }
      return fork
    })
    assert.is(await slow.get().catch((error: Error) => error.message), 'no memory')
    const second = await slow.get()
    await pass(300)
    const before = pings()
    assert.ok(before > 0)
    made[1]?.die()
    await pass(900)
    assert.is(pings(), before, 'who is gone is not pinged')
    assert.ok(made[1]?.isKilled(), 'its connections are ended')
    assert.is.not(await slow.get(), second)
    wedge()
    await pass(2_000)
    assert.ok(made[2]?.isKilled())
    assert.is(await slow.get(), made[3]?.fork)
    await slow.close()
    assert.ok(made[3]?.isKilled())
  },
)
s(
  'starts none for a generation that is over, and leaves none behind [teeth/forks-slow]',
  async () => {
    const gate = Promise.withResolvers<void>()
    const { slow, made } = open(async ({ fork }) => {
      await gate.promise
      return fork
    })
    const reasonOf = (asked: Promise<unknown>) => asked.catch((error: Error) => error.message)
    const asked = reasonOf(slow.get())
    const closing = slow.close()
    gate.resolve()
    await closing
    assert.is(await asked, 'the generation is over')
    assert.is(await reasonOf(slow.get()), 'the generation is over')
    assert.equal(
      made.map(({ isKilled }) => isKilled()),
      [true],
    )
  },
)
s.run()
