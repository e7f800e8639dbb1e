import type { Address } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getDexes } from '../../chain/chains.ts'
import { createTroubledPools } from './troubledPools.ts'

const [dex] = getDexes(8453)
if (!dex) throw new Error('Base has exchanges')
const pool = (n: number) => ({
  dex,
  address: `0x${n.toString(16).padStart(40, '0')}` as Address,
})
const [minuteMs, hourMs] = [60_000, 3_600_000]

const s = suite('pools that cannot be read')

s('are tried again after pauses that grow with each failure', () => {
  let nowMs = 0
  const troubled = createTroubledPools({ now: () => nowMs })
  const pauses: number[] = []
  for (let round = 0; round < 10; round += 1) {
    troubled.leaveOut(pool(1), 'it burns')
    const fromMs = nowMs
    while (troubled.due(5).length === 0) {
      assert.ok(troubled.isResting(pool(1).address))
      nowMs += minuteMs / 2
    }
    pauses.push((nowMs - fromMs) / minuteMs)
  }
  assert.equal(pauses, [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60])
})

s('who is well for a moment only rests longer the next time', () => {
  let nowMs = 0
  const troubled = createTroubledPools({ now: () => nowMs })
  for (let round = 0; round < 4; round += 1) {
    troubled.leaveOut(pool(1), 'it burns')
    nowMs += hourMs / 2
    troubled.takeIn(pool(1).address)
    assert.equal(troubled.list(), [])
  }
  troubled.leaveOut(pool(1), 'it burns')
  nowMs += 7 * minuteMs
  assert.ok(troubled.isResting(pool(1).address))
  // An hour without fault is forgiven.
  nowMs += hourMs
  troubled.takeIn(pool(1).address)
  nowMs += 2 * hourMs
  troubled.leaveOut(pool(1), 'it burns')
  nowMs += minuteMs
  assert.not.ok(troubled.isResting(pool(1).address))
})

s('are named with their reason, the latest first; what is merely no pool is not', () => {
  const troubled = createTroubledPools({ now: () => 0 })
  troubled.leaveOut(pool(1), 'it burns')
  troubled.leaveOut(pool(2), undefined)
  troubled.leaveOut(pool(3), 'it lies')
  assert.equal(
    troubled.list().map(({ pool: named, reason }) => [Number(named), reason]),
    [
      [3, 'it lies'],
      [1, 'it burns'],
    ],
  )
  assert.ok(troubled.isResting(pool(2).address))
})

s('take no more memory than ten thousand of them', () => {
  const troubled = createTroubledPools({ now: () => 0 })
  for (let n = 0; n < 12_000; n += 1) troubled.leaveOut(pool(n), 'it burns')
  assert.is(troubled.list().length, 10_000)
})
s.run()
