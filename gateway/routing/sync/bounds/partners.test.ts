import { numberToHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { createPartners } from './partners.ts'

const s = suite('tokens that an unknown one is tried with')
const token = (n: number) => numberToHex(n, { size: 20 })
const hub = token(0xabc)
/** A pool of each token with the hub, those of high numbers deeper. */
const poolsOf = (count: number) =>
  new Map(
    Array.from({ length: count }, (_, n) => {
      const record = { id: String(n), tokens: [hub, token(n + 1)], depth: n }
      return [record.id, record as unknown as PoolRecord]
    }),
  )
const sortByDepth = (records: readonly PoolRecord[]) =>
  records.toSorted((one, other) => Number(other.id) - Number(one.id))

s('are the hubs and the thirty that stand in the deepest pools [nodes/partners]', () => {
  let nowMs = 0
  const partners = createPartners({ hubs: [hub], sortByDepth, now: () => nowMs })
  const deepest = Array.from({ length: 30 }, (_, n) => token(40 - n))
  assert.equal(partners(poolsOf(40)), [hub, ...deepest])
  // Sorting all of a market is dear: it is not for every question.
  nowMs = 60_000
  assert.equal(partners(poolsOf(50)), [hub, ...deepest])
  nowMs = 600_000
  assert.is(partners(poolsOf(50))[1], token(50))
})
s.run()
