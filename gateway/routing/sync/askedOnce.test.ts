import { assert, suite } from '../../../fixtures/test.ts'
import { createAskedOnce } from './askedOnce.ts'

const s = suite('ranges that were asked for once')

const span = { blocks: 10, most: 10, growth: 1 }

/** Where each look began, of these ranges of ten blocks; a look that is named gets so many blocks. */
function look(starts: readonly bigint[], given: Readonly<Record<number, bigint>>, count: number) {
  let nowMs = 0
  const asked = createAskedOnce({ now: () => nowMs })
  const heard = { logs: [], span, wasFollowed: () => true }
  for (const fromBlock of starts) asked.note({ ...heard, fromBlock, toBlock: fromBlock + 9n })
  return Array.from({ length: count }, (_, at) => {
    nowMs += 1_000
    const part = asked.pick()
    const blocks = given[at]
    if (part && blocks !== undefined) asked.done(part, part.fromBlock + blocks - 1n)
    else if (part) asked.failed(part)
    return part?.fromBlock
  })
}

s(
  'bar no others where they are refused, and are given up in the end [nodes/range-given-up]',
  () => {
    assert.equal(look([1n, 11n], { 3: 10n }, 8), [1n, 11n, 1n, 11n, 1n, 1n, 1n, undefined])
    const once = [1n, 1n, 1n, 1n, 1n]
    assert.equal(look([1n], { 4: 1n }, 11), [...once, 2n, 2n, 2n, 2n, 2n, undefined])
  },
)
s.run()
