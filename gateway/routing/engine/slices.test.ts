import { assert, suite } from '../../../fixtures/test.ts'
import { createSlices } from './slices.ts'

const s = suite('slices of the event loop')

/** Slices by a clock that work moves, and others by so many ms at each turn of the loop. */
function start(othersMs: readonly number[] = []) {
  let [nowMs, turns] = [0, 0]
  function turn() {
    nowMs += othersMs[turns] ?? 0
    turns += 1
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  /** What was done in each turn, a letter for each piece. */
  const seen: string[] = []
  function* work(name: string, { pieces, ms = 1 }: { pieces: number; ms?: number }) {
    for (let left = pieces; left > 0; left -= 1) {
      nowMs += ms
      seen[turns] = `${seen[turns] ?? ''}${name}`
      yield
    }
    return name
  }
  const { run } = createSlices({ now: () => nowMs })
  const hold = (ms: number) => {
    nowMs += ms
  }
  return { run, work, seen, hold, [Symbol.dispose]: () => clearImmediate(next) }
}

s('are of all searches of a turn together, however short each is [17/shared-slice]', async () => {
  using loop = start()
  const searches = 'abcdefg'.split('').map((name) => loop.work(name, { pieces: 1, ms: 0.75 }))
  const told: number[] = []
  for (const search of searches) await loop.run(search, (ms) => told.push(ms))
  assert.equal(loop.seen, ['abc', 'def', 'g'])
  assert.equal(told, [0.75, 0.75, 0.75, 0, 0.75, 0.75, 0.75, 0, 0.75])
})

s('are half of what others took of the last turn, 2 to 10 ms [17/long-turns]', async () => {
  using loop = start([12, 1_000, 1])
  await loop.run(loop.work('a', { pieces: 21 }))
  assert.equal(
    loop.seen.map(({ length }) => length),
    [2, 6, 10, 2, 1],
  )
})

s('are half of what others took between two of a turn as well [17/held-between]', async () => {
  using loop = start()
  await loop.run(loop.work('a', { pieces: 1 }))
  loop.hold(12)
  await loop.run(loop.work('b', { pieces: 9 }))
  // Of the next turn they took nothing.
  assert.equal(loop.seen, ['ab', 'bbbbbb', 'bb'])
})

s(
  'are of the usual length for who comes to a loop that nobody searches in [17/long-turns]',
  async () => {
    using loop = start([12, 1_000])
    await loop.run(loop.work('a', { pieces: 2 }))
    for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate)
    await loop.run(loop.work('b', { pieces: 5 }))
    assert.equal(
      loop.seen.filter((seen) => seen.includes('b')).map(({ length }) => length),
      [2, 2, 1],
    )
  },
)

s('go round: a short search waits for one slice of a long one [17/slices-round]', async () => {
  using loop = start()
  const long = loop.run(loop.work('a', { pieces: 9 }))
  const short = loop.run(loop.work('b', { pieces: 3 }))
  assert.equal(await Promise.all([long, short]), ['a', 'b'])
  assert.equal(loop.seen, ['aa', 'aa', 'bb', 'aa', 'ba', 'aa'])
})

s('are left to others by a search that fails [17/slices-round]', async () => {
  using loop = start()
  function* fail() {
    yield* loop.work('a', { pieces: 2 })
    throw new Error('a pool threw')
  }
  const failing = loop.run(fail()).catch(({ message }: Error) => message)
  const next = loop.run(loop.work('b', { pieces: 1 }))
  assert.equal(await Promise.all([failing, next]), ['a pool threw', 'b'])
  assert.equal(loop.seen, ['aa', 'b'])
})
s.run()
