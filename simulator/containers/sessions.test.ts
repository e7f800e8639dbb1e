import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { createSessions, type Session } from './sessions.ts'

/** By a clock that is set here. */
const s = suite('simulator/containers/sessions')
s.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }))
s.after.each(() => mock.timers.reset())
const turn = () => new Promise(setImmediate)
const open = new Promise<void>(() => undefined)

function start() {
  const ended: Session[] = []
  const sessions = createSessions({ end: (session) => void ended.push(session) })
  return { sessions, ended, session: sessions.open() }
}
/** What a wait has answered with; undefined while it is open. */
function waitOn(session: Session, closed: Promise<void> = open) {
  let answer: readonly string[] | undefined
  void session.wait(closed).then((ids) => {
    answer = ids
  })
  return async () => {
    await turn()
    return answer
  }
}

s('is over when nobody has waited for it for four seconds [teeth/sessions]', async () => {
  const { sessions, session, ended } = start()
  assert.is(sessions.get(session.id), session)
  mock.timers.tick(3_999)
  assert.equal([session.isOver(), ended], [false, []])
  mock.timers.tick(1)
  assert.equal([session.isOver(), ended.length, ended[0] === session], [true, 1, true])
  assert.is(sessions.get(session.id), undefined)
  mock.timers.tick(10_000)
  assert.is(ended.length, 1)
})
s('lives on with each wait, from its answer on [teeth/sessions]', async () => {
  const { session, ended } = start()
  mock.timers.tick(3_999)
  const answer = waitOn(session)
  mock.timers.tick(1_999)
  assert.is(await answer(), undefined)
  mock.timers.tick(1)
  assert.equal(await answer(), [])
  mock.timers.tick(3_999)
  assert.equal(ended, [])
  mock.timers.tick(1)
  assert.is(ended.length, 1)
})
s('tells at once of what ended before, and of each once [teeth/sessions-exits]', async () => {
  const { sessions, session } = start()
  for (const id of ['one', 'two', 'three']) session.forkIds.add(id)
  const other = sessions.open()
  other.forkIds.add('another')
  assert.is(sessions.countForks(), 4)
  session.noteExit('one')
  session.noteExit('two')
  assert.equal([[...session.forkIds], sessions.countForks()], [['three'], 2])
  assert.equal(await waitOn(session)(), ['one', 'two'])
  const next = waitOn(session)
  assert.is(await next(), undefined)
  session.noteExit('three')
  assert.equal(await next(), ['three'])
  // The clock of a wait that was woken goes on for nobody.
  mock.timers.tick(3_999)
  assert.not.ok(session.isOver())
})
s(
  'ends with the connection on which it is waited for, and with no other [teeth/sessions-left]',
  async () => {
    const { sessions, session, ended } = start()
    const [answered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    session.noteExit('one')
    assert.equal(await waitOn(session, answered.promise)(), ['one'])
    answered.resolve()
    await turn()
    assert.equal(ended, [])
    // However many of its waits do.
    for (let n = 0; n < 2; n += 1) waitOn(session, left.promise)
    left.resolve()
    await turn()
    assert.equal([ended.length, session.isOver(), sessions.get(session.id)], [1, true, undefined])
  },
)
s('lives on from the last answer of several waits [teeth/sessions]', async () => {
  const { session } = start()
  const first = waitOn(session)
  mock.timers.tick(1_000)
  const second = waitOn(session)
  mock.timers.tick(500)
  session.noteExit('one')
  assert.equal(await second(), ['one'])
  mock.timers.tick(500)
  assert.equal(await first(), [])
  mock.timers.tick(3_999)
  assert.not.ok(session.isOver())
  mock.timers.tick(1)
  assert.ok(session.isOver())
})
s('has a name of its own [teeth/sessions-left]', () => {
  const { sessions, session } = start()
  assert.is.not(sessions.open().id, session.id)
})
s.run()
