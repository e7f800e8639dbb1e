import { getAddress, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { ConcentratedRecord } from '../protocols/concentrated/concentratedRecord.ts'
import { isSameSwaps } from './isSameSwaps.ts'

const s = suite('two readings of a pool')
const id = numberToHex(1, { size: 20 })
const ranged: ConcentratedRecord = {
  id,
  address: getAddress(id),
  dex: 'camelot-v3',
  protocol: 'camelot_v3',
  tokens: [],
  feePips: 100,
  feePips1: 100,
  changedBlock: 1n,
  isFresh: [],
  swapsSeen: 0,
  tickSpacing: 60,
  sqrtPriceX96: 1n,
  tick: 0,
  liquidity: 1n,
  ticks: [],
}
const quoted = { ...ranged, quoter: getAddress(numberToHex(2, { size: 20 })) }

s('are the same whenever they were made, and not where the price is another', () => {
  assert.ok(isSameSwaps(ranged, { ...ranged, changedBlock: 2n, swapsSeen: 1, isFresh: [true] }))
  for (const record of [ranged, quoted])
    assert.not(isSameSwaps(record, { ...record, sqrtPriceX96: 2n }))
})

s('are the same with another fee where the quoter is asked [nodes/quoted-fee]', () => {
  for (const fee of [{ feePips: 200 }, { feePips1: 200 }]) {
    assert.not(isSameSwaps(ranged, { ...ranged, ...fee }))
    assert.ok(isSameSwaps(quoted, { ...quoted, ...fee }))
  }
})
s.run()
