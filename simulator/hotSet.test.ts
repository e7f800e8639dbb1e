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

s('is not fed by its own warm-up, however often that reads what is hot [strangers/hot-own]', () => {
  let nowMs = 0
  const hot = createHotSet({ now: () => nowMs })
  for (let n = 0; n < 128; n += 1) for (let slot = 0; slot < 96; slot += 1) hot.note(read(n, slot))
  assert.is(hot.list().length, 128)
  // A new fork with each block, each of which is warmed up with all that is listed.
  for (; nowMs < 140_000; nowMs += 250) {
    const listed = hot.list()
    // What a slow warm-up reads arrives later.
    nowMs += 3_000
    for (const { address, slots } of listed) {
      hot.note({ method: 'eth_getBalance', params: [address, '0x1'] })
      for (const slot of slots)
        hot.note({ method: 'eth_getStorageAt', params: [address, slot, '0x1'] })
    }
  }
  assert.equal(hot.list(), [])
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
s.run()
