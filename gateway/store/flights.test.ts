import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert, suite } from '../../fixtures/test.ts'
import { createFlights } from './flights.ts'

const s = suite('flights')

s(
  'takes 500 jobs at once, two flights at a time, in the order they came [teeth/flights]',
  async () => {
    const under: { readonly jobs: readonly number[]; readonly land: () => void }[] = []
    const flights = createFlights<number>((jobs) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      under.push({ jobs, land: resolve })
      return promise
    })
    for (let job = 0; job < 1_700; job += 1) flights.board(job)
    assert.is(under.length, 0)
    await nextTurn()
    const spans = () => under.map(({ jobs }) => [jobs[0], jobs.length])
    assert.equal(spans(), [
      [0, 500],
      [500, 500],
    ])
    under[1]?.land()
    await nextTurn()
    assert.equal(spans().slice(2), [[1_000, 500]])
    under[0]?.land()
    under[2]?.land()
    await nextTurn()
    assert.equal(spans().slice(3), [[1_500, 200]])
    // What comes while all are under way waits for one of them; what comes later takes off by itself.
    under[3]?.land()
    await nextTurn()
    flights.board(9)
    await nextTurn()
    assert.equal(spans().slice(4), [[9, 1]])
  },
)
s('takes as many and has as many under way as it is told to [20/flights-many]', async () => {
  const flown: (readonly number[])[] = []
  const land: (() => void)[] = []
  const flights = createFlights<number>(
    (jobs) => {
      flown.push(jobs)
      return new Promise((resolve) => land.push(resolve))
    },
    { most: 2, underWayAtOnce: 1 },
  )
  for (const job of [1, 2, 3]) flights.board(job)
  await nextTurn()
  assert.equal(flown, [[1, 2]])
  land[0]?.()
  await nextTurn()
  assert.equal(flown, [[1, 2], [3]])
})
s.run()
