import type { Address } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { createHotSet } from './hotSet.ts'

const account = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as Address
const read = (n: number, slot: number) => ({
  method: 'eth_getStorageAt',
  params: [account(n), `0x${slot.toString(16)}`, '0x1'],
})
const [token, pool] = [account(7), account(8)]

const s = suite('the hot set')

s('forgets what nobody misses any more [strangers/hot-decays]', () => {
  let nowMs = 0
  const hot = createHotSet({ now: () => nowMs })
  hot.note(read(8, 1))
  assert.equal(hot.list(), [{ address: pool, slots: ['0x1'] }])
  nowMs = 130_000
  assert.equal(hot.list(), [])
})

s('keeps what is missed again, each slot for itself [17/hot-again]', () => {
  let nowMs = 0
  const hot = createHotSet({ now: () => nowMs })
  const slotsAt = (ms: number) => {
    nowMs = ms
    return hot.list().flatMap(({ slots }) => slots)
  }
  hot.note(read(8, 1))
  assert.equal(slotsAt(60_000), ['0x1'])
  hot.note(read(8, 2))
  assert.equal(slotsAt(119_999), ['0x1', '0x2'])
  assert.equal(slotsAt(120_000), ['0x2'])
  hot.note(read(8, 1))
  assert.equal(slotsAt(179_999), ['0x2', '0x1'])
  assert.equal(slotsAt(180_000), ['0x1'])
})

s(
  "is not fed by a caller's token, but by one that the operator knows [strangers/hot-token]",
  () => {
    const known = createHotSet({ isAlwaysNoted: (address) => address === token })
    const unknown = createHotSet()
    for (const hot of [known, unknown]) {
      hot.ignore([token, pool])
      hot.note(read(7, 1))
      hot.note(read(8, 1))
    }
    assert.equal(unknown.list(), [])
    assert.equal(known.list(), [{ address: token, slots: ['0x1'] }])
  },
)
s("forgets what was one caller's alone, and has it again once others miss it", () => {
  const hot = createHotSet()
  hot.note(read(7, 1))
  hot.note(read(8, 1))
  hot.forget([account(7)])
  assert.equal(hot.list(), [{ address: pool, slots: ['0x1'] }])
  hot.note(read(7, 2))
  assert.equal(hot.list().at(-1), { address: token, slots: ['0x2'] })
})
s('lists what was missed, for as long as it counts, to the millisecond [teeth/hot-times]', () => {
  let nowMs = 0
  const hot = createHotSet({ now: () => nowMs })
  hot.note(read(7, 1))
  nowMs = 119_999
  assert.equal(hot.list(), [{ address: token, slots: ['0x1'] }])
  nowMs = 120_000
  assert.equal(hot.list(), [])
  hot.note(read(7, 3))
  assert.equal(hot.list(), [{ address: token, slots: ['0x3'] }])
})
s('keeps an account that is missed longer than its slots [teeth/hot-times]', () => {
  let nowMs = 0
  const hot = createHotSet({ now: () => nowMs })
  hot.note(read(8, 1))
  nowMs = 119_000
  hot.note({ method: 'eth_getBalance', params: [pool, '0x1'] })
  assert.equal(hot.list(), [{ address: pool, slots: ['0x1'] }])
  nowMs = 120_000
  assert.equal(hot.list(), [{ address: pool, slots: [] }])
  nowMs = 239_000
  assert.equal(hot.list(), [])
})
s('notes reads of state, of whom they name, and nothing else [teeth/hot-times]', () => {
  const hot = createHotSet()
  for (const call of [
    { method: 'eth_call', params: [pool, '0x1'] },
    { method: 'eth_getBalance', params: [{ address: pool }] },
    { method: 'eth_getStorageAt', params: [] },
  ])
    hot.note(call)
  assert.equal(hot.list(), [])
  hot.note({ method: 'eth_getStorageAt', params: [pool.toUpperCase().replace('X', 'x'), 1, '0x1'] })
  hot.note({ method: 'eth_getCode', params: [token, '0x1'] })
  assert.equal(hot.list(), [
    { address: pool, slots: [] },
    { address: token, slots: [] },
  ])
})
s('forgets the oldest of too many, of accounts and of slots [teeth/hot-bounds]', () => {
  const hot = createHotSet()
  for (let n = 1; n <= 129; n += 1) hot.note(read(n, 1))
  const listed = hot.list()
  assert.equal(
    [listed.length, listed[0]?.address, listed.at(-1)?.address],
    [128, account(2), account(129)],
  )
  for (let slot = 1; slot <= 97; slot += 1) hot.note(read(129, slot))
  const { slots = [] } = hot.list().at(-1) ?? {}
  assert.equal([slots.length, slots[0], slots.at(-1)], [96, '0x2', '0x61'])
})
s(
  'passes over what callers name for half a minute, the latest of too many [teeth/hot-bounds]',
  () => {
    let nowMs = 0
    const hot = createHotSet({ now: () => nowMs })
    hot.ignore([token])
    const isNoted = (n: number) => {
      hot.note(read(n, 1))
      return hot.list().some(({ address }) => address === account(n))
    }
    nowMs = 29_999
    assert.not.ok(isNoted(7))
    nowMs = 30_000
    assert.ok(isNoted(7))
    // Named again it counts from then on, and as the latest.
    const many = Array.from({ length: 1_000 }, (_, n) => account(1_000 + n))
    hot.ignore(many)
    hot.ignore([account(1_000)])
    hot.ignore([account(5_000)])
    assert.equal(
      [isNoted(1_000), isNoted(1_001), isNoted(1_002), isNoted(5_000)],
      [false, true, false, false],
    )
  },
)
s('takes an account that is missed again for the latest', () => {
  const hot = createHotSet()
  for (let n = 1; n <= 128; n += 1) hot.note(read(n, 1))
  hot.note(read(1, 2))
  hot.note(read(129, 1))
  const listed = hot.list().map(({ address }) => address)
  assert.equal(
    [listed.includes(account(1)), listed.includes(account(2)), listed.length],
    [true, false, 128],
  )
})
s.run()
