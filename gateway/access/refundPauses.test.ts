import { assert, suite } from '../../fixtures/test.ts'
import { createRefundPauses } from './refundPauses.ts'

const s = suite('access/refundPauses')
let nowMs = 0
const make = () => createRefundPauses({ monotonicMs: () => nowMs })

s(
  'pauses a key that is refunded again and again, each time for longer [strangers/refund-pauses]',
  () => {
    const pauses = make()
    for (let at = 0; at < 50; at++) pauses.note('a', { status: 404 })
    assert.is(pauses.leftMs('a'), 0)
    const seen: number[] = []
    for (let at = 0; at < 8; at++) {
      pauses.note('a', { status: 404 })
      seen.push(pauses.leftMs('a'))
      nowMs += pauses.leftMs('a')
    }
    assert.equal(seen, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    assert.is(pauses.leftMs('a'), 0)
    nowMs += 1
    assert.is(pauses.leftMs('a'), 0)
    assert.is(pauses.leftMs('b'), 0)
  },
)

s('counts each question of a batch that is refused, and one at least', () => {
  const pauses = make()
  pauses.note('a', { status: 404, questions: 50 })
  assert.is(pauses.leftMs('a'), 0)
  pauses.note('a', { status: 404, questions: 0 })
  assert.is(pauses.leftMs('a'), 1_000)
  pauses.note('a', { status: 404, questions: 1 })
  assert.is(pauses.leftMs('a'), 2_000)
  pauses.note('a', { status: 404, questions: 5_000 })
  assert.is(pauses.leftMs('a'), 60_000)
})

s('forgives with an answer that is paid for, and after ten minutes', () => {
  const pauses = make()
  const noteEmpty = (times: number) => {
    for (let at = 0; at < times; at++) pauses.note('a', { status: 404 })
  }
  noteEmpty(50)
  pauses.note('a', { status: 200 })
  noteEmpty(50)
  assert.is(pauses.leftMs('a'), 0)
  nowMs += 600_000
  noteEmpty(50)
  assert.is(pauses.leftMs('a'), 0)
  nowMs += 599_999
  noteEmpty(1)
  assert.is(pauses.leftMs('a'), 1_000)
})

for (const [status, pausedMs] of [
  [399, 0],
  [400, 2_000],
  [499, 2_000],
  [500, 1_000],
  [503, 1_000],
] as const)
  s(`a ${status} after 50 refusals leaves ${pausedMs} ms at the next [teeth/refund-status]`, () => {
    const pauses = make()
    pauses.note('a', { status: 404, questions: 50 })
    pauses.note('a', { status })
    pauses.note('a', { status: 404 })
    assert.is(pauses.leftMs('a'), pausedMs)
  })

s(
  'of a key that many hold pauses the site that is at it, and of eight such sites the key [strangers/refund-sites]',
  () => {
    const pauses = make()
    const noteEmpty = (ip: string, times = 1) => {
      for (let at = 0; at < times; at++) pauses.note('a', { status: 404, ip })
    }
    noteEmpty('203.0.113.1', 51)
    assert.is(pauses.leftMs('a', '203.0.113.1'), 1_000)
    assert.is(pauses.leftMs('a', '203.0.113.2'), 0)
    // Whoever has addresses without end has one site.
    for (let at = 0; at < 51; at++) noteEmpty(`2001:db8:7:${at.toString(16)}::1`)
    assert.is(pauses.leftMs('a', '2001:db8:7:ffff::1'), 1_000)
    assert.is(pauses.leftMs('a', '2001:db8:8::1'), 0)
    // An answer that somebody pays for forgives the key, and him.
    pauses.note('a', { status: 200, ip: '203.0.113.2' })
    assert.is(pauses.leftMs('a', '203.0.113.1'), 1_000)
    for (let site = 10; site < 18; site++) noteEmpty(`203.0.113.${site}`, 50)
    assert.is(pauses.leftMs('a', '203.0.113.2'), 0)
    noteEmpty('203.0.113.18')
    assert.is(pauses.leftMs('a', '203.0.113.2'), 1_000)
    assert.is(pauses.leftMs('b', '203.0.113.2'), 0)
  },
)

s('however often it is refused, one site pauses no key [strangers/refund-one-site]', () => {
  const pauses = make()
  for (let at = 0; at < 20; at++)
    pauses.note('a', { status: 404, questions: 50, ip: '203.0.113.1' })
  assert.is(pauses.leftMs('a', '203.0.113.1'), 60_000)
  assert.is(pauses.leftMs('a', '203.0.113.2'), 0)
})

s(
  'pauses whoever leaves again and again before the answer, for five seconds at most [strangers/refund-left]',
  () => {
    const pauses = make()
    const leave = () => pauses.note('a', { status: 500, isOfQuestion: false, hasLeft: true })
    for (let at = 0; at < 50; at++) leave()
    assert.is(pauses.leftMs('a'), 0)
    const seen: number[] = []
    for (let at = 0; at < 5; at++) {
      leave()
      seen.push(pauses.leftMs('a'))
    }
    assert.equal(seen, [1_000, 2_000, 4_000, 5_000, 5_000])
    // What is refused for what it asks is refused for it, whoever has left.
    pauses.note('a', { status: 404, hasLeft: true })
    assert.is(pauses.leftMs('a'), 32_000)
    leave()
    assert.is(pauses.leftMs('a'), 32_000, 'it ends no longer pause')
    pauses.note('a', { status: 200, hasLeft: true })
    assert.is(pauses.leftMs('a'), 0)
  },
)

s('counts no outage of ours', () => {
  const pauses = make()
  for (let at = 0; at < 500; at++) pauses.note('a', { status: 503 })
  assert.is(pauses.leftMs('a'), 0)
})

s.run()
