import fc from 'fast-check'
import { assert, suite } from '../../../fixtures/test.ts'
import { createRateLimit, createStateOf } from './rateLimit.ts'

const s = suite('access/rateLimit')

s('lets a burst pass and then the rate [access/gcra]', () => {
  let now = 0
  const { take } = createRateLimit({ unitsPerSec: 20, burst: 100 }, { monotonicMs: () => now })
  for (let index = 0; index < 100; index++) assert.ok(take('k', 1).allowed)
  const refused = take('k', 1)
  assert.equal([refused.allowed, refused.remaining, refused.retryAfterSecs], [false, 0, 1])
  now = 50
  assert.ok(take('k', 1).allowed)
  assert.not.ok(take('k', 1).allowed)
  assert.ok(take('other', 1).allowed)
})
s('saves nothing up: after an idle hour a burst passes, and no more [access/idle-hour]', () => {
  let now = 0
  const { take } = createRateLimit({ unitsPerSec: 20, burst: 100 }, { monotonicMs: () => now })
  assert.ok(take('k', 100).allowed)
  now = 3_600_000
  assert.is(take('k', 1).remaining, 99)
  assert.ok(take('k', 99).allowed)
  assert.not.ok(take('k', 1).allowed)
})
s(
  'holds a bounded number of ids, the latest ones, in a flood of unknown keys [access/id-flood]',
  () => {
    const limit = { unitsPerSec: 1, burst: 1 }
    const { take } = createRateLimit(limit, { monotonicMs: () => 0, maxIds: 3 })
    for (let index = 0; index < 1_000; index++) assert.ok(take(`flood ${index}`, 1).allowed)
    // What is asked for all along stays known, however many come between.
    for (const id of ['flood 999', 'flood 998', 'flood 997']) assert.not.ok(take(id, 1).allowed)
    assert.ok(take('flood 0', 1).allowed)
  },
)
s('says when to come again to the second, never none [teeth/retry-after]', () => {
  const stateOf = createStateOf({ burst: 100, msPerUnit: 1_000 })
  const refused = (usedMs: number) =>
    stateOf({ allowed: false, usedMs, costMs: 60_000 }).retryAfterSecs
  assert.equal(
    [100_000, 99_999, 99_001, 99_000, 40_001, 40_000].map(refused),
    [60, 60, 60, 59, 1, 1],
  )
  const { remaining, resetSecs, headers } = stateOf({ allowed: true, usedMs: 1_500, costMs: 500 })
  assert.equal([remaining, resetSecs], [98, 2])
  assert.equal(headers, {
    'ratelimit-policy': '"default";q=100;w=100',
    ratelimit: '"default";r=98;t=2',
  })
})
s('weighs 16 units as 16', () => {
  const { take } = createRateLimit({ unitsPerSec: 20, burst: 100 }, { monotonicMs: () => 0 })
  assert.is(take('k', 16).remaining, 84)
})
s('counts a refused request as nothing', () => {
  const { take } = createRateLimit({ unitsPerSec: 1, burst: 10 }, { monotonicMs: () => 0 })
  assert.is(take('k', 11).remaining, 10)
  assert.ok(take('k', 10).allowed)
})
s('writes the headers of the IETF draft', () => {
  const { take } = createRateLimit({ unitsPerSec: 20, burst: 100 }, { monotonicMs: () => 0 })
  assert.equal(take('k', 1).headers, {
    'ratelimit-policy': '"default";q=100;w=5',
    ratelimit: '"default";r=99;t=1',
  })
})
s(
  'never says Retry-After earlier than the truth, and never lets more than burst + rate pass',
  () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 20 })), {
          maxLength: 200,
        }),
        (unitsPerSec, burst, steps) => {
          let now = 0
          let passed = 0
          const { take } = createRateLimit({ unitsPerSec, burst }, { monotonicMs: () => now })
          for (const [waitMs, weight] of steps) {
            now += waitMs
            const state = take('k', weight)
            if (state.allowed) passed += weight
            else if (weight <= burst) {
              now += state.retryAfterSecs * 1000
              if (!take('k', weight).allowed) return false
              passed += weight
            }
            if (passed > burst + (now / 1000) * unitsPerSec + 1e-3) return false
          }
          return true
        },
      ),
      { numRuns: 60 },
    )
  },
)

s.run()
