import { assert, suite } from '../../../fixtures/test.ts'
import { earningOf, keepEarnings } from './earnings.ts'

const s = suite('what ways through pools earn')
const way = { poolId: 'one', from: 3, to: 5 }
const [low, high] = [
  { cost: 1, value: 2, most: 3 },
  { cost: 4, value: 5, most: 6 },
]

s('is known of each way by its tokens, those of a pool together [20/earnings]', () => {
  const all = [
    { ...way, earned: 7, prices: [low, high] },
    { ...way, from: 5, to: 3, earned: 8, prices: [high] },
    { ...way, poolId: 'two', earned: 9, prices: [] },
  ]
  const kept = keepEarnings(all)
  assert.equal(
    all.map((each) => ({ ...each, ...earningOf(kept, each) })),
    all,
  )
  assert.equal(
    ['from', 'to', 'poolId'].map((end) => earningOf(kept, { ...way, [end]: 4 }).earned),
    [0, 0, 0],
  )
})

s('is nothing where nothing earns [20/earnings]', () => {
  assert.equal(earningOf(keepEarnings([]), way), { earned: 0, prices: [] })
})

s.run()
