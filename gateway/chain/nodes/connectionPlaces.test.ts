import { mock } from 'node:test'
import { assert, suite } from '../../../fixtures/test.ts'
import { createPlaces } from './connectionPlaces.ts'

const s = suite('places for calls')
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** So many places, and who had one, in their order. */
function hold(most: number) {
  const places = createPlaces(most)
  const had: string[] = []
  return {
    had,
    async take(name: string, patienceMs = 60_000) {
      const leave = await places.take(patienceMs)
      had.push(leave ? name : `${name} in vain`)
      return leave
    },
  }
}

s('are had by so many at once, and then in the order of coming [teeth/call-places]', async () => {
  const { had, take } = hold(2)
  const [first, second] = await Promise.all([take('first'), take('second')])
  const [third, fourth] = [take('third'), take('fourth')]
  await turn()
  assert.equal(had, ['first', 'second'])
  second?.()
  const leaveThird = await third
  first?.()
  const leaveFourth = await fourth
  leaveThird?.()
  leaveFourth?.()
  assert.equal(had.splice(0), ['first', 'second', 'third', 'fourth'])
  // As many are free again as there were.
  const again = ['a', 'b', 'c'].map((name) => take(name))
  await turn()
  assert.equal(had, ['a', 'b'])
  const leave = await again[0]
  leave?.()
  await again[2]
  assert.equal(had, ['a', 'b', 'c'])
})

s('are waited for no longer than was said, and left to the next [teeth/call-places]', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { had, take } = hold(1)
    const leave = await take('first')
    void take('second', 100)
    mock.timers.tick(99)
    await turn()
    assert.equal(had, ['first'])
    mock.timers.tick(1)
    await turn()
    assert.equal(had, ['first', 'second in vain'])
    leave?.()
    await take('third')
    assert.is(had.at(-1), 'third')
  } finally {
    mock.timers.reset()
  }
})

s('have no timer once they are had [teeth/call-places-left]', async () => {
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = countTimers()
  const { had, take } = hold(1)
  const leave = await take('first')
  const second = take('second')
  assert.is(countTimers(), before + 1)
  leave?.()
  await second
  assert.equal([had, countTimers()], [['first', 'second'], before])
})
s.run()
