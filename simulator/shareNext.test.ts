import { assert, suite } from '../fixtures/test.ts'
import { createShareNext } from './shareNext.ts'

const s = suite('simulator/shareNext')

/** Calls that end when they are let. */
function open() {
  const calls: PromiseWithResolvers<number>[] = []
  const ask = createShareNext(() => {
    const call = Promise.withResolvers<number>()
    calls.push(call)
    return call.promise
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { calls, ask, turn }
}

s('answers who asks meanwhile by one call that begins afterwards [20/shared-heads]', async () => {
  const { calls, ask, turn } = open()
  const first = ask()
  const later = [ask(), ask(), ask()]
  await turn()
  assert.is(calls.length, 1)
  calls[0]?.resolve(1)
  assert.is(await first, 1)
  await turn()
  assert.is(calls.length, 2)
  const last = ask()
  calls[1]?.resolve(2)
  assert.equal(await Promise.all(later), [2, 2, 2])
  await turn()
  calls[2]?.resolve(3)
  assert.is(await last, 3)
  await turn()
  void ask()
  assert.is(calls.length, 4, 'one that finds none under way begins its own')
})
s('asks again where the call before has failed', async () => {
  const { calls, ask, turn } = open()
  const first = ask()
  const second = ask()
  calls[0]?.reject(new Error('no'))
  assert.match(String(await first.catch(String)), 'no')
  await turn()
  calls[1]?.resolve(2)
  assert.is(await second, 2)
})
s.run()
