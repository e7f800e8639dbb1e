import { assert, suite } from '../../../fixtures/test.ts'
import { createLastHead } from './lastHead.ts'

const s = suite('the last head that was told of')

function hear(endpoints: readonly string[] = ['one']) {
  let nowMs = 0
  const head = createLastHead(endpoints, { blockTimeMs: 2_000, now: () => nowMs })
  assert.is(head.number(), undefined)
  const told = (number: number, from = 'one') => {
    head.note(from, number)
    return head.number()
  }
  return { told, pass: (ms: number) => (nowMs += ms) }
}

s('is none that no chain makes in the time since the one before [attack/head-lie]', () => {
  const { told, pass } = hear()
  assert.equal([told(1_000), told(1_008), told(1_017)], [1_000, 1_008, 1_008])
  assert.is(told(2 ** 40), 1_008)
  // A burst, four times as fast as the chain's pace.
  pass(10_000)
  assert.equal([told(1_037), told(1_036)], [1_008, 1_036])
  // Nodes of one URL are not all as far, and one that lied first is not believed for ever.
  assert.equal([told(1_030), told(7)], [1_030, 7])
  pass(600_000)
  assert.is(told(1_200), 1_200)
})

s("is the chain's again as soon as one that lags has told of its own [nodes/late-head]", () => {
  const { told } = hear()
  assert.equal([told(9_000), told(8_000), told(9_001)], [9_000, 8_000, 9_001])
  // A node that syncs, twice; and those of one URL, which are not all as far.
  assert.equal([told(0), told(0), told(9_004), told(9_003)], [0, 0, 0, 9_003])
  assert.equal([told(8_000), told(8_001), told(9_004)], [8_000, 8_001, 8_001])
  // Another lie is no second word for the first.
  assert.equal([told(2 ** 40), told(9_004), told(9_005)], [8_001, 8_001, 9_005])
})

s('is no lie that is told now and then [attack/head-lie]', () => {
  const { told } = hear()
  for (let number = 1_000; number < 1_020; number += 1)
    assert.equal([told(number), told(1_000_000 + number)], [number, number])
})
s('is no lie of one of several that it bears out itself [attack/head-lie-twice]', () => {
  const { told } = hear(['one', 'other', 'liar'])
  assert.is(told(1_000), 1_000)
  const lies = [0, 1, 2].map((nth) => told(10 ** 9 + nth, 'liar'))
  assert.equal(lies, [1_000, 1_000, 1_000])
  assert.is(told(1_001), 1_001)
  // Of two it is none; and whoever stood there before another fell behind needs nobody's word.
  assert.equal([told(5_000), told(5_001, 'other')], [1_001, 5_001])
  assert.equal([told(3_000, 'liar'), told(5_002, 'other')], [3_000, 5_002])
})
s.run()
