import { assert, suite } from '../../fixtures/test.ts'
import { readHeadAge } from './headAge.ts'

const s = suite('how old the followed head is')

s('is told by its clock, and what stands still once that is a minute [nodes/head-age]', () => {
  const asked: number[] = []
  const chainClient = {
    standsStill(followed: number) {
      asked.push(followed)
      return 'chain_or_node' as const
    },
  }
  const head = { number: 7n, hash: '0x', parentHash: '0x', timestampSecs: 1_000n } as const
  const ageAt = (dateMs: number) => readHeadAge({ chainClient } as never, { head, dateMs })
  assert.equal(ageAt(1_060_000), { ageMs: 60_000, standsStill: undefined })
  // A clock of ours that is behind.
  assert.equal(ageAt(999_000), { ageMs: 0, standsStill: undefined })
  assert.equal(asked, [])
  assert.equal(ageAt(1_060_001), { ageMs: 60_001, standsStill: 'chain_or_node' })
  assert.equal(asked, [7])
})

s(
  'counts from when it was seen first where its block is of a later time [nodes/head-ahead]',
  () => {
    const chainClient = { standsStill: () => 'node' as const }
    const year = 365 * 24 * 3_600
    const read = (head: object, secs: number) =>
      readHeadAge({ chainClient } as never, { head: head as never, dateMs: 1_000 * secs })
    const head = { number: 7n, hash: '0x', parentHash: '0x', timestampSecs: BigInt(year) }
    assert.equal(read(head, 1_000), { ageMs: 0, standsStill: undefined })
    assert.equal(read(head, 1_061), { ageMs: 61_000, standsStill: 'node' })
    assert.equal(read({ ...head, number: 8n }, 1_061), { ageMs: 0, standsStill: undefined })
  },
)
s.run()
