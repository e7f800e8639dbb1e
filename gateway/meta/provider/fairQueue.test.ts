import { assert, suite } from '../../../fixtures/test.ts'
import { createFairQueue } from './fairQueue.ts'
import { createTicket, type Ticket } from './ticket.ts'

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
  const stand = async (ticket: Ticket, signal = never) =>
    (await queue.enter(ticket, signal))?.caller ?? 'full'
  const enter = (caller: string, site?: string) => stand(createTicket({ caller, site }))
  const open = (count: number) => {
    free += count
    queue.pump()
  }
  return { queue, order, open, enter, stand }
}

s('goes round by caller, in order within each', async () => {
  const { queue, order, open, enter } = make()
  const callers = ['a', 'a', 'a', 'b', 'c', 'b']
  const asked = callers.map((caller) => enter(caller))
  open(6)
  assert.equal(await Promise.all(asked), callers)
  assert.equal(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  assert.is(queue.waiting(), 0)
})

s('sends away the newest of the longest line, never the only one of a caller', async () => {
  const { open, enter } = make(3)
  const asked = ['a', 'a', 'a', 'b', 'c', 'd'].map((caller) => enter(caller))
  open(6)
  assert.equal(await Promise.all(asked), ['a', 'full', 'full', 'b', 'c', 'full'])
})

s(
  'goes round by site, by caller within it, and sends away of the largest [strangers/provider-sites]',
  async () => {
    const { queue, open, enter } = make(12)
    const started: string[] = []
    const ask = async (caller: string, site?: string) => {
      const outcome = await enter(caller, site)
      started.push(outcome)
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
    assert.equal(started, ['crowd 0', 'honest'])
    const again = ask('crowd 0', 'crowd')
    open(11)
    await Promise.all([...crowd, again])
    assert.is(started.at(-1), 'crowd 0', 'its other callers come first')
    assert.is(queue.waiting(), 0)
  },
)

s('forgets who left', async () => {
  const { queue, order, open, enter, stand } = make()
  const leaving = new AbortController()
  const left = stand(createTicket({ caller: 'a' }), leaving.signal).catch(() => 'left')
  const other = enter('b')
  leaving.abort(new Error('left'))
  assert.is(await left, 'left')
  assert.is(queue.waiting(), 1)
  open(2)
  assert.is(await other, 'b')
  assert.equal(order, ['b'])
  assert.is(queue.tryEnter({ caller: 'a' }), true)
  assert.is(queue.tryEnter({ caller: 'a' }), false)
})

s('is in with the first turn of any who ask for it, and takes no other', async () => {
  const { queue, enter, stand, order, open } = make()
  const crowd = [enter('a'), enter('a')]
  const shared = createTicket({ caller: 'a' })
  const joined = stand(shared)
  shared.join({ caller: 'b' })
  shared.join({ caller: 'b' })
  const own = enter('b')
  open(2)
  assert.is(await joined, 'b')
  assert.equal(order, ['a', 'b'])
  open(2)
  assert.equal(await Promise.all([...crowd, own]), ['a', 'a', 'b'])
  assert.is(queue.waiting(), 0)
})

s('begins at once in the name of whoever joins and has a turn', async () => {
  const inside: string[] = []
  const queue = createFairQueue({
    mayStart: (site) => site === 'b',
    onStart: (site) => inside.push(site),
    maxWaiting: 1,
  })
  const shared = createTicket({ caller: 'a' })
  const joined = queue.enter(shared, never)
  assert.equal([inside, shared.isWaiting()], [[], true])
  shared.join({ caller: 'c', site: 'b' })
  assert.equal(await joined, { caller: 'c', site: 'b' })
  assert.equal([inside, shared.isWaiting()], [['b'], false])
})

s('stands in no line of who left, and is sent away with its last name', async () => {
  const { enter, stand, order, open } = make(2)
  const [shared, alone] = [createTicket({ caller: 'a' }), createTicket({ caller: 'a' })]
  const first = enter('a')
  const joined = stand(shared)
  shared.join({ caller: 'b' })
  // Too many wait: it goes from the longest line, and then nobody is left in its own.
  assert.is(await enter('c'), 'full')
  assert.ok(shared.leave({ caller: 'b' }))
  assert.is(await joined, 'full')
  const other = stand(alone)
  alone.join({ caller: 'b' })
  assert.ok(alone.leave({ caller: 'a' }))
  open(2)
  assert.equal([await first, await other, order], ['a', 'b', ['a', 'b']])
})

s.run()
