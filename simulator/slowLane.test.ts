import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import { createSlowLane } from './slowLane.ts'

const s = suite('the lane of dear candidates')
s.after.each(() => mock.restoreAll())

/** A lane on a clock of its own, and work of so long. */
function create() {
  let ms = 0
  const lane = createSlowLane({ now: () => ms })
  const order: string[] = []
  const run = (name: string, tookMs: number, caller = name, meanwhile = () => {}) =>
    lane(async () => {
      order.push(name)
      ms += tookMs
      meanwhile()
      return name
    }, caller)
  return { lane, run, order }
}

s('runs one piece of work at a time, and the next after one that failed', async () => {
  const { lane, run, order } = create()
  const held = Promise.withResolvers<string>()
  const first = lane(() => held.promise, 'a')
  const second = run('b', 1)
  assert.equal(order, [])
  held.reject(new Error('no'))
  assert.is(await first.catch(({ message }: Error) => message), 'no')
  assert.is(await second, 'b')
})

s('has whoever sends bombs wait for himself [strangers/slow-turns]', async () => {
  const { run, order } = create()
  const bombs = Array.from({ length: 5 }, (_, n) => run(`bomb ${n}`, 1_800, 'stranger'))
  const honest = [run('honest 0', 50, 'honest'), run('honest 1', 50, 'honest')]
  await Promise.all(honest)
  assert.equal(order.slice(0, 3), ['bomb 0', 'honest 0', 'honest 1'])
  await Promise.all(bombs)
  // Who stayed away has gathered no more than a turn.
  const more = [
    run('last', 1),
    ...Array.from({ length: 3 }, (_, n) => run(`late ${n}`, 5_000, 'late')),
  ]
  more.push(run('bomb 5', 1, 'stranger'))
  await Promise.all(more)
  assert.equal(order.slice(-5), ['last', 'late 0', 'bomb 5', 'late 1', 'late 2'])
})
s(
  'has nobody wait for ever behind who is somebody new each time [strangers/slow-strangers]',
  async () => {
    const { run, order } = create()
    const strangers: Promise<unknown>[] = []
    const bring = (n: number) => {
      if (n === 20) return
      strangers.push(run(`bomb ${n}`, 1_800, `stranger ${n}`, () => bring(n + 1)))
    }
    bring(0)
    await run('honest 0', 50, 'honest')
    await run('honest 1', 50, 'honest')
    assert.ok(order.indexOf('honest 1') < 5, order.join())
    while (strangers.length < 20) await strangers.at(-1)
    await Promise.all(strangers)
  },
)
s('tells whose work took long by the clock of its process', async () => {
  let ms = 0
  mock.method(performance, 'now', () => ms)
  const lane = createSlowLane()
  const order: string[] = []
  const run = (name: string, tookMs: number, caller?: string) =>
    lane(async () => {
      order.push(name)
      ms += tookMs
    }, caller)
  await Promise.all([
    run('bomb 0', 1_800, 'stranger'),
    run('bomb 1', 1_800, 'stranger'),
    run('honest 0', 50),
    run('honest 1', 50),
  ])
  assert.equal(order, ['bomb 0', 'honest 0', 'honest 1', 'bomb 1'])
})
s.run()
