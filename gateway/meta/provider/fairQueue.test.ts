import { assert, suite } from '../../../fixtures/test.ts'
import { createFairQueue } from './fairQueue.ts'

const s = suite('meta/provider/fairQueue')
const never = new AbortController().signal

function make(maxWaiting = 100) {
  let free = 0
  const order: string[] = []
  const queue = createFairQueue({
    mayStart: () => free > 0,
    onStart(caller) {
      free--
      order.push(caller)
    },
    maxWaiting,
  })
  const open = (count: number) => {
    free += count
    queue.pump()
  }
  return { queue, order, open }
}

s('goes round by caller, in order within each', async () => {
  const { queue, order, open } = make()
  const asked = ['a', 'a', 'a', 'b', 'c', 'b'].map((caller) => queue.enter(caller, never))
  open(6)
  assert.equal(
    await Promise.all(asked),
    Array.from({ length: 6 }, () => 'in'),
  )
  assert.equal(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  assert.is(queue.waiting(), 0)
})

s('sends away the newest of the longest line, never the only one of a caller', async () => {
  const { queue, open } = make(3)
  const asked = ['a', 'a', 'a', 'b', 'c', 'd'].map((caller) => queue.enter(caller, never))
  open(6)
  assert.equal(await Promise.all(asked), ['in', 'full', 'full', 'in', 'in', 'full'])
})

s('forgets who left', async () => {
  const { queue, order, open } = make()
  const leaving = new AbortController()
  const left = queue.enter('a', leaving.signal).catch(() => 'left')
  const other = queue.enter('b', never)
  leaving.abort(new Error('left'))
  assert.is(await left, 'left')
  assert.is(queue.waiting(), 1)
  open(2)
  assert.is(await other, 'in')
  assert.equal(order, ['b'])
  assert.is(queue.tryEnter('a'), true)
  assert.is(queue.tryEnter('a'), false)
})

s.run()
