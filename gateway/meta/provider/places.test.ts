import { assert, suite } from '../../../fixtures/test.ts'
import { createPlaces } from './places.ts'
import { createTicket } from './ticket.ts'

const s = suite('meta/provider/places')
const never = new AbortController().signal

/** Places, and who came in of those that waited. */
function open(count: number, waiting = 10) {
  const places = createPlaces(count, waiting)
  const came: string[] = []
  const wait = (caller: string) => {
    const ticket = createTicket({ caller })
    void places
      .enter(ticket, never)
      .then((entrant) => came.push(entrant?.caller ?? `${caller} not`))
  }
  const next = () => new Promise((resolve) => setImmediate(resolve))
  const enter = (caller: string) => places.tryEnter({ caller })
  const leave = (caller: string) => places.leave({ caller })
  return { enter, wait, leave, came, next }
}

s('leaves one free for who has none, whoever has all the others', () => {
  const { enter } = open(3)
  assert.equal([enter('a'), enter('a'), enter('a')], [true, true, false])
  assert.equal([enter('b'), enter('b'), enter('c')], [true, false, false])
})
s('has a site take twice as many as it leaves free', () => {
  const { enter } = open(8)
  const taken = Array.from({ length: 8 }, () => enter('a'))
  assert.is(taken.filter(Boolean).length, 6)
})
s('goes to who waits once one is left, by the same rule', async () => {
  const { enter, wait, leave, came, next } = open(3)
  for (const caller of ['a', 'a', 'b']) enter(caller)
  wait('a')
  wait('c')
  await next()
  assert.equal(came, [])
  leave('b')
  await next()
  assert.equal(came, ['c'])
  leave('a')
  await next()
  assert.equal(came, ['c', 'a'])
  // Nothing is left behind of who has gone: it is new again.
  for (const caller of ['a', 'a', 'c']) leave(caller)
  assert.equal([enter('a'), enter('a'), enter('a')], [true, true, false])
})
s('sends away whom there is no room for to wait', async () => {
  const { enter, wait, came, next } = open(1, 1)
  enter('a')
  wait('b')
  wait('c')
  await next()
  assert.equal(came, ['c not'])
})
s('counts the addresses of a site as one', () => {
  const places = createPlaces(3, 0)
  const enter = (caller: string) => places.tryEnter({ caller, site: 'site' })
  assert.equal([enter('1'), enter('2'), enter('3')], [true, true, false])
  places.leave({ caller: '1', site: 'site' })
  assert.is(enter('3'), true)
})
s.run()
