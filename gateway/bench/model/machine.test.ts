import { createRandom } from '../../../fixtures/books/random.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createEvents } from './events.ts'
import { createMachine } from './machine.ts'

const s = suite('machine')

s('who comes at random waits as long as queueing theory says (M/D/1)', () => {
  const events = createEvents()
  const thread = createMachine(events, 1).addThread()
  const random = createRandom(7)
  const [busy, count] = [0.7, 60_000]
  let [waited, answered] = [0, 0]
  function arrive(): void {
    const from = events.nowMs()
    thread.work(1, () => {
      waited += events.nowMs() - from - 1
      answered += 1
    })
    events.at(from - Math.log(1 - random.next()) / busy, arrive)
  }
  arrive()
  events.runUntil(count / busy)
  const due = busy / (2 * (1 - busy))
  assert.ok(Math.abs(waited / answered - due) < 0.06, `${waited / answered} instead of ${due}`)
  assert.ok(Math.abs(thread.usedMs() - answered) <= 1)
})
s('three threads on two processors end together, in one and a half times', () => {
  const events = createEvents()
  const machine = createMachine(events, 2)
  const ended: number[] = []
  for (let at = 0; at < 3; at += 1) machine.addThread().work(10, () => ended.push(events.nowMs()))
  events.runUntil(100)
  assert.equal(
    ended.map((ms) => ms.toFixed(6)),
    Array(3).fill('15.000000'),
  )
})
s('who comes later has only what is left of the processors', () => {
  const events = createEvents()
  const machine = createMachine(events, 1)
  const ended: number[] = []
  machine.addThread().work(10, () => ended.push(events.nowMs()))
  events.at(4, () => machine.addThread().work(2, () => ended.push(events.nowMs())))
  events.runUntil(100)
  assert.equal(
    ended.map((ms) => ms.toFixed(6)),
    ['8.000000', '12.000000'],
  )
})
s.run()
