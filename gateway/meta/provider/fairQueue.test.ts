import { assert, suite } from '../../../fixtures/test.ts'
import { createFairQueue } from './fairQueue.ts'

const s = suite('meta/provider/fairQueue')
const never = new AbortController().signal

function make(maxWaiting = 100) {
  let free = 0
  const order: string[] = []
  const queue = createFairQueue({
    mayStart: () => free > 0,
    onStart(site) {
      free--
      order.push(site)
    },
    maxWaiting,
  })
  const enter = (caller: string, site?: string) => queue.enter({ caller, site }, never)
  const open = (count: number) => {
    free += count
    queue.pump()
  }
  return { queue, order, open, enter }
}

s('goes round by caller, in order within each', async () => {
  const { queue, order, open, enter } = make()
  const asked = ['a', 'a', 'a', 'b', 'c', 'b'].map((caller) => enter(caller))
  open(6)
  assert.equal(
    await Promise.all(asked),
    Array.from({ length: 6 }, () => 'in'),
  )
  assert.equal(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  assert.is(queue.waiting(), 0)
})

s('sends away the newest of the longest line, never the only one of a caller', async () => {
  const { open, enter } = make(3)
  const asked = ['a', 'a', 'a', 'b', 'c', 'd'].map((caller) => enter(caller))
  open(6)
  assert.equal(await Promise.all(asked), ['in', 'full', 'full', 'in', 'in', 'full'])
})

s(
  'goes round by site, by caller within it, and sends away of the largest [strangers/provider-sites]',
  async () => {
    const { queue, open, enter } = make(12)
    const started: string[] = []
    const ask = async (caller: string, site?: string) => {
      const outcome = await enter(caller, site)
      started.push(`${caller} ${outcome}`)
      return outcome
    }
    const crowd = Array.from({ length: 12 }, (_, index) => ask(`crowd ${index}`, 'crowd'))
    const more = ask('crowd 0', 'crowd')
    assert.is(await more, 'full', 'it has most of the line itself')
    const honest = ask('honest')
    assert.is(await crowd[11], 'full')
    started.length = 0
    open(2)
    await Promise.all([crowd[0], honest])
    assert.equal(started, ['crowd 0 in', 'honest in'])
    const again = ask('crowd 0', 'crowd')
    open(11)
    await Promise.all([...crowd, again])
    assert.is(started.at(-1), 'crowd 0 in', 'its other callers come first')
    assert.is(queue.waiting(), 0)
  },
)

s('forgets who left', async () => {
  const { queue, order, open } = make()
  const leaving = new AbortController()
  const left = queue.enter({ caller: 'a' }, leaving.signal).catch(() => 'left')
  const other = queue.enter({ caller: 'b' }, never)
  leaving.abort(new Error('left'))
  assert.is(await left, 'left')
  assert.is(queue.waiting(), 1)
  open(2)
  assert.is(await other, 'in')
  assert.equal(order, ['b'])
  assert.is(queue.tryEnter({ caller: 'a' }), true)
  assert.is(queue.tryEnter({ caller: 'a' }), false)
})

s.run()
