import { assert, suite } from '../../../fixtures/test.ts'
import { createLimits } from './limits.ts'

const load = { calls: 64, bytes: 1_240_000, gas: 26_000_000 }

function stand() {
  const clock = { ms: 1_000 }
  return { clock, limits: createLimits({ now: () => clock.ms }) }
}

/** A node with a bucket of calls, asked for as much as the limits let through. */
function askFor(
  secs: number,
  { perSecond, burst }: { perSecond: number; burst: number },
  { clock, limits } = stand(),
) {
  let [left, backoffMs] = [burst, 0]
  const counted = { taken: 0, refusedLately: 0, askedLately: 0 }
  const endMs = clock.ms + secs * 1_000
  while (clock.ms < endMs) {
    const waitMs = Math.max(1, limits.waitMs(), backoffMs)
    clock.ms += waitMs
    left = Math.min(burst, left + (waitMs / 1_000) * perSecond)
    const calls = limits.batchCalls()
    limits.pay(calls)
    const isTaken = calls <= left
    backoffMs = isTaken ? 0 : 100
    if (isTaken) limits.took(calls)
    else limits.refused({ kind: 'rate_limited' }, { ...load, calls })
    left -= isTaken ? calls : 0
    counted.taken += isTaken ? calls : 0
    if (clock.ms < endMs - 60_000) continue
    counted.askedLately += calls
    counted.refusedLately += isTaken ? 0 : calls
  }
  return counted
}

const s = suite('limits that are learned')

s(
  'takes what the node names, and half of what was refused where it names nothing [nodes/aimd]',
  () => {
    const { limits } = stand()
    assert.is(limits.batchCalls(), 64)
    limits.refused({ kind: 'batch_too_large' }, load)
    assert.is(limits.batchCalls(), 32)
    limits.refused({ kind: 'batch_too_large', limit: 10 }, { ...load, calls: 32 })
    limits.refused({ kind: 'body_too_large' }, load)
    limits.refused({ kind: 'gas_cap', limit: 10_000_000 }, load)
    limits.refused({ kind: 'range_too_wide', limit: 10 }, load)
    assert.equal(limits.read(), {
      batchCalls: 10,
      bodyBytes: 620_000,
      callGas: 10_000_000,
      logBlocks: 10,
      callsPerSecond: undefined,
      rateFound: undefined,
      namesByNumber: undefined,
      guessed: ['bodyBytes'],
    })
  },
)

s('takes half of a range that was refused without a number, never more than it took before', () => {
  const { limits } = stand()
  const refuse = (blocks: number | undefined) =>
    limits.refused({ kind: 'range_too_wide' }, { ...load, blocks })
  refuse(undefined)
  assert.is(limits.read().logBlocks, undefined)
  for (const blocks of [10_001, 80_000]) refuse(blocks)
  assert.is(limits.read().logBlocks, 5_000)
})

s('bounds nothing while nothing is refused [nodes/unbounded]', () => {
  const { clock, limits } = stand()
  for (let n = 0; n < 1_000; n += 1) {
    clock.ms += 1
    limits.pay(64)
    limits.took(64)
    assert.is(limits.waitMs(), 0)
  }
  assert.is(limits.batchCalls(), 64)
})

for (const rate of [
  { perSecond: 10, burst: 20 },
  { perSecond: 15, burst: 15 },
  { perSecond: 25, burst: 50 },
  { perSecond: 500, burst: 500 },
])
  s(
    `finds ${rate.perSecond} calls a second, and is refused few after a minute [nodes/rate]`,
    () => {
      const { taken, refusedLately, askedLately } = askFor(180, rate)
      assert.ok(taken > 0.6 * 180 * rate.perSecond, `${taken} taken`)
      assert.ok(refusedLately <= 0.02 * askedLately, `${refusedLately} of ${askedLately} refused`)
    },
  )

s('asks for few calls a second one by one: a batch counts as one more [nodes/single-calls]', () => {
  const at = (callsPerSecond: number) => {
    const { limits } = stand()
    limits.recall({ callsPerSecond })
    return limits.batchCalls()
  }
  assert.equal([at(7.9), at(8)], [1, 4])
})

for (const first of [4, 12])
  s(
    `comes near a rate of 19 within seconds after ${first} calls at first [nodes/rate-soon]`,
    () => {
      const begun = stand()
      const { clock, limits } = begun
      // Each time what is asked at once is more than the node's bucket has left.
      limits.took(4)
      limits.refused({ kind: 'rate_limited' }, { ...load, calls: 25 })
      clock.ms += 1_100
      limits.took(first)
      limits.refused({ kind: 'rate_limited' }, { ...load, calls: 12 })
      assert.is(limits.read().callsPerSecond, Math.max(8, first))
      const { taken } = askFor(30, { perSecond: 19, burst: 19 }, begun)
      assert.ok(taken > 0.8 * 30 * 19, `${taken} taken`)
    },
  )

s('takes a door that is shut for no rate', () => {
  const { clock, limits } = stand()
  limits.took(4)
  for (let n = 0; n < 20; n += 1) {
    clock.ms += 1_000
    limits.refused({ kind: 'rate_limited' }, { ...load, calls: 1 })
  }
  assert.is(limits.read().callsPerSecond, undefined)
})

s('begins with what an earlier run has learned', () => {
  const { limits } = stand()
  limits.recall({ batchCalls: 3, callsPerSecond: 12 })
  assert.is(limits.batchCalls(), 3)
  limits.pay(12)
  assert.ok(limits.waitMs() > 400)
})
s('learns of questions for logs alone what these are refused for [nodes/logs-limits]', () => {
  const { clock, limits } = stand()
  assert.is(limits.batchCalls('logs'), 8)
  limits.refused({ kind: 'timeout' }, { ...load, asking: 'logs', calls: 8 })
  assert.equal([limits.batchCalls('logs'), limits.batchCalls()], [4, 64])
  limits.refused({ kind: 'timeout' }, load)
  assert.equal([limits.batchCalls('logs'), limits.batchCalls()], [4, 32])
  for (let took = 0; took < 2; took += 1) limits.took(4, 'logs')
  assert.equal([limits.batchCalls('logs'), limits.batchCalls()], [8, 32])
  // How many calls a request may hold is said of all of them, and so is how many in a second.
  limits.refused({ kind: 'batch_too_large', limit: 3 }, { ...load, asking: 'logs', calls: 8 })
  assert.equal([limits.batchCalls('logs'), limits.batchCalls()], [3, 3])
  limits.took(4, 'logs')
  for (let refused = 0; refused < 2; refused += 1) {
    limits.refused({ kind: 'rate_limited' }, { ...load, asking: 'logs', calls: 3 })
    limits.took(1, 'logs')
    clock.ms += 1_000
  }
  assert.ok((limits.read().callsPerSecond ?? 0) > 0)
})

s('learns nothing of batches by one call that is too large by itself [nodes/large-alone]', () => {
  const { limits } = stand()
  const alone = { ...load, calls: 1, bytes: 1_000 }
  for (const kind of ['answer_too_large', 'body_too_large'] as const)
    limits.refused({ kind }, alone)
  assert.is(limits.batchCalls(), 64)
  limits.refused({ kind: 'answer_too_large' }, { ...alone, calls: 4 })
  assert.is(limits.batchCalls(), 2)
})
s.run()
