import { assert, suite } from '../../../fixtures/test.ts'
import type { Plan } from '../../store/plans.ts'
import { createPlanBook } from './planBook.ts'

const s = suite('access/planBook')

function createStand(initial: readonly Plan[]) {
  let nowMs = 0
  const stand = { plans: initial, reads: 0, fails: false }
  const list = async () => {
    stand.reads += 1
    if (stand.fails) throw new RangeError('away')
    return stand.plans
  }
  const book = createPlanBook({ list }, { freshForMs: 1_000, monotonicMs: () => nowMs })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { stand, book, pass }
}
const pro = { name: 'pro', unitsPerSec: 1, burst: 16 }

s('reads nothing for keys without a plan, and once a second for all others', async () => {
  const { stand, book, pass } = createStand([pro])
  assert.is(await book.find(undefined), undefined)
  assert.is(stand.reads, 0)
  assert.equal(await Promise.all([book.find('pro'), book.find('pro')]), [pro, pro])
  assert.is(stand.reads, 1)
  stand.plans = [{ ...pro, burst: 17 }]
  pass(999)
  assert.is((await book.find('pro'))?.burst, 16)
  pass(1)
  assert.is((await book.find('pro'))?.burst, 17)
  assert.is(stand.reads, 2)
})

s(
  'finds a plan at once that is newer than what it has read, and misses one that is gone',
  async () => {
    const { stand, book } = createStand([])
    assert.is(await book.find('pro'), undefined)
    stand.plans = [pro]
    assert.equal(await book.find('pro'), pro)
  },
)

s('says that the database is away, and asks again as soon as it is back', async () => {
  const { stand, book, pass } = createStand([pro])
  await book.find('pro')
  pass(1_000)
  stand.fails = true
  assert.is(await book.find('pro').catch((error: Error) => error.name), 'RangeError')
  stand.fails = false
  assert.equal(await book.find('pro'), pro)
})
s.run()
