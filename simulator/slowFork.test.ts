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
s.run()
