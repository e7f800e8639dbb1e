import { assert, suite } from '../../fixtures/test.ts'
import { createTurns } from './turns.ts'

const s = suite('turns')

function hold() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { work: () => promise, resolve, reject }
}

s(
  'runs one after the other in the order asked, and counts those that ended [teeth/turns]',
  async () => {
    const turns = createTurns()
    const first = hold()
    const begun: string[] = []
    assert.is(turns.ended(), 0)
    const one = turns.run(() => first.work())
    const two = turns.run(async () => {
      begun.push('two')
      return 'two'
    })
    const last = hold()
    const three = turns.run(() => last.work())
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(begun, [])
    first.resolve('one')
    assert.is(await one, 'one')
    assert.is(turns.ended(), 1)
    assert.is(await two, 'two')
    assert.is(turns.ended(), 2)
    last.resolve('three')
    assert.is(await three, 'three')
    assert.is(turns.ended(), 3)
  },
)
s('a turn that fails fails for who asked, and holds up nobody [teeth/turns]', async () => {
  const turns = createTurns()
  const first = hold()
  const failed = turns.run(first.work).catch((error: Error) => error.message)
  const next = turns.run(async () => 'next')
  first.reject(new Error('no key'))
  assert.is(await failed, 'no key')
  assert.is(await next, 'next')
  assert.is(turns.ended(), 2)
})
s.run()
