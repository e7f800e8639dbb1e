import { assert, suite } from '../fixtures/test.ts'
import { createPace } from './pace.ts'

const s = suite('pace')
// A pace by itself holds no process back from ending.
const alive = setInterval(() => undefined, 1_000)
s.after(() => clearInterval(alive))

async function elapsedMs(work: () => Promise<unknown>) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

s('lets a burst through at once and makes wait for what goes beyond it', async () => {
  const pace = createPace({ burst: 100, perSecond: 1_000 })
  const burstMs = await elapsedMs(() => pace(100))
  const beyondMs = await elapsedMs(() => pace(150))
  assert.ok(beyondMs >= 140, `${beyondMs} ms for 150 units at 1000 a second`)
  assert.ok(burstMs < beyondMs, `${burstMs} ms`)
})
s('makes later ones wait behind earlier ones', async () => {
  const pace = createPace({ burst: 1, perSecond: 100 })
  const order: number[] = []
  await Promise.all([1, 2, 3].map((unit) => pace(1).then(() => order.push(unit))))
  assert.equal(order, [1, 2, 3])
})
s.run()
