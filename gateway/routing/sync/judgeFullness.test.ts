import { assert, suite } from '../../../fixtures/test.ts'
import type { PassedBlock } from './findAncestor.ts'
import { judgeFullness } from './judgeFullness.ts'

const s = suite('what the blocks before tell of one by how full it is')
const passed = (count: number, block: Partial<PassedBlock>): PassedBlock[] =>
  Array.from({ length: count }, () => ({ number: 1n, hash: '0x', changed: [], ...block }))
const isRare = (blocks: readonly PassedBlock[]) => judgeFullness(blocks, 0.5).isRare
const light = { falseShare: 0.001 }
const full = { falseShare: 0.4 }

s('it is rare where one of sixteen is as full, and not where more are', () => {
  assert.ok(isRare([...passed(30, light), ...passed(2, full)]))
  assert.not(isRare([...passed(29, light), ...passed(3, full)]))
})

s(
  'it is not while too few are known: parts of a long gap, and what gave no bloom, are none',
  () => {
    assert.not(isRare(passed(15, light)))
    assert.not(isRare([...passed(15, light), ...passed(9, { falseShare: 0 }), ...passed(9, {})]))
    assert.ok(isRare(passed(16, light)))
  },
)
s.run()
