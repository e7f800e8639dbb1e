import { setImmediate as turn } from 'node:timers/promises'
import { assert, suite } from '../../../fixtures/test.ts'
import { createLasting } from './lasting.ts'

const s = suite('what faults change for a while')
const ms = 3_600_000

function setUp() {
  const done: string[] = []
  const failures: string[] = []
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (_: object, say: string) => failures.push(say),
  }
  const lasting = createLasting({ log })
  const hold = (of: string, forMs = ms) =>
    lasting.hold({ name: 'pause', of, ms: forMs }, async () => {
      done.push(`begin ${of}`)
      return async () => {
        await turn()
        if (of === 'broken') throw new Error('asked for')
        done.push(`end ${of}`)
      }
    })
  return { done, failures, lasting, hold }
}

s('begins once, and is taken back once [faults/lasting]', async () => {
  const { done, lasting, hold } = setUp()
  await Promise.all([hold('a'), hold('a'), hold('b')])
  await lasting.end('other')
  assert.equal(done, ['begin a', 'begin b'])
  // Nothing begins anew before it is as it was.
  await Promise.all([lasting.end('pause'), hold('a')])
  assert.equal(done, ['begin a', 'begin b', 'end a', 'end b', 'begin a'])
  await lasting.end()
  await lasting.end()
  assert.is(done.at(-1), 'end a')
  assert.is(done.length, 6)
})
s('is taken back when the last request of it is over [faults/lasting]', async () => {
  const { done, failures, hold } = setUp()
  await hold('a', 1)
  await hold('a', 20)
  await hold('broken', 1)
  while (done.length < 3 || failures.length === 0) await turn()
  assert.equal(done, ['begin a', 'begin broken', 'end a'])
  assert.equal(failures, ['pause was not taken back'])
})
s('forgets what could not begin [faults/lasting]', async () => {
  const { done, lasting, hold } = setUp()
  const broken = lasting.hold({ name: 'pause', of: 'a', ms }, () =>
    Promise.reject(new Error('no node')),
  )
  assert.is(await broken.catch((error: Error) => error.message), 'no node')
  await hold('a')
  assert.equal(done, ['begin a'])
})
s.run()
