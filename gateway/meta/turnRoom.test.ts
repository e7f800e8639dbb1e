import { assert, suite } from '../../fixtures/test.ts'
import { holdTurns } from './testing/holdTurns.ts'
import { createTurns } from './turns.ts'

const s = suite('meta/turns, and what a chain may be asked')

s(
  'has a crowd leave half of what its chain may be asked to those who ask seldom [strangers/meta-room]',
  async () => {
    let left = 1
    const { ask, rest, hasRoom, takeTurn } = holdTurns({ roomOf: (at) => (at === 1 ? left : 1) })
    const room = (now: number) => {
      left = now
      return hasRoom()
    }
    for (let n = 0; n < 60; n += 1) {
      // Ten of the one, as of who asks once a second, and a crowd's of the other.
      const asked = [ask('crowd'), ...(n % 6 === 0 ? [ask('steady')] : [])]
      for (let turn = 0; turn < 3; turn += 1) await rest()
      await Promise.all(asked)
    }
    await ask('crowd')
    assert.equal([room(0.49), room(0.5)], [false, true], 'whoever comes next may be the crowd')
    const { signal } = new AbortController()
    const waiting = [takeTurn({ caller: 'crowd', chainId: 2, signal })]
    assert.ok(room(0), 'another chain has its own')
    await rest()
    waiting.push(ask('crowd'))
    assert.equal([room(0.49), room(0.5)], [false, true])
    waiting.push(ask('steady'))
    assert.equal([room(0.09), room(0.11)], [false, true])
    waiting.push(ask('newcomer'))
    assert.ok(room(0), 'one who never asked waits for none')
    for (let n = 0; n < 6; n += 1) await rest()
    await Promise.all(waiting)
  },
)

s('waits for it no longer than for the rest of the loop', async () => {
  let left = 1
  const takeTurn = createTurns({ roomOf: () => left })
  const { signal } = new AbortController()
  const ask = () => takeTurn({ caller: 'crowd', chainId: 1, signal })
  for (let n = 0; n < 56; n += 1) await ask()
  left = 0.4
  await ask()
  const startedAtMs = performance.now()
  await ask()
  const tookMs = performance.now() - startedAtMs
  assert.ok(tookMs > 150, `${tookMs} ms`)
})
s.run()
