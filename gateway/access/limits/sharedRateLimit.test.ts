import { assert, suite } from '../../../fixtures/test.ts'
import type { SharedBuckets, Taken } from './sharedBuckets.ts'
import { chooseRateLimit } from './sharedRateLimit.ts'

/** What is asked of buckets and made of their answers; `sharedBuckets.test.ts` has those of a real Redis. */
const s = suite('access/sharedRateLimit')

/** What is asked of shared buckets, whose answers are a list here. */
function answering(answers: readonly (Taken | undefined)[]) {
  const asked: Parameters<SharedBuckets['take']>[0][] = []
  const left = [...answers]
  const take: SharedBuckets['take'] = async (request) => {
    asked.push(request)
    return left.shift()
  }
  return { asked, buckets: { take, isConnected: () => true, close: async () => undefined } }
}
const five = { unitsPerSec: 1, burst: 5, name: 'test' }

s('asks for whole microseconds, one a unit at least [teeth/shared-limit]', async () => {
  const { asked, buckets } = answering([])
  const take = chooseRateLimit({ buckets }, five)
  await take('k', 2)
  await take('k', 2, { unitsPerSec: 3, burst: 7 })
  await take('k', 2, { unitsPerSec: 1e7, burst: 7 })
  const bucket = 'test:k'
  assert.equal(asked, [
    { bucket, costUs: 2_000_000, capacityUs: 5_000_000 },
    { bucket, costUs: 666_666, capacityUs: 2_333_331 },
    { bucket, costUs: 2, capacityUs: 7 },
  ])
})
s(
  'tells what is left and when to come again, to the microsecond [teeth/shared-limit]',
  async () => {
    const told = async (taken: Taken) => {
      const { buckets } = answering([taken])
      const state = await chooseRateLimit({ buckets }, five)('k', 2)
      assert.is(state.headers?.['ratelimit-policy'], '"default";q=5;w=5')
      return [state.allowed, state.limit, state.remaining, state.resetSecs, state.retryAfterSecs]
    }
    assert.equal(await told({ allowed: true, usedUs: 2_000_000 }), [true, 5, 3, 2, 0])
    assert.equal(await told({ allowed: true, usedUs: 2_000_001 }), [true, 5, 2, 3, 0])
    assert.equal(await told({ allowed: false, usedUs: 4_000_000 }), [false, 5, 1, 4, 1])
    assert.equal(await told({ allowed: false, usedUs: 4_000_001 }), [false, 5, 0, 5, 2])
  },
)
s(
  'goes on by itself from where they stood while they are silent [teeth/shared-limit]',
  async () => {
    const unitsPerSec = 1 / 3_600
    const { buckets } = answering([{ allowed: true, usedUs: 2 * 3_600e6 }])
    const take = chooseRateLimit({ buckets }, { ...five, unitsPerSec })
    assert.is((await take('k', 2)).remaining, 3)
    assert.is((await take('k', 1)).remaining, 2)
    // By its own limit, where it has one.
    assert.is((await take('k', 1, { unitsPerSec, burst: 9 })).remaining, 5)
  },
)
s.run()
