import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { createTrail, endStage, endTrail } from './trail.ts'

const s = suite("a request's stages")

s('have each the time since the one before, and the rest is of the next [teeth/trail]', () => {
  let nowMs = 0
  const reading = mock.method(performance, 'now', () => nowMs).mock
  try {
    const trail = createTrail(100)
    const none = { readMs: 0, chargeMs: 0, handleMs: 0, concludeMs: 0, sendMs: 0 }
    const of = { keyId: undefined, units: 0 }
    assert.equal(trail, { ...of, ...none, admitMs: 0, lastAt: 100, stage: 'admitMs' })
    nowMs = 130
    endStage(trail, 'admitMs')
    nowMs = 150
    endStage(trail, 'readMs')
    nowMs = 190
    // Refused while it was charged.
    endTrail(trail)
    const refused = { ...none, admitMs: 30, readMs: 20, chargeMs: 40 }
    assert.equal(trail, { ...of, ...refused, lastAt: 190, stage: 'handleMs' })
    nowMs = 191
    endStage(trail, 'concludeMs')
    nowMs = 193
    endTrail(trail)
    nowMs = 197
    endTrail(trail)
    const sent = { ...refused, concludeMs: 1, sendMs: 6 }
    assert.equal(trail, { ...of, ...sent, lastAt: 197, stage: 'sendMs' })
  } finally {
    reading.restore()
  }
})
s.run()
